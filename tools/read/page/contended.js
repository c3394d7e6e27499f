// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines that several threads contend for: who touches which byte of one, and at which source line. */
'use strict';
(function () {
    const choices = page.choices(), LEFT = 230, WIDTH = 768, ROW = 24;

    function byLine(input) {
        return d3.nest().key(r => r.line).entries(page.rows(input, 'contended')).map(g => ({
            line: g.key, object: g.values[0].object, rows: g.values, stall: d3.sum(g.values, r => r.stall), count: d3.sum(g.values, r => r.count),
        })).sort((a, b) => b.stall - a.stall);
    }

    /* A row for each thread and node, a circle for each offset; its area is what the accesses waited. */
    function strip(box, line, bytes) {
        const rows = line.rows.filter(r => r.offset !== null), who = r => `${r.thread || '?'}:${r.tid === null ? '?' : r.tid} on node ${r.node}`;
        const threads = [...new Set(rows.map(who))], causes = [...new Set(rows.map(r => r.cause))], colour = page.colours(causes);
        const x = d3.scaleLinear().domain([0, bytes]).range([0, WIDTH]), size = d3.scaleSqrt().domain([0, d3.max(rows, r => r.stall) || 1]).range([2, 11]);
        const height = threads.length * ROW + 40;
        const item = box.append('ul').attr('class', 'legend').selectAll('li').data(causes).join('li');

        item.append('span').attr('class', 'swatch').style('background', c => colour.get(c));
        item.append('span').text(c => c);
        const svg = box.append('svg').attr('viewBox', `0 0 ${LEFT + WIDTH + 20} ${height}`).style('max-width', LEFT + WIDTH + 20 + 'px').attr('role', 'img')
            .attr('aria-label', 'accesses by byte and thread');
        const g = svg.selectAll('g.who').data(threads).join('g').attr('class', 'who').attr('transform', (t, i) => `translate(0,${i * ROW})`);
        g.append('text').attr('x', LEFT - 14).attr('y', 16).attr('text-anchor', 'end').text(t => page.cut(t, 34));
        g.append('rect').attr('class', 'module').attr('x', LEFT).attr('y', 2).attr('width', WIDTH).attr('height', ROW - 4);
        g.selectAll('circle').data(t => rows.filter(r => who(r) === t).sort((a, b) => b.stall - a.stall)).join('circle').attr('cx', r => LEFT + x(r.offset)).attr('cy', ROW / 2)
            .attr('r', r => size(r.stall)).attr('fill', r => colour.get(r.cause)).attr('data-value', r => r.stall)
            .append('title').text(r => `${r.kind} of ${r.what} at byte ${r.offset}, ${r.at || '?'}: ${r.cause}, ${r.count} transactions, ${page.time(r.stall)}`);
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${threads.length * ROW + 2})`).call(d3.axisBottom(x).tickValues(d3.range(0, bytes + 1, bytes / 16)));
        svg.append('text').attr('x', LEFT).attr('y', height - 6).text('byte of the line');
    }

    page.view({
        id: 'contended', title: 'Contended lines',
        applies: input => page.rows(input, 'contended').length > 0,
        says: input => `A cache line of ${input.line} bytes that several threads use, and whose misses are mostly sharing. A circle is an access: its place is the byte, its area the time waited, its ` +
            'colour the cause. Threads that touch different bytes share falsely: give each its own line. Point at a circle to read the source line.',
        draw(box, input) {
            const lines = byLine(input), chosen = lines.find(l => l.line === choices.get(input)) || lines[0];

            page.choice(box, 'line', lines.map(l => [l.line, `${l.line}: ${page.cut(l.object, 70)}, ${page.time(l.stall)}`]), chosen.line, v => {
                choices.set(input, v);
                page.draw('contended');
            });
            strip(box, chosen, input.line);
        },
        table: input => page.table(input, 'contended'),
    });
}());
