// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the time of processors went, and when threads lived. */
'use strict';
(function () {
    const choices = page.choices();
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

    const shown = {
        waits: ['the command: its waits', 'waits', () => true],
        awake: ['the machine since it was switched on, without idle time', 'time', n => n !== 'idle'],
        all: ['the machine since it was switched on', 'time', () => true],
        modes: ['the machine by user, kernel and interrupts, since its first switch between threads', 'modes', () => true],
        running: ['the same without idle time', 'modes', n => n !== 'idle'],
    };

    /* What is chosen: { by, what }. */
    const chosen = input => Object.assign({ by: page.rows(input, 'time').length > 32 ? 'node' : 'cpu', what: 'waits' }, choices.get(input));

    page.view({
        id: 'time', title: 'Time of the processors',
        applies: input => page.rows(input, 'time').length > 0,
        says: () => 'What each processor waited for the command by the part of the memory system, or how all of its time splits, in microseconds: busy is instructions at one a ' +
            'cycle, the rest waits. Busy and idle time have no thread, so they are known of the machine only.',
        draw(box, input) {
            const { by, what } = chosen(input), [, table, keep] = shown[what];
            const columns = page.table(input, table).columns.slice(2).filter(c => keep(c.name));
            const again = (key, value) => {
                choices.set(input, Object.assign(chosen(input), { [key]: value }));
                page.draw('time');
            };

            page.choice(box, 'by', [['cpu', 'processor'], ['node', 'node']], by, v => again('by', v));
            page.choice(box, 'of', Object.entries(shown).filter(([, s]) => page.table(input, s[1])).map(([k, s]) => [k, s[0]]), what, v => again('what', v));
            page.bars(box, {
                label: 'parts of the time', unit: 'us', most: 128, keys: columns,
                rows: grouped(page.rows(input, table), labels[by], columns.map(c => c.name)),
            });
        },
        table: input => page.table(input, shown[chosen(input).what][1]),
    });

    page.view({
        id: 'regions', title: 'Regions of interest',
        applies: input => page.rows(input, 'regions').length > 0,
        says: () => 'What the command waited in each region that the program marked, without the regions in it, in microseconds of processor time. ' +
            'origin report --html FILE --region NAME DIR makes a page of one region.',
        draw: (box, input) => page.bars(box, {
            label: 'stall of each region', unit: 'us', keys: [{ name: 'stall' }],
            rows: page.rows(input, 'regions').map(r => ({ label: r.name || '?', parts: { stall: r.stall } })),
        }),
        table: input => page.table(input, 'regions'),
    });

    const LEFT = 220, WIDTH = 860, ROW = 20;

    page.view({
        id: 'threads', title: 'Threads',
        applies: input => page.rows(input, 'threads').length > 0,
        says: () => 'When each thread of the command was seen first and last, since the machine was switched on. The darker part of a bar is its share of waiting for memory.',
        draw(box, input) {
            const all = page.rows(input, 'threads').sort((a, b) => a.begin - b.begin || a.tid - b.tid), rows = all.slice(0, 64), height = rows.length * ROW + 24;
            const end = d3.max(rows, r => r.end), x = d3.scaleLinear().domain([d3.min(rows, r => r.begin), end]).range([0, WIDTH]);
            const [unit, us] = end >= 1e6 ? ['s', 1e6] : end >= 1e3 ? ['ms', 1e3] : ['us', 1];
            const svg = box.append('svg').attr('viewBox', `0 0 ${LEFT + WIDTH + 20} ${height}`).style('max-width', LEFT + WIDTH + 20 + 'px').attr('role', 'img')
                .attr('aria-label', 'the life of each thread');
            const g = svg.selectAll('g.thread').data(rows).join('g').attr('class', 'thread').attr('transform', (r, i) => `translate(0,${i * ROW})`);
            const wide = r => Math.max(x(r.end) - x(r.begin), 1);

            g.append('title').text(r => `${r.thread}:${r.tid} of process ${r.pid}: ${page.time(r.end - r.begin)}, waited ${page.time(r.stall)} for ${r.count} transactions`);
            g.append('text').attr('x', LEFT - 8).attr('y', 14).attr('text-anchor', 'end').text(r => page.cut(`${r.thread}:${r.tid}`, 32));
            g.append('rect').attr('class', 'life').attr('x', r => LEFT + x(r.begin)).attr('y', 3).attr('height', ROW - 6).attr('width', wide);
            g.append('rect').attr('class', 'waited').attr('x', r => LEFT + x(r.begin)).attr('y', 3).attr('height', ROW - 6)
                .attr('width', r => wide(r) * Math.min(1, r.stall / Math.max(r.end - r.begin, 1e-9)));
            svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${rows.length * ROW + 2})`).call(d3.axisBottom(x).ticks(8).tickFormat(v => `${+(v / us).toFixed(6)} ${unit}`));
            if (all.length > rows.length) {
                box.append('p').attr('class', 'says').text(`The first ${rows.length} of ${all.length}.`);
            }
        },
        table: input => page.table(input, 'threads'),
    });

}());
