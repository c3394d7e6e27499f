// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time lines of a recording: a chart for each object on one axis that zooms, with the moments of the program. A band shows what merging hid.
 * Two more metrics of the same unit can be drawn beside the first.
 */
'use strict';
(function () {
    const LEFT = 70, WIDTH = 1100, MOST = 130;
    const names = ['line', 'line second', 'line third'];

    /* The metrics to draw: the chosen one, and those beside it; null where there is none. */
    const lines = input => [page.state(input).metric, ...page.state(input).beside];
    const drawn = input => lines(input).filter(m => m);
    /* If there are few charts, they are higher. */
    const high = n => n <= 2 ? 170 : n <= 4 ? 110 : 56;
    const objects = input => page.recording(input).objects.filter(o => drawn(input).some(m => o.series[m.name]));

    function drawChart(svg, o, input, x, y) {
        const [from, to] = x.domain(), first = Math.max(0, page.at(o, from)), end = page.at(o, to), last = end < 0 ? o.t.length - 2 : end;

        lines(input).forEach((m, k) => {
            const s = m && o.series[m.name], path = svg.select('path.' + names[k].replace(' ', '.') + (k ? '' : ':not(.second):not(.third)')), points = [];

            if (!s) {
                path.attr('d', null);
                return;
            }
            const point = (t, i) => points.push([t, page.mean(o, m, i), (s.lo || s.v)[i], (s.hi || s.v)[i]]);
            for (let i = first; i <= last; i++) {
                point(o.t[i], i);
            }
            point(o.t[last + 1], last);
            const known = p => p[1] !== null, step = d3.curveStepAfter;
            path.attr('d', d3.line().defined(known).curve(step).x(p => x(p[0])).y(p => y(p[1]))(points));
            if (!k) {
                svg.select('.band').attr('d', s.hi ? d3.area().defined(known).curve(step).x(p => x(p[0])).y0(p => y(p[2])).y1(p => y(p[3]))(points) : null);
            }
        });
    }

    /* The labels in sight that do not lie on another. */
    function readable(moments, x) {
        let end = 0;

        return moments.filter(p => {
            const at = x(p.time), good = p.label && at >= end && at <= WIDTH;

            end = good ? at + 6 + 7 * p.label.length : end;
            return good;
        });
    }

    function redraw(box, input, y) {
        const state = page.state(input), x = d3.scaleLinear().domain(state.view).range([0, WIDTH]), moments = page.moments(input);

        box.selectAll('svg.chart').each(function (o) {
            const svg = d3.select(this);

            drawChart(svg, o, input, x, y);
            svg.select('.time').call(d3.axisBottom(x).ticks(10).tickFormat(t => +t.toFixed(6) + ' s'));
            const moment = svg.select('.moments').selectAll('line').data(moments).join('line').attr('class', p => p.label ? 'moment named' : 'moment').attr('y2', y.range()[0] + 2)
                .attr('x1', p => x(p.time)).attr('x2', p => x(p.time));
            moment.selectAll('title').data(p => [p.text]).join('title').text(t => t);
        });
        box.select('.marks').selectAll('text').data(readable(moments, x)).join('text').attr('x', p => x(p.time) + 3).attr('y', 11).text(p => p.label).append('title').text(p => p.text);
        drawNow(box, input, x);
    }

    function drawNow(box, input, x) {
        const state = page.state(input);

        box.selectAll('.now').attr('x1', x(state.time)).attr('x2', x(state.time)).attr('visibility', state.whole ? 'hidden' : 'visible');
    }

    /* The state of D3's zoom that shows what is in sight; all charts have the same. */
    function zoomed(input) {
        const [from, to] = page.recording(input).span, [a, b] = page.state(input).view, k = (to - from) / (b - a);

        return d3.zoomIdentity.scale(k).translate(-(a - from) / (to - from) * WIDTH, 0);
    }

    function charts(box, input, list, y, zoom) {
        const low = y.range()[0] + 2, height = (o, i) => low + (i === list.length - 1 ? 24 : 4);
        const svg = box.append('div').attr('class', 'charts').selectAll('svg').data(list).join('svg').attr('class', 'chart')
            .attr('viewBox', (o, i) => `0 0 ${LEFT + WIDTH + 10} ${height(o, i)}`).style('max-width', LEFT + WIDTH + 10 + 'px')
            .attr('role', 'img').attr('aria-label', o => o.label + ' ' + o.name);

        svg.append('title').text(o => o.name);
        svg.append('text').attr('class', 'name').attr('x', 4).attr('y', 16).text(o => o.label);
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},0)`).call(d3.axisLeft(y).ticks(low / 20, 's'));
        svg.filter((o, i) => i === list.length - 1).append('g').attr('class', 'axis time').attr('transform', `translate(${LEFT},${low})`);
        const plot = svg.append('svg').attr('x', LEFT).attr('width', WIDTH).attr('height', low);
        plot.append('rect').attr('width', WIDTH).attr('height', low).attr('fill', 'transparent');
        ['band', ...names].forEach(c => plot.append('path').attr('class', c));
        plot.append('g').attr('class', 'moments');
        plot.append('line').attr('class', 'now').attr('y2', low);
        plot.call(zoom).property('__zoom', zoomed(input)).on('dblclick.zoom', null).on('click', function () {
            page.setTime(d3.scaleLinear().domain(page.state(input).view).range([0, WIDTH]).invert(d3.mouse(this)[0]));
        });
    }

    page.view({
        id: 'lines', title: 'Time lines', on: ['metric'],
        applies: input => page.recording(input) !== null,
        says: input => {
            const m = page.state(input).metric, all = objects(input), merged = d3.max(all, o => o.merged);

            return `${m.name} (${m.text}), ${page.unitName(m)}. The wheel or a pinch zooms, dragging moves, a click sets the time. Dotted lines mark moments of the program: ` +
                'point at one to read which.' + (merged > 1 ? ` Up to ${merged} intervals are merged: the line is their mean, the band their least and greatest.` : '') +
                (all.length > MOST ? ` The first ${MOST} of ${all.length} objects are drawn.` : '');
        },
        draw(box, input) {
            const state = page.state(input), list = objects(input).slice(0, MOST), span = page.recording(input).span;
            const greatest = d3.max(drawn(input), m => page.greatest(input, m)) || 1;
            const y = d3.scaleLinear().domain([0, greatest]).range([high(list.length), 4]).nice(), all = d3.scaleLinear().domain(span).range([0, WIDTH]);
            const zoom = d3.zoom().scaleExtent([1, 5000]).translateExtent([[0, 0], [WIDTH, 1]]).extent([[0, 0], [WIDTH, 1]])
                .on('zoom', () => page.setView(d3.event.transform.rescaleX(all).domain()));
            const same = page.metrics(input).filter(m => m !== state.metric && m.unit === state.metric.unit);

            ['beside it, orange', 'and green'].slice(0, same.length).forEach((text, i) => {
                const now = state.beside[i];

                page.choice(box, text, [['', 'nothing']].concat(same.map(m => [m.name, `${m.name}: ${m.text}`])), now ? now.name : '', name => {
                    state.beside[i] = same.find(m => m.name === name) || null;
                    page.changed('metric');
                });
            });
            if (page.moments(input).some(p => p.label)) {
                box.append('svg').attr('class', 'marks-row').attr('viewBox', `0 0 ${LEFT + WIDTH + 10} 14`).style('max-width', LEFT + WIDTH + 10 + 'px')
                    .append('g').attr('class', 'marks').attr('transform', `translate(${LEFT},0)`);
            }
            charts(box, input, list, y, zoom);
            redraw(box, input, y);
            this.y = y;
        },
        /* Only the axis or the chosen time has moved: the rest stays as it was drawn. */
        change(what, box, input) {
            if (what === 'view') {
                box.selectAll('svg.chart > svg').property('__zoom', zoomed(input));
                redraw(box, input, this.y);
            } else if (what === 'time') {
                drawNow(box, input, d3.scaleLinear().domain(page.state(input).view).range([0, WIDTH]));
            }
        },
    });

    page.view({
        id: 'moments', title: 'Moments', on: ['view'],
        applies: input => page.recording(input) !== null && page.moments(input).length > 0,
        says: () => 'When regions of interest began and ended, when a barrier opened, and when threads began and ended. Seconds from the start of the run.',
        draw: () => {},
        table: input => ({
            columns: [{ name: 'time', unit: 's', text: 'from the start of the run' }, { name: 'moment', text: 'what began or ended' }],
            rows: page.moments(input).map(p => [p.time, p.text]),
        }),
    });
}());
