// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bars that are made of parts, one below the other, with a legend.
 *
 *   page.bars(box, { keys, rows, unit, most, chosen, pick })
 *     keys   [{name, text}]: the parts, in their order from left to right
 *     rows   [{label, title, parts: {name: value}, text}]; text stands behind the bar instead of the sum
 *     unit   of the values; most: rows shown; pick(row): what a click does
 */
'use strict';
(function () {
    const LEFT = 300, WIDTH = 600, RIGHT = 200, ROW = 22; /* RIGHT: for the text behind the longest bar */
    const sum = r => d3.sum(Object.values(r.parts));

    function legend(box, keys, colour) {
        const item = box.append('ul').attr('class', 'legend').selectAll('li').data(keys).join('li').attr('title', k => k.text || null);

        item.append('span').attr('class', 'swatch').style('background', k => colour.get(k.name));
        item.append('span').text(k => k.name);
    }

    page.bars = function (box, o) {
        const rows = o.rows.slice(0, o.most || 40), greatest = d3.max(rows, sum) || 1;
        const keys = o.keys.filter(k => rows.some(r => r.parts[k.name] > 0)), colour = page.colours(keys.map(k => k.name));
        const x = d3.scaleLinear().domain([0, greatest]).range([0, WIDTH]);
        const height = rows.length * ROW + 24;

        if (keys.length > 1) {
            legend(box, keys, colour);
        }
        const svg = box.append('svg').attr('class', 'bars').attr('viewBox', `0 0 ${LEFT + WIDTH + RIGHT} ${height}`).attr('role', 'img')
            .attr('aria-label', o.label || 'bars').style('max-width', LEFT + WIDTH + RIGHT + 'px');
        const g = svg.selectAll('g.bar-row').data(rows).join('g').attr('class', 'bar-row').attr('transform', (r, i) => `translate(0,${i * ROW})`);

        g.append('text').attr('x', LEFT - 8).attr('y', 15).attr('text-anchor', 'end').text(r => page.cut(r.label, 46)).append('title').text(r => r.title || r.label);
        g.each(function (r) {
            let at = 0;

            keys.forEach(k => {
                const v = r.parts[k.name] || 0;

                if (v > 0) {
                    d3.select(this).append('rect').attr('x', LEFT + x(at)).attr('y', 3).attr('width', Math.max(x(v), .5)).attr('height', ROW - 6)
                        .attr('fill', colour.get(k.name)).attr('data-part', k.name).attr('data-value', v)
                        .append('title').text(`${r.label}: ${k.name} ${page.amount(v, o.unit)}, ${(100 * v / sum(r)).toFixed(1)} %${k.text ? '. ' + k.text : ''}`);
                }
                at += v;
            });
            d3.select(this).append('text').attr('x', LEFT + x(at) + 6).attr('y', 15).text(r.text || page.amount(sum(r), o.unit));
        });
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${rows.length * ROW + 2})`)
            .call(d3.axisBottom(x).ticks(6).tickFormat(v => o.unit === 'us' ? page.time(v) : page.short(v)));
        if (o.rows.length > rows.length) {
            box.append('p').attr('class', 'says').text(`The first ${rows.length} of ${o.rows.length}; the table below has all.`);
        }
        if (o.pick) {
            page.pickable(g.classed('pick', true), r => o.pick(r), r => r.label);
        }
    };

    /* What a click chooses, or Enter when it has the focus. */
    page.pickable = function (g, choose, name) {
        return g.attr('tabindex', 0).attr('role', 'button').attr('aria-label', name).on('click', choose).on('keydown', d => {
            if (d3.event.key === 'Enter' || d3.event.key === ' ') {
                d3.event.preventDefault();
                choose(d);
            }
        });
    };

    /* A choice above a drawing. options: [[value, text]]. */
    page.choice = function (box, name, options, value, change) {
        const row = box.select('p.choices').empty() ? box.append('p').attr('class', 'choices') : box.select('p.choices');
        const select = row.append('label').attr('class', 'choice').text(name + ' ').append('select');

        select.selectAll('option').data(options).join('option').attr('value', o => o[0]).text(o => o[1]);
        select.property('value', value).on('change', function () {
            change(this.value);
        });
        return select;
    };
}());
