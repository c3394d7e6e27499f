// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page that snreport writes: draws the data of element #data with D3.
 *
 *   machine    modules, nodes, routers, links; a node's colour is the chosen metric; a click shows all metrics
 *   overview   one row for each object, time from left to right, colour is the metric
 *   lines      one chart for each object on one axis that zooms; a band shows what merging hid
 *   functions  samples of threads
 *   table      the intervals in sight; sorts, filters, copies
 *
 * All text from the trace is set as text, never as markup. Times are seconds from the start of the run.
 *
 * originPage(data) draws and returns { update(data) }, which draws other data and keeps what the reader has chosen. The live view
 * (live.js) calls both; a report draws what it has.
 */
'use strict';
function originPage(data) {
    let objects, metrics, span, byPath, phases;

    take();
    const state = { metric: null, whole: true, time: span[0], view: span.slice(), chosen: null, sort: 'time', up: true };
    const $ = id => document.getElementById(id);

    function take() {
        objects = joined(data.objects);
        metrics = data.metrics.filter(m => m.name !== 'cpuid');
        span = [d3.min(objects, o => o.t[0]), d3.max(objects, o => o.t[o.t.length - 1])];
        byPath = new Map(objects.filter(o => o.kind !== 'thread').map(o => [o.name, o]));
        phases = [...new Set(objects.filter(o => o.kind === 'thread').reduce((a, o) => a.concat([o.t[0], o.t[o.t.length - 1]]), []))];
    }

    /* Parts of one object from several files become one object, in the order of time. */
    function joined(parts) {
        const by = new Map();

        parts.filter(p => p.t.length > 1).forEach(p => {
            const o = by.get(p.label);

            if (!o) {
                by.set(p.label, p);
                return;
            }
            const gap = o.t[o.t.length - 1] < p.t[0];
            const before = o.t.length - 1, after = p.t.length - 1;

            new Set([...Object.keys(o.series), ...Object.keys(p.series)]).forEach(name => {
                const join = key => {
                    const a = o.series[name] || {}, b = p.series[name] || {};
                    const left = a[key] || a.v || new Array(before).fill(null), right = b[key] || b.v || new Array(after).fill(null);

                    return left.concat(gap ? [null] : [], right);
                };
                o.series[name] = { v: join('v'), lo: join('lo'), hi: join('hi') };
            });
            o.t = gap ? o.t.concat(p.t) : o.t.slice(0, -1).concat(p.t);
            o.merged = Math.max(o.merged, p.merged);
        });
        return [...by.values()];
    }

    function say(v, unit) {
        if (v === null || v === undefined) {
            return '-';
        }
        return unit === 'percent' ? v.toFixed(3) : Number.isInteger(v) ? String(v) : String(+v.toPrecision(6));
    }

    /* The interval of o that contains time t, or -1. */
    function at(o, t) {
        const i = d3.bisectRight(o.t, t) - 1;

        return i < 0 || i > o.t.length - 2 ? (t === o.t[o.t.length - 1] ? o.t.length - 2 : -1) : i;
    }

    /* A metric over all of o: the mean for rates, the sum for counts, both weighted by what is known. */
    function total(o, m) {
        const s = o.series[m.name];
        let sum = 0, weight = 0;

        if (!s) {
            return null;
        }
        s.v.forEach((v, i) => {
            if (v !== null) {
                const dt = o.t[i + 1] - o.t[i];

                sum += m.unit === 'percent' ? v * dt : v;
                weight += dt;
            }
        });
        return !weight ? null : m.unit === 'percent' ? sum / weight : sum;
    }

    function value(o, m) {
        if (!o || !o.series[m.name]) {
            return null;
        }
        const i = at(o, state.time);

        return state.whole ? total(o, m) : i < 0 ? null : o.series[m.name].v[i];
    }

    /* What one interval of a merged one had on the average. A count of a merged interval is the sum, a rate is the mean already. */
    function mean(o, m, i) {
        const s = o.series[m.name];

        if (!s.lo || s.v[i] === null || s.lo[i] === null) {
            return s.v[i];
        }
        return Math.min(s.hi[i], Math.max(s.lo[i], m.unit === 'percent' ? s.v[i] : s.v[i] / o.merged));
    }

    const have = m => objects.filter(o => o.series[m.name]);
    const unit = m => m.unit === 'percent' ? '%' : 'counts';

    /* From 0 to the greatest value, but at least to 1: values next to nothing stay dark. */
    function scale(greatest) {
        return d3.scaleSequential(d3.interpolateCividis).domain([0, Math.max(greatest, 1)]);
    }

    /* --- the machine --- */

    const W = 150, H = 168, GX = 44, GY = 40;

    /* Modules in squares of four, in the order of their numbers; routers of the meta rack in a row below. */
    function places(machine) {
        const modules = [...new Set(machine.nodes.map(n => n.module))], corner = new Map(), centre = new Map();

        modules.forEach((m, i) => corner.set(m, [20 + (Math.floor(i / 4) * 2 + i % 2) * (W + GX), 20 + (Math.floor(i / 2) % 2) * (H + GY)]));
        const width = Math.max(420, 40 + d3.max([...corner.values()], c => c[0]) + W);
        const height = 40 + d3.max([...corner.values()], c => c[1]) + H;
        machine.nodes.forEach(n => {
            const [x, y] = corner.get(n.module);

            centre.set(n.path, [x + (n.slot % 2 ? 38 : W - 38), y + (n.slot <= 2 ? 43 : H - 25)]);
        });
        const meta = machine.routers.filter(r => r.meta);
        machine.routers.forEach(r => {
            const [x, y] = corner.get(r.module) || [0, 0];

            centre.set(r.path, r.meta ? [width * (2 * meta.indexOf(r) + 1) / (2 * meta.length), height + 30] : [x + W / 2, y + (r.slot === 1 ? 82 : 114)]);
        });
        return { corner, centre, width, height: height + (meta.length ? 70 : 20) };
    }

    function curve(a, b, first) {
        const far = a[1] === b[1] && Math.abs(a[0] - b[0]) > W + GX;
        const mx = (a[0] + b[0]) / 2 + (a[0] === b[0] && Math.abs(a[1] - b[1]) > 40 ? (first ? 90 : -90) : 0);
        const my = (a[1] + b[1]) / 2 + (far ? (first ? -110 : 110) : 0);

        return `M${a[0]} ${a[1]}Q${mx} ${my} ${b[0]} ${b[1]}`;
    }

    const portName = (path, port) => path + ':' + port;

    function drawMachine() {
        const machine = data.machine, m = state.metric;
        const nodes = d3.max(objects.filter(o => o.kind === 'node'), o => value(o, m)) || 0;
        const ports = d3.max(objects.filter(o => o.kind === 'port'), o => value(o, m)) || 0;
        const colour = scale(Math.max(nodes, ports));

        $('machine-says').textContent = `Colour: ${m.name} (${m.text}), ${unit(m)}, ` +
            (state.whole ? 'over the whole run' : `in the interval at ${state.time.toFixed(3)} s`) +
            `; from 0 to ${say(Math.max(nodes, ports), m.unit)}. Grey: not sampled. Click a node, a router or a cable to see its counters.`;
        if (!machine) {
            $('machine-says').textContent = 'The description of this machine was not given (origin report -m MACHINE), so its nodes stand in a row. ' + $('machine-says').textContent;
        }
        const shape = machine || rowOfNodes();
        const p = places(shape);
        const svg = d3.select('#picture').html('').append('svg').attr('viewBox', `0 0 ${p.width} ${p.height}`)
            .attr('role', 'img').attr('aria-label', 'the machine');

        p.corner.forEach(([x, y], module) => {
            svg.append('rect').attr('class', 'module').attr('x', x).attr('y', y).attr('width', W).attr('height', H).attr('rx', 8);
            svg.append('text').attr('x', x + W / 2).attr('y', y + 15).attr('text-anchor', 'middle').text('module ' + module);
        });
        drawCables(svg, shape, p, colour, m);
        pickable(svg.selectAll('g.node').data(shape.nodes).join('g').attr('class', 'node'), n => n.path, n => n.path)
            .each(function (n, i) {
                const [x, y] = p.centre.get(n.path), v = value(byPath.get(n.path), m), g = d3.select(this);

                g.append('rect').attr('x', x - 28).attr('y', y - 17).attr('width', 56).attr('height', 34).attr('rx', 3)
                    .attr('fill', v === null ? 'var(--line)' : colour(v)).attr('data-value', v === null ? '' : v);
                g.append('text').attr('x', x).attr('y', y - 2).attr('text-anchor', 'middle')
                    .style('fill', v === null ? null : ink(colour(v))).text('n' + i);
                g.append('text').attr('x', x).attr('y', y + 11).attr('text-anchor', 'middle')
                    .style('fill', v === null ? null : ink(colour(v))).text(v === null ? '-' : short(v));
            });
        pickable(svg.selectAll('g.router').data(shape.routers).join('g').attr('class', 'router'), r => r.path, r => r.path)
            .each(function (r) {
                const [x, y] = p.centre.get(r.path), g = d3.select(this);

                g.append('circle').attr('cx', x).attr('cy', y).attr('r', 13).attr('fill', 'var(--panel)');
                g.append('text').attr('x', x).attr('y', y + 4).attr('text-anchor', 'middle').text((r.meta ? 'm' : 'r') + r.slot);
            });
        drawDetail();
    }

    const short = v => Math.abs(v) >= 1000 ? d3.format('.3s')(v) : String(+v.toPrecision(3));
    const ink = c => d3.lab(c).l > 55 ? '#000' : '#fff';

    /* Nodes of the trace, four a module, where there is no description. */
    function rowOfNodes() {
        const nodes = objects.filter(o => o.kind === 'node').map(o => {
            const m = /module\/(\d+)\/slot\/n(\d+)/.exec(o.name);

            return { path: o.name, module: m ? +m[1] : 0, slot: m ? +m[2] : 1 };
        });

        return { nodes, routers: [], links: [] };
    }

    function drawCables(svg, shape, p, colour, m) {
        const g = svg.selectAll('g.cable').data(shape.links).join('g').attr('class', 'cable');

        pickable(g, l => portName(l.a, l.aport) + '|' + portName(l.b, l.bport), l => `link ${l.a} to ${l.b}`);
        g.each(function (l) {
            const a = p.centre.get(l.a), b = p.centre.get(l.b), first = l.a.includes('/r1/');
            const seen = [byPath.get(portName(l.a, l.aport)), byPath.get(portName(l.b, l.bport))].filter(o => o);
            const v = d3.max(seen, o => value(o, m)), known = v !== undefined && v !== null;
            const d = l.cm ? curve(a, b, first) : `M${a[0]} ${a[1]}L${b[0]} ${b[1]}`;

            d3.select(this).append('path').attr('class', 'hit').attr('d', d);
            d3.select(this).append('path').attr('d', d).attr('stroke', known ? colour(v) : 'var(--line)').attr('stroke-width', known ? 4 : 2);
        });
    }

    /* What can be chosen by a click, or by Enter when it has the focus. */
    function pickable(g, key, name) {
        const choose = d => {
            state.chosen = key(d);
            d3.selectAll('.chosen').classed('chosen', false);
            mark();
            drawDetail();
        };
        const mark = () => g.classed('chosen', d => key(d) === state.chosen);

        g.attr('tabindex', 0).attr('role', 'button').attr('aria-label', name).on('click', choose)
            .on('keydown', d => {
                if (d3.event.key === 'Enter' || d3.event.key === ' ') {
                    d3.event.preventDefault();
                    choose(d);
                }
            });
        g.append('title').text(name);
        mark();
        return g;
    }

    function drawDetail() {
        const box = d3.select('#detail').html('');

        if (!state.chosen) {
            box.append('p').text('Nothing is chosen.');
            return;
        }
        state.chosen.split('|').forEach(path => {
            const o = byPath.get(path);

            box.append('h3').text(o ? o.label + ' ' : '').append('code').text(path);
            if (!o) {
                box.append('p').text('The trace has no samples of it.');
                return;
            }
            const table = box.append('table');
            metrics.filter(m => o.series[m.name]).forEach(m => {
                const tr = table.append('tr').attr('title', m.text);

                tr.append('td').text(m.name);
                tr.append('td').attr('data-metric', m.name).text(say(value(o, m), m.unit));
            });
            box.append('p').attr('class', 'says').text(state.whole ? 'Sums of counts and means of per cents over the whole run.' : 'The interval at ' + state.time.toFixed(3) + ' s.');
        });
    }

    /* --- overview: a row of colours for each object --- */

    const LEFT = 70, WIDTH = 1100;
    const x = d3.scaleLinear().domain(span).range([0, WIDTH]);

    function drawOverview() {
        const m = state.metric, list = have(m), row = Math.max(4, Math.min(16, Math.floor(640 / list.length)));
        const greatest = d3.max(list, o => d3.max((o.series[m.name].hi || o.series[m.name].v)));
        const colour = scale(greatest), box = d3.select('#overview').html('');
        const width = LEFT + WIDTH, height = list.length * row + 24;
        const canvas = box.append('canvas').attr('width', width).attr('height', height).style('width', '100%').style('max-width', width + 'px')
            .attr('role', 'img').attr('aria-label', 'values of all objects over time').node();
        const ctx = canvas.getContext('2d'), style = getComputedStyle(document.body);

        $('overview-says').textContent = `${m.name} (${m.text}), ${unit(m)}, of each object from left to right; dark is 0, light is ${say(greatest, m.unit)}. ` +
            'Merged intervals show their greatest value. Click to set the time.';
        ctx.font = '11px sans-serif';
        list.forEach((o, r) => {
            const s = o.series[m.name], v = s.hi || s.v;

            ctx.fillStyle = style.color;
            if (row >= 10) {
                ctx.fillText(o.label, 4, r * row + row - 3);
            }
            v.forEach((value, i) => {
                const a = x(o.t[i]), b = x(o.t[i + 1]);

                if (value !== null && b > 0 && a < WIDTH) {
                    ctx.fillStyle = colour(value);
                    ctx.fillRect(LEFT + Math.max(a, 0), r * row, Math.max(Math.min(b, WIDTH) - Math.max(a, 0), .7), row - (row > 6 ? 1 : 0));
                }
            });
        });
        ctx.fillStyle = style.color;
        x.ticks(8).forEach(t => ctx.fillText(t + ' s', LEFT + x(t), height - 6));
        canvas.onclick = e => {
            const r = canvas.getBoundingClientRect();

            setTime(x.invert((e.clientX - r.left) * width / r.width - LEFT));
        };
    }

    /* --- time lines --- */

    function drawLines() {
        const m = state.metric, list = have(m).slice(0, 130), box = d3.select('#lines').html('');
        const greatest = d3.max(list, o => d3.max(o.series[m.name].hi || o.series[m.name].v)) || 1;
        const y = d3.scaleLinear().domain([0, greatest]).range([56, 4]).nice();
        const merged = d3.max(list, o => o.merged);

        $('lines-says').textContent = `${m.name} (${m.text}), ${unit(m)}. The wheel or a pinch zooms, dragging moves, a click sets the time. ` +
            'Dotted: a thread begins or ends.' + (merged > 1 ? ` Up to ${merged} intervals are merged: the line is their mean, the band their least and greatest; other values are those of the merged interval.` : '');
        const svg = box.selectAll('svg').data(list).join('svg').attr('viewBox', (o, i) => `0 0 ${LEFT + WIDTH + 10} ${i === list.length - 1 ? 82 : 62}`)
            .style('max-width', LEFT + WIDTH + 10 + 'px').style('display', 'block').attr('role', 'img').attr('aria-label', o => o.label + ' ' + o.name);
        svg.append('title').text(o => o.name);
        svg.append('text').attr('x', 4).attr('y', 16).text(o => o.label);
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},0)`).call(d3.axisLeft(y).ticks(3, 's'));
        svg.filter((o, i) => i === list.length - 1).append('g').attr('class', 'axis time').attr('transform', `translate(${LEFT},58)`);
        const plot = svg.append('svg').attr('x', LEFT).attr('width', WIDTH).attr('height', 58);
        plot.append('rect').attr('width', WIDTH).attr('height', 58).attr('fill', 'transparent');
        plot.append('path').attr('class', 'band');
        plot.append('path').attr('class', 'line');
        plot.append('g').attr('class', 'phases');
        plot.append('line').attr('class', 'now').attr('y2', 58);
        const zoom = d3.zoom().scaleExtent([1, 5000]).translateExtent([[0, 0], [WIDTH, 58]]).extent([[0, 0], [WIDTH, 58]])
            .on('zoom', () => zoomTo(d3.event.transform.rescaleX(d3.scaleLinear().domain(span).range([0, WIDTH])).domain()));
        plot.call(zoom).on('dblclick.zoom', null).on('click', function () {
            setTime(x.invert(d3.mouse(this)[0]));
        });
        redrawLines(y);
        drawLines.y = y;
    }

    function redrawLines(y) {
        const m = state.metric;

        d3.selectAll('#lines > svg').each(function (o) {
            const s = o.series[m.name], box = d3.select(this);
            const first = Math.max(0, at(o, state.view[0])), end = at(o, state.view[1]), last = end < 0 ? o.t.length - 2 : end;
            const points = [];

            for (let i = first; i <= last; i++) {
                points.push([o.t[i], mean(o, m, i), (s.lo || s.v)[i], (s.hi || s.v)[i]]);
            }
            points.push([o.t[last + 1], mean(o, m, last), (s.lo || s.v)[last], (s.hi || s.v)[last]]);
            const known = p => p[1] !== null;
            box.select('.line').attr('d', d3.line().defined(known).curve(d3.curveStepAfter).x(p => x(p[0])).y(p => y(p[1]))(points));
            box.select('.band').attr('d', s.hi ? d3.area().defined(known).curve(d3.curveStepAfter).x(p => x(p[0])).y0(p => y(p[2])).y1(p => y(p[3]))(points) : null);
            box.select('.time').call(d3.axisBottom(x).ticks(10).tickFormat(t => +t.toFixed(6) + ' s'));
            box.select('.phases').selectAll('line').data(phases).join('line').attr('class', 'phase').attr('y2', 58).attr('x1', t => x(t)).attr('x2', t => x(t));
        });
        drawNow();
    }

    function drawNow() {
        d3.selectAll('.now').attr('x1', x(state.time)).attr('x2', x(state.time)).attr('visibility', state.whole ? 'hidden' : 'visible');
    }

    function zoomTo(domain) {
        state.view = [Math.max(span[0], domain[0]), Math.min(span[1], domain[1])];
        x.domain(state.view);
        redrawLines(drawLines.y);
        drawOverview();
        drawTable();
    }

    /* --- tables --- */

    const MOST = 2000; /* rows on the page; the copy has all */

    function tableRows() {
        const word = $('filter').value.trim().toLowerCase(), found = [];

        objects.filter(o => !word || (o.label + ' ' + o.kind + ' ' + o.name).toLowerCase().includes(word)).forEach(o => {
            for (let i = 0; i + 1 < o.t.length; i++) {
                if (o.t[i + 1] > state.view[0] && o.t[i] < state.view[1]) {
                    found.push({ o, i });
                }
            }
        });
        const key = r => state.sort === 'time' ? r.o.t[r.i] : state.sort === 'loc' ? r.o.label : (r.o.series[state.sort] || { v: [] }).v[r.i];
        return found.sort((a, b) => {
            const p = key(a), q = key(b);
            const unknown = v => v === null || v === undefined;

            if (unknown(p) || unknown(q)) {
                return unknown(p) - unknown(q);
            }
            return (state.up ? 1 : -1) * (typeof p === 'string' ? p.localeCompare(q, 'en', { numeric: true }) : p - q);
        });
    }

    const cell = (r, m) => { const s = r.o.series[m.name]; return s && s.v[r.i] !== null ? s.v[r.i] : ''; };

    function drawTable() {
        const found = tableRows(), table = d3.select('#table').html('');
        const columns = ['time', 'loc'].concat(metrics.map(m => m.name));

        $('table-says').textContent = `${found.length} intervals in the part of the time axis that is in sight` +
            (found.length > MOST ? `; the first ${MOST} are shown, the copy has all.` : '.') + ' Click a heading to sort.';
        table.append('thead').append('tr').selectAll('th').data(columns).join('th').attr('aria-sort', c => c === state.sort ? (state.up ? 'ascending' : 'descending') : null)
            .append('button').attr('type', 'button').text(c => c + (c === state.sort ? (state.up ? ' \u2191' : ' \u2193') : ''))
            .on('click', c => { state.up = c === state.sort ? !state.up : c === 'time' || c === 'loc'; state.sort = c; drawTable(); });
        const tr = table.append('tbody').selectAll('tr').data(found.slice(0, MOST)).join('tr');
        tr.append('td').text(r => r.o.t[r.i].toFixed(6));
        tr.append('td').attr('class', 'text').text(r => r.o.label);
        metrics.forEach(m => tr.append('td').text(r => { const v = cell(r, m); return v === '' ? '' : say(v, m.unit); }));
    }

    function csv() {
        return ['time,end,loc,' + metrics.map(m => m.name).join(',')].concat(tableRows().map(r =>
            [r.o.t[r.i], r.o.t[r.i + 1], r.o.label].concat(metrics.map(m => cell(r, m))).join(','))).join('\n') + '\n';
    }

    function copy() {
        const text = csv(), area = document.createElement('textarea');

        area.value = text;
        document.body.append(area);
        area.select();
        $('copied').textContent = document.execCommand('copy') ? `${text.split('\n').length - 2} rows copied` : 'the browser did not allow the copy';
        area.remove();
    }

    function drawFunctions() {
        const table = d3.select('#functions');

        if (!data.functions.length) {
            $('functions-part').hidden = true;
            return;
        }
        table.append('thead').append('tr').selectAll('th').data(['thread', 'function', 'samples']).join('th').text(h => h);
        table.append('tbody').selectAll('tr').data(data.functions).join('tr').selectAll('td').data(f => f).join('td')
            .attr('class', (v, i) => i < 2 ? 'text' : null).text(v => v);
    }

    /* --- controls --- */

    function setTime(t) {
        state.whole = $('whole').checked = false;
        $('time').disabled = false;
        state.time = Math.min(span[1], Math.max(span[0], t));
        $('time').value = 1000 * (state.time - span[0]) / (span[1] - span[0] || 1);
        timeChanged();
    }

    function timeChanged() {
        $('when').textContent = state.whole ? '' : state.time.toFixed(6) + ' s';
        drawMachine();
        drawNow();
    }

    function drawAll() {
        drawMachine();
        drawOverview();
        drawLines();
        drawTable();
    }

    function start() {
        const name = data.system.nodename || 'a trace';

        $('title').textContent = document.title = `Origin 2000: ${data.system.command || 'counters'} on ${name}`;
        $('system').textContent = data.system.line + (data.machine ? ` (${data.machine.title})` : '');
        $('command').textContent = data.command || 'snreport';
        $('files').textContent = data.files.join(' ');
        d3.select('#metric').selectAll('option').data(metrics).join('option').attr('value', m => m.name).text(m => `${m.name}: ${m.text}`);
        /* A rate of nodes tells more at first sight than a count. */
        const nodes = metrics.filter(m => objects.some(o => o.kind === 'node' && o.series[m.name]));
        state.metric = nodes.find(m => m.unit === 'percent') || nodes[0] || metrics[0];
        $('metric').value = state.metric.name;
        $('metric').onchange = () => { state.metric = metrics.find(m => m.name === $('metric').value); drawAll(); };
        $('whole').onchange = () => { state.whole = $('whole').checked; $('time').disabled = state.whole; timeChanged(); };
        $('time').oninput = () => { state.time = span[0] + $('time').value / 1000 * (span[1] - span[0]); timeChanged(); };
        $('filter').oninput = drawTable;
        $('copy').onclick = copy;
        $('reset').onclick = () => { zoomTo(span); drawLines(); };
        drawFunctions();
        drawAll();
        document.body.dataset.ready = 'yes';
        document.body.dataset.milliseconds = Math.round(performance.now());
    }

    /* A time at the end, and a view of everything, stay so. */
    function update(newer) {
        const old = span, last = state.time === old[1], all = state.view[0] === old[0] && state.view[1] === old[1];

        data = newer;
        take();
        state.metric = metrics.find(m => m.name === state.metric.name) || metrics[0];
        state.time = last ? span[1] : Math.min(span[1], Math.max(span[0], state.time));
        state.view = all ? span.slice() : [Math.max(span[0], state.view[0]), Math.min(span[1], state.view[1])];
        x.domain(state.view);
        $('when').textContent = state.whole ? '' : state.time.toFixed(6) + ' s';
        drawAll();
    }

    start();
    return { update };
}

(function () {
    const data = JSON.parse(document.getElementById('data').textContent);

    if (!data.live) {
        originPage(data);
    }
}());
