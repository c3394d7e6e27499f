// SPDX-License-Identifier: GPL-2.0-or-later
/* Who asks whom: node of the processor x home of the memory. */
'use strict';
(function () {
    const choices = page.choices(), LEFT = 60, TOP = 34;
    const measures = {
        count: ['transactions', 'transactions', r => r.count],
        stall: ['time waited', 'us', r => r.stall],
        mean: ['mean wait of a transaction', 'ns', r => 1e3 * r.stall / r.count],
    };

    page.view({
        id: 'matrix', title: 'Nodes and homes',
        applies: input => page.rows(input, 'matrix').length > 0,
        says: () => 'Each row is a node whose processors missed, each column the node that is the home of the memory. On the diagonal, memory is local. ' +
            'A light column is a hot node: spread its pages. A light field off the diagonal is memory that should move: see the page map.',
        draw(box, input) {
            const what = choices.get(input) || 'stall', [, unit, value] = measures[what], rows = page.rows(input, 'matrix'), n = input.nodes;
            const size = Math.max(9, Math.min(46, Math.floor(620 / n))), greatest = d3.max(rows, value), colour = page.scale(greatest);

            page.choice(box, 'show', Object.entries(measures).map(([k, m]) => [k, `${m[0]}, ${m[1]}`]), what, v => {
                choices.set(input, v);
                page.draw('matrix');
            });
            const svg = box.append('svg').attr('viewBox', `0 0 ${LEFT + n * size + 10} ${TOP + n * size + 10}`).style('width', LEFT + n * size + 10 + 'px').style('max-width', '100%')
                .attr('role', 'img').attr('aria-label', 'node x home');
            const axis = d3.range(n).filter(i => size >= 14 || i % 4 === 0);

            svg.append('text').attr('x', LEFT).attr('y', 12).text('home \u2192');
            svg.append('text').attr('x', 4).attr('y', TOP - 6).text('node \u2193');
            svg.selectAll('text.column').data(axis).join('text').attr('class', 'column').attr('x', i => LEFT + (i + .5) * size).attr('y', TOP - 6).attr('text-anchor', 'middle').text(i => i);
            svg.selectAll('text.row').data(axis).join('text').attr('class', 'row').attr('x', LEFT - 6).attr('y', i => TOP + (i + .5) * size + 4).attr('text-anchor', 'end').text(i => i);
            svg.append('rect').attr('class', 'module').attr('x', LEFT).attr('y', TOP).attr('width', n * size).attr('height', n * size);
            const g = svg.selectAll('g.field').data(rows).join('g').attr('class', 'field').attr('transform', r => `translate(${LEFT + r.home * size},${TOP + r.node * size})`);
            g.append('rect').attr('width', size - 1).attr('height', size - 1).attr('fill', r => colour(value(r))).attr('data-node', r => r.node).attr('data-home', r => r.home).attr('data-value', value);
            if (size >= 34) {
                g.append('text').attr('x', size / 2).attr('y', size / 2 + 4).attr('text-anchor', 'middle').style('fill', r => page.ink(colour(value(r)))).text(r => page.short(value(r)));
            }
            g.append('title').text(r => `node ${r.node} with home ${r.home}` + (page.unknown(r.hops) ? '' : `, ${r.hops} hops`) + `: ${r.count} transactions, ${page.time(r.stall)} waited`);
            box.append('p').attr('class', 'says').text(`From 0 (dark) to ${page.amount(greatest, unit)} (light). Empty: none.`);
        },
        table: input => page.table(input, 'matrix'),
    });
}());
