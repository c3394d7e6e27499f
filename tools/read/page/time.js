// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the time of processors went, and when threads lived. */
'use strict';
(function () {
    const choices = new WeakMap();
    const labels = { cpu: r => `cpu ${r.cpu} (node ${r.node})`, node: r => `node ${r.node}` };

    /* Sums of rows that agree in by(row). */
    function grouped(rows, by, names) {
        const groups = new Map();

        rows.forEach(r => {
            const g = groups.get(by(r)) || { label: by(r), parts: {} };

            names.forEach(n => { g.parts[n] = (g.parts[n] || 0) + r[n]; });
            groups.set(by(r), g);
        });
        return [...groups.values()];
    }

    page.view({
        id: 'time', title: 'Time of the processors',
        applies: input => page.rows(input, 'time').length > 0,
        says: () => 'How each processor\'s time splits since the machine was switched on, in microseconds: busy is instructions at one a cycle, the rest waits. ' +
            'Without idle time, the parts of what waited can be told apart.',
        draw(box, input) {
            const names = page.table(input, 'time').columns.slice(2).map(c => c.name);
            const chosen = choices.get(input) || { by: page.rows(input, 'time').length > 32 ? 'node' : 'cpu', what: 'awake' };
            const keep = { all: () => true, awake: n => n !== 'idle', waits: n => n !== 'idle' && n !== 'busy' };
            const again = (key, value) => {
                choices.set(input, Object.assign(chosen, { [key]: value }));
                page.draw('time');
            };
            const shown = names.filter(keep[chosen.what]), text = page.table(input, 'time').columns;

            page.choice(box, 'by', [['cpu', 'processor'], ['node', 'node']], chosen.by, v => again('by', v));
            page.choice(box, 'parts', [['all', 'all'], ['awake', 'without idle'], ['waits', 'waits only']], chosen.what, v => again('what', v));
            page.bars(box, {
                label: 'parts of the time', unit: 'us', most: 128, keys: text.filter(c => shown.includes(c.name)),
                rows: grouped(page.rows(input, 'time'), labels[chosen.by], shown),
            });
        },
        table: input => page.table(input, 'time'),
    });

    const LEFT = 220, WIDTH = 860, ROW = 20;

    page.view({
        id: 'threads', title: 'Threads',
        applies: input => page.rows(input, 'threads').length > 0,
        says: () => 'When each thread of the command was seen first and last, in seconds since the machine was switched on. The darker part of a bar is its share of waiting for memory.',
        draw(box, input) {
            const all = page.rows(input, 'threads').sort((a, b) => a.begin - b.begin || a.tid - b.tid), rows = all.slice(0, 64), height = rows.length * ROW + 24;
            const x = d3.scaleLinear().domain([d3.min(rows, r => r.begin), d3.max(rows, r => r.end)]).range([0, WIDTH]);
            const svg = box.append('svg').attr('viewBox', `0 0 ${LEFT + WIDTH + 20} ${height}`).style('max-width', LEFT + WIDTH + 20 + 'px').attr('role', 'img')
                .attr('aria-label', 'the life of each thread');
            const g = svg.selectAll('g.thread').data(rows).join('g').attr('class', 'thread').attr('transform', (r, i) => `translate(0,${i * ROW})`);
            const wide = r => Math.max(x(r.end) - x(r.begin), 1);

            g.append('title').text(r => `${r.thread}:${r.tid} of process ${r.pid}: ${page.time(r.end - r.begin)}, waited ${page.time(r.stall)} for ${r.count} transactions`);
            g.append('text').attr('x', LEFT - 8).attr('y', 14).attr('text-anchor', 'end').text(r => page.cut(`${r.thread}:${r.tid}`, 32));
            g.append('rect').attr('class', 'life').attr('x', r => LEFT + x(r.begin)).attr('y', 3).attr('height', ROW - 6).attr('width', wide);
            g.append('rect').attr('class', 'waited').attr('x', r => LEFT + x(r.begin)).attr('y', 3).attr('height', ROW - 6)
                .attr('width', r => wide(r) * Math.min(1, r.stall / Math.max(r.end - r.begin, 1e-9)));
            svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${rows.length * ROW + 2})`).call(d3.axisBottom(x).ticks(8).tickFormat(v => +(v / 1e6).toFixed(6) + ' s'));
            if (all.length > rows.length) {
                box.append('p').attr('class', 'says').text(`The first ${rows.length} of ${all.length}.`);
            }
        },
        table: input => page.table(input, 'threads'),
    });

    page.grouped = grouped;
}());
