// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What changed between two profiles or recordings, A and B. The page's inputs are the difference, then A, then B (docs/report-data.md).
 * Bars of both have one scale; time lines have one axis, on which each run begins at 0.
 */
'use strict';
(function () {
    const LEFT = 330, WIDTH = 560, RIGHT = 250, ROW = 30, MOST = 14, choices = page.choices();
    const changes = (input, name) => (input.changes || []).find(t => t.name === name);
    const column = (t, name) => t.columns.findIndex(c => c.name === name);
    const amount = (v, unit) => unit === 's' ? page.time(v * 1e6) : page.amount(v, unit === 'count' ? '' : unit);
    const signed = (v, unit) => (v < 0 ? '\u2212' : v > 0 ? '+' : '') + amount(Math.abs(v), unit);

    /* Rows of table t that changed in quantity q, the greatest change first: { label, title, state, a, b }. */
    function rowsOf(t, q) {
        const at = column(t, q.name + '_a');

        return t.rows.map(r => ({ label: r[0], title: r[1] ? `${r[0]}, in A ${r[1]}` : r[0], state: r[2], a: r[at], b: r[at + 1], by: r[at + 2] }))
            .filter(r => r.by).sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
    }

    const legend = box => box.append('ul').attr('class', 'legend').selectAll('li').data([['A', 'side-a'], ['B', 'side-b']]).join('li').each(function ([name, c]) {
        d3.select(this).append('span').attr('class', 'swatch ' + c);
        d3.select(this).append('span').text(name);
    });

    /* A above B in each row. */
    function pairs(box, all, q, most) {
        const rows = all.slice(0, most), x = d3.scaleLinear().domain([0, d3.max(rows, r => Math.max(r.a, r.b)) || 1]).range([0, WIDTH]), height = rows.length * ROW + 24;

        legend(box);
        const svg = box.append('svg').attr('class', 'pairs').attr('viewBox', `0 0 ${LEFT + WIDTH + RIGHT} ${height}`).style('max-width', LEFT + WIDTH + RIGHT + 'px').attr('role', 'img')
            .attr('aria-label', `${q.name} of A and B`);
        const g = svg.selectAll('g.pair').data(rows).join('g').attr('class', 'pair').attr('transform', (r, i) => `translate(0,${i * ROW})`);

        g.append('text').attr('x', LEFT - 8).attr('y', 18).attr('text-anchor', 'end').text(r => page.cut(r.label, 50)).append('title').text(r => r.title);
        [['a', 4], ['b', 14]].forEach(([side, y]) => g.append('rect').attr('class', 'side-' + side).attr('x', LEFT).attr('y', y).attr('height', 9).attr('width', r => x(r[side]))
            .attr('data-side', side).attr('data-value', r => r[side]).append('title').text(r => `${side.toUpperCase()}: ${amount(r[side], q.unit)}`));
        g.append('text').attr('x', r => LEFT + x(Math.max(r.a, r.b)) + 6).attr('y', 18).text(r => `${signed(r.by, q.unit)}${r.a && q.unit !== 'percent' ? ` (${signed(100 * r.by / r.a, 'percent')})` : ''}` +
            (r.state ? `, ${r.state}` : ''));
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${rows.length * ROW + 2})`).call(d3.axisBottom(x).ticks(6).tickFormat(v => amount(v, q.unit)));
        if (all.length > rows.length) {
            box.append('p').attr('class', 'says').text(`The first ${rows.length} of ${all.length}; the table below has all.`);
        }
    }

    page.view({
        id: 'changed', title: 'What changed',
        applies: input => input.kind === 'difference',
        says: input => 'From A to B: less is better for waits, misses and times. ' + (input.of === 'profile' ? 'Times add up over processors: two that wait 1 us each make 2.' : ''),
        draw(box, input) {
            box.append('p').attr('class', 'headline').text(input.headline);
            input.notes.forEach(n => box.append('p').attr('class', 'note').text(n));
            const list = box.append('dl');

            ['a', 'b'].forEach(side => {
                const d = input[side], run = [d.command, d.host && `on ${d.host}`, d.time && `time ${d.time}`].filter(s => s).join(', ');

                list.append('dt').text(`${side.toUpperCase()}: ${d.name}`);
                list.append('dd').text([run, d.headline].filter(s => s).join('. '));
            });
            const t = changes(input, 'total'), q = t.quantities[0], rows = rowsOf(t, q);

            if (rows.length) {
                pairs(box, rows, q, MOST);
            }
        },
        table: input => changes(input, 'total'),
    });

    const titles = {
        causes: 'Causes', objects: 'Objects', members: 'Members', functions: 'Functions', lines: 'Source lines', parts: 'Parts of the waits', rates: 'Rates', sums: 'Counts of all objects',
        counts: 'Counts', threads: 'Threads', regions: 'Regions of interest', homes: 'Nodes and homes', links: 'Links',
    };

    Object.entries(titles).forEach(([name, title]) => page.view({
        id: 'change-' + name, title,
        applies: input => (changes(input, name) || { rows: [] }).rows.length > 0,
        says: () => 'A above B on one scale, and the change behind them, the greatest first. "new" is only in B, "gone" only in A.',
        draw(box, input) {
            const t = changes(input, name), chosen = (choices.get(input) || {})[name], q = t.quantities.find(k => k.name === chosen) || t.quantities.find(k => rowsOf(t, k).length) || t.quantities[0];
            const rows = rowsOf(t, q);

            if (t.quantities.length > 1) {
                page.choice(box, 'show', t.quantities.map(k => [k.name, `${k.name}: ${k.text}`]), q.name, v => {
                    choices.set(input, Object.assign({}, choices.get(input), { [name]: v }));
                    page.draw('change-' + name);
                });
            }
            if (rows.length) {
                pairs(box, rows, q, MOST);
            } else {
                box.append('p').text('No difference.');
            }
        },
        table: input => changes(input, name),
    }));

    /* --- time lines --- */

    function axis(svg, x, y, format) {
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${y})`).call(d3.axisBottom(x).ticks(8).tickFormat(format));
    }

    function lives(box, input) {
        const all = input.threads, rows = all.slice(0, 128), x = d3.scaleLinear().domain([0, d3.max(rows, r => r.end) || 1]).range([0, WIDTH + RIGHT - 20]), line = 16;
        const svg = box.append('svg').attr('class', 'lives').attr('viewBox', `0 0 ${LEFT + WIDTH + RIGHT} ${rows.length * line + 26}`).style('max-width', LEFT + WIDTH + RIGHT + 'px')
            .attr('role', 'img').attr('aria-label', 'the life of each thread of A and of B');
        const g = svg.selectAll('g.thread').data(rows).join('g').attr('class', 'thread').attr('transform', (r, i) => `translate(0,${i * line})`);
        const wide = r => Math.max(x(r.end) - x(r.begin), 1);
        const bar = (c, width) => g.append('rect').attr('class', r => `${c} side-${r.side.toLowerCase()}`).attr('x', r => LEFT + x(r.begin)).attr('y', 2).attr('height', line - 4).attr('width', width);

        g.append('title').text(r => `${r.side}: ${r.thread}: ${page.time(r.end - r.begin)}, waited ${page.time(r.stall)}`);
        g.append('text').attr('x', LEFT - 8).attr('y', 12).attr('text-anchor', 'end').text(r => `${page.cut(r.thread, 40)} ${r.side}`);
        bar('lived', wide).attr('data-side', r => r.side).attr('data-from', r => r.begin).attr('data-to', r => r.end);
        bar('waiting', r => wide(r) * Math.min(1, r.stall / Math.max(r.end - r.begin, 1e-9)));
        axis(svg, x, rows.length * line + 2, page.time);
        if (all.length > rows.length) {
            box.append('p').attr('class', 'says').text(`The first ${rows.length} of ${all.length}.`);
        }
    }

    /* The objects of each recording by label. */
    const sides = () => page.inputs.slice(1, 3).map(i => new Map(page.recording(i).objects.map(o => [o.label, o])));
    const both = () => [...new Map([].concat(...page.inputs.slice(1, 3).map(i => page.metrics(i))).map(m => [m.name, m])).values()];

    function charts(box, input) {
        const two = sides(), metrics = both(), m = metrics.find(k => k.name === (choices.get(input) || {}).metric) || page.state(page.inputs[1]).metric || metrics[0];
        const all = input.pairs.map(p => p.map((label, i) => label && two[i].get(label))).filter(p => p.some(o => o && o.series[m.name])), rows = all.slice(0, 64);
        const of = (o, i) => o && o.series[m.name] ? { o, s: o.series[m.name], side: 'ab'[i] } : null;
        const shown = rows.map(p => p.map(of)), drawn = [].concat(...shown).filter(d => d), high = rows.length > 8 ? 44 : 90;
        const x = d3.scaleLinear().domain([0, d3.max(drawn, d => d.o.t[d.o.t.length - 1]) || 1]).range([0, WIDTH + RIGHT - 20]);
        const y = d3.scaleLinear().domain([0, d3.max(drawn, d => d3.max(d.s.v, (v, k) => page.mean(d.o, m, k))) || 1]).range([high, 4]).nice();

        page.choice(box, 'metric', metrics.map(k => [k.name, `${k.name}: ${k.text}`]), m.name, v => {
            choices.set(input, Object.assign({}, choices.get(input), { metric: v }));
            page.draw('axis');
        });
        legend(box);
        const svg = box.append('svg').attr('class', 'two-lines').attr('viewBox', `0 0 ${LEFT + WIDTH + RIGHT} ${rows.length * (high + 8) + 26}`)
            .style('max-width', LEFT + WIDTH + RIGHT + 'px').attr('role', 'img').attr('aria-label', `${m.name} of A and of B over time`);
        const g = svg.selectAll('g.chart').data(shown).join('g').attr('class', 'chart').attr('transform', (p, i) => `translate(0,${i * (high + 8)})`);

        g.append('text').attr('x', LEFT - 46).attr('y', high / 2).attr('text-anchor', 'end').text(p => page.cut((p[1] || p[0]).o.name, 46));
        g.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},0)`).call(d3.axisLeft(y).ticks(high / 20, 's'));
        g.selectAll('path.over').data(p => p.filter(d => d)).join('path').attr('class', d => 'over side-' + d.side).attr('d', d => {
            const points = d.s.v.map((v, k) => [d.o.t[k], page.mean(d.o, m, k)]);

            points.push([d.o.t[d.o.t.length - 1], points[points.length - 1][1]]);
            return d3.line().defined(p => p[1] !== null).curve(d3.curveStepAfter).x(p => LEFT + x(p[0])).y(p => y(p[1]))(points);
        }).attr('data-side', d => d.side).attr('data-to', d => d.o.t[d.o.t.length - 1]).append('title').text(d => `${d.side.toUpperCase()}: ${d.o.name}`);
        axis(svg, x, rows.length * (high + 8) + 2, v => amount(v, 's'));
        if (all.length > rows.length) {
            box.append('p').attr('class', 'says').text(`The first ${rows.length} of ${all.length} objects.`);
        }
    }

    page.view({
        id: 'axis', title: 'Time lines of both',
        applies: input => input.kind === 'difference' && (input.of === 'profile' ? input.threads.length > 0 : both().length > 0),
        says: input => input.of === 'profile' ? 'When each thread was seen first and last, from the begin of its command on, those of A and B on one axis. The darker part of a bar is its share of ' +
            'waiting for memory.' : 'The same metric of A and of B on one axis, in seconds from the start of each run, and on one scale. The other tabs have each of them alone, and zoom.',
        draw: (box, input) => input.of === 'profile' ? lives(box, input) : charts(box, input),
    });
}());
