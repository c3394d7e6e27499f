// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine as it stands in its racks: modules, nodes with their processors, routers, cables. A node's colour is the chosen metric, a processor's
 * too if processors have it. A cable has a lane for each direction, driven on the right: the lane that leaves a router port has what the port sent.
 */
'use strict';
(function () {
    const { W, H, places, lane, toBar } = racks;

    const portName = (path, port) => path + ':' + port;

    /* The value of the lane from port a to port b: of port a for a metric of sending, else of port b, where the packets arrive. */
    function laneValue(input, m, a, b) {
        const named = name => page.metrics(input).find(n => n.name === name);
        const other = { send: 'recv', sendcnt: 'recvcnt', sent: 'received' }[m.name];
        const back = { recv: 'send', recvcnt: 'sendcnt', received: 'sent' }[m.name];
        const own = page.value(input, other || m.leaving ? a : b, m);

        if (own !== null || !(other || back) || !named(other || back)) {
            return own;
        }
        return page.value(input, other ? b : a, named(other || back));
    }

    /* The metric of cables: the chosen one, or what links send if that is of nodes only. */
    function linkMetric(input) {
        const m = page.state(input).metric, links = input.machine ? input.machine.links : [];
        const known = links.some(l => lanes(input, m, l).some(v => !page.unknown(v[2])));

        return known ? m : page.metrics(input).find(n => n.name === 'send' || n.name === 'sent') || m;
    }

    function lanes(input, m, l) {
        const a = portName(l.a, l.aport), b = portName(l.b, l.bport);

        return [[l.a, l.b, laneValue(input, m, a, b)], [l.b, l.a, laneValue(input, m, b, a)]];
    }

    function drawCables(input, svg, shape, p, colour, choose) {
        const m = linkMetric(input), cables = shape.links.filter(l => p.centre.has(l.a) && p.centre.has(l.b));
        const g = svg.selectAll('g.cable').data(cables).join('g').attr('class', 'cable');

        choose(g, l => portName(l.a, l.aport) + '|' + portName(l.b, l.bport), l => `link ${l.a} port ${l.aport} to ${l.b} port ${l.bport}`);
        g.each(function (l) {
            const group = d3.select(this);

            group.append('path').attr('class', 'hit').attr('d', lane(p, l, l.a, l.b));
            lanes(input, m, l).forEach(([from, to, v]) => {
                const known = !page.unknown(v);

                group.append('path').attr('class', 'lane').attr('d', lane(p, l, from, to)).attr('stroke', known ? colour(v) : 'var(--line)')
                    .attr('stroke-width', known ? 4 : 2).attr('data-from', from).attr('data-value', known ? v : '')
                    .append('title').text(`${from} to ${to}: ${known ? page.say(v, m.unit) + ' ' + page.unitName(m) : 'not sampled'}`);
            });
        });
        return cables;
    }

    /* Nodes of the recording, four a module, where there is no description. */
    function rowOfNodes(input) {
        const r = page.recording(input);
        const nodes = (r ? r.objects : []).filter(o => o.kind === 'node').map(o => {
            const m = /module\/(\d+)\/slot\/n(\d+)/.exec(o.name);

            return { path: o.name, module: m ? +m[1] : 0, slot: m ? +m[2] : 1 };
        });

        return { nodes, routers: [], links: [] };
    }

    const cpuPath = (n, cpu) => `${n.path}/cpu/${cpu.slice}`;

    /* A processor is drawn at its node. Its name is the part of its path in /hw that follows the path of the node. */
    function drawCpus(input, svg, shape, p, colour, choose) {
        const m = page.state(input).metric;
        const all = [].concat(...shape.nodes.map(n => (n.cpus || []).map(cpu => ({ path: cpuPath(n, cpu), slice: cpu.slice, at: p.centre.get(n.path) }))));
        const g = svg.selectAll('g.cpu').data(all).join('g').attr('class', 'cpu');

        choose(g, c => c.path, c => c.path);
        g.each(function (c) {
            const v = page.value(input, c.path, m), fill = page.unknown(v) ? null : colour(v), x = c.at[0] + (c.slice === 'a' ? -28 : 1), y = c.at[1] + 18;

            d3.select(this).append('rect').attr('x', x).attr('y', y).attr('width', 27).attr('height', 12).attr('rx', 2).attr('fill', fill || 'var(--panel)').attr('data-value', fill ? v : '');
            d3.select(this).append('text').attr('x', x + 13.5).attr('y', y + 10).attr('text-anchor', 'middle').style('fill', fill && page.ink(fill)).text(c.slice);
        });
    }

    function drawDetail(input, box) {
        const state = page.state(input);

        box.html('');
        if (!state.chosen) {
            box.append('p').attr('class', 'hint').text('Nothing is chosen. Click a node, a processor, a router or a cable, or go there with Tab and press Enter.');
            return;
        }
        state.chosen.split('|').forEach(path => {
            const known = page.metrics(input).map(m => [m, page.value(input, path, m)]).filter(v => !page.unknown(v[1]));
            const label = page.recording(input) && page.recording(input).byPath.get(path);

            box.append('h3').text(label ? label.label + ' ' : '').append('code').text(path);
            const ran = page.recording(input) ? page.threadsOn(input, path) : [];

            if (!known.length && !ran.length) {
                box.append('p').text('Nothing of it was sampled.');
            }
            const tr = box.append('table').selectAll('tr').data(known).join('tr').attr('title', v => v[0].text);
            tr.append('td').text(v => v[0].name);
            tr.append('td').attr('data-metric', v => v[0].name).text(v => page.say(v[1], v[0].unit));
            tr.append('td').attr('class', 'text').text(v => page.unitName(v[0]));
            if (ran.length) {
                box.append('p').text('Threads that were sampled here, and the share of the time in which they were last seen here:');
                const row = box.append('table').selectAll('tr').data(ran).join('tr').attr('class', 'ran');
                row.append('td').text(r => `${r.o.label} ${r.o.name}`);
                row.append('td').text(r => page.say(100 * r.share, 'percent'));
                row.append('td').attr('class', 'text').text('%');
            }
        });
        if (page.recording(input)) {
            box.append('p').attr('class', 'says').text(state.whole ? 'Sums of counts and means of per cents over the whole run.' : 'The interval at ' + state.time.toFixed(3) + ' s.');
        }
    }

    const where = input => {
        const s = page.state(input);

        return !page.recording(input) ? 'over the whole run' : s.whole ? 'over the whole run' : `in the interval at ${s.time.toFixed(3)} s`;
    };

    /* The scales of nodes and cables: one if they have one unit. */
    function scales(input, shape) {
        const m = page.state(input).metric, link = linkMetric(input), least = u => u === 'percent' ? 1 : 0;
        const nodes = d3.max(shape.nodes, n => d3.max([n.path, ...(n.cpus || []).map(c => cpuPath(n, c))], path => page.value(input, path, m))) || 0;
        const links = d3.max(shape.links, l => d3.max(lanes(input, link, l), v => v[2])) || 0;
        const both = Math.max(nodes, links), one = m.unit === link.unit;
        const of = (greatest, metric) => ({ greatest, metric, colour: page.scale(Math.max(greatest, least(metric.unit))) });

        return { one, nodes: of(one ? both : nodes, m), links: of(one ? both : links, link) };
    }

    function drawLegend(box, { colour, greatest, metric }, text) {
        const bar = box.append('p').attr('class', 'ramp');

        bar.append('span').text(text + '0');
        bar.append('span').attr('class', 'gradient').style('background', `linear-gradient(to right, ${d3.range(0, 1.01, .1).map(t => colour(t * (greatest || 1))).join(',')})`);
        bar.append('span').text(page.amount(greatest, page.unitName(metric)));
    }

    page.view({
        id: 'machine', title: 'Machine', on: ['time', 'metric'],
        applies: input => page.metrics(input).length && (input.machine || page.recording(input)),
        says: input => {
            const m = page.state(input).metric, link = linkMetric(input);

            return (input.machine ? '' : 'The description of this machine is not known (origin report -m MACHINE gives it), so its nodes stand in a row. ') +
                `Colour: ${m.name} (${m.text}), ${page.unitName(m)}, ${where(input)}. Grey: not known. ` +
                (link === m ? '' : `Cables: ${link.name} (${link.text}). `) + 'A cable has a lane for each direction; traffic keeps to the right. Click a node, a processor (a, b), a router or a cable to see all its counters.';
        },
        draw(box, input) {
            const shape = input.machine || rowOfNodes(input), p = places(shape), state = page.state(input), m = state.metric;
            const scale = scales(input, shape), colour = scale.nodes.colour;

            if (!page.recording(input)) {
                page.choice(box, 'colour', page.metrics(input).map(n => [n.name, `${n.name}: ${n.text}`]), m.name, name => page.setMetric(name));
            }
            const row = box.append('div').attr('class', p.corner.size > 8 ? 'beside wide' : 'beside'), picture = row.append('div').attr('class', 'picture');
            const detail = row.append('div').attr('class', 'detail').attr('aria-live', 'polite');

            drawLegend(picture, scale.nodes, scale.one ? '' : 'nodes: ');
            if (!scale.one) {
                drawLegend(picture, scale.links, 'cables: ');
            }
            const svg = picture.append('svg').attr('viewBox', `0 0 ${p.width} ${p.height}`).attr('role', 'img').attr('aria-label', 'the machine');

            function choose(g, key, name) {
                page.pickable(g, d => {
                    state.chosen = key(d);
                    svg.selectAll('.chosen').classed('chosen', false);
                    g.classed('chosen', e => key(e) === state.chosen);
                    drawDetail(input, detail);
                }, name);
                g.append('title').text(name);
                g.classed('chosen', d => key(d) === state.chosen);
            }

            p.corner.forEach(([x, y], module) => {
                svg.append('rect').attr('class', 'module').attr('x', x).attr('y', y).attr('width', W).attr('height', H).attr('rx', 8);
            });
            drawCables(input, svg, shape, p, scale.links.colour, choose);
            p.corner.forEach(([x, y], module) => {
                svg.append('text').attr('class', 'over').attr('x', x + W / 2).attr('y', y + 15).attr('text-anchor', 'middle').text('module ' + module);
            });
            const node = svg.selectAll('g.node').data(shape.nodes).join('g').attr('class', 'node');
            choose(node, n => n.path, n => n.path);
            node.each(function (n, i) {
                const [x, y] = p.centre.get(n.path), v = page.value(input, n.path, m), g = d3.select(this), fill = page.unknown(v) ? null : colour(v);
                const text = (dy, s) => g.append('text').attr('x', x).attr('y', y + dy).attr('text-anchor', 'middle').style('fill', fill && page.ink(fill)).text(s);

                g.append('rect').attr('x', x - 28).attr('y', y - 17).attr('width', 56).attr('height', 34).attr('rx', 3)
                    .attr('fill', fill || 'var(--line)').attr('data-value', fill ? v : '');
                text(-2, 'n' + i);
                text(11, fill ? page.brief(v, m.unit) : '-');
            });
            drawCpus(input, svg, shape, p, colour, choose);
            const router = svg.selectAll('g.router').data(shape.routers).join('g').attr('class', 'router');
            choose(router, r => d3.range(1, 7).map(port => portName(r.path, port)).join('|'), r => r.path);
            router.each(function (r) {
                const [x, y] = p.centre.get(r.path), g = d3.select(this);

                if (r.meta) {
                    g.append('rect').attr('x', 10).attr('y', y - 8).attr('width', p.width - 20).attr('height', 16).attr('rx', 8);
                    shape.links.filter(l => l.a === r.path || l.b === r.path).map(l => toBar(p, l.a === r.path ? l.b : l.a, r.path)[2])
                        .forEach(([cx, cy]) => g.append('circle').attr('class', 'plug').attr('cx', cx).attr('cy', cy).attr('r', 5));
                } else {
                    g.append('circle').attr('cx', x).attr('cy', y).attr('r', 13);
                }
                g.append('text').attr('x', x).attr('y', y + 4).attr('text-anchor', 'middle').text((r.meta ? 'm' : 'r') + r.slot);
            });
            drawDetail(input, detail);
        },
        table(input) {
            const shape = input.machine || rowOfNodes(input), m = page.state(input).metric, unit = page.unitName(m);
            const nodes = shape.nodes.map((n, i) => ['n' + i, n.path, null, page.value(input, n.path, m)]);
            const link = linkMetric(input), named = link === m ? 'link' : 'link, ' + link.name;
            const cpus = [].concat(...shape.nodes.map(n => (n.cpus || []).map(c => ['processor', cpuPath(n, c), null, page.value(input, cpuPath(n, c), m)]))).filter(r => !page.unknown(r[3]));
            const links = [].concat(...shape.links.map(l => lanes(input, link, l).map(([from, to, v]) => [named, from, to, v]))).filter(r => !page.unknown(r[3]));

            return {
                columns: [{ name: 'what' }, { name: 'from', text: 'path in /hw' }, { name: 'to', text: 'the other end of the link' }, { name: m.name, unit, text: m.text }],
                rows: nodes.concat(cpus, links),
            };
        },
    });
}());
