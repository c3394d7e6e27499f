// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The picture of the machine: racks, nodes with their processors, routers, cables; the copies of the line; the way of a message.
 *
 *   picture.build()    draws the machine once       picture.show()   what has changed since the last moment
 *   picture.add()      an element of a picture, with its attributes and text
 *   picture.measure()  the window has another size
 */
'use strict';
const picture = (function () {
    const SVG = 'http://www.w3.org/2000/svg';
    let place = null, svg = null, links = null, cpus = null, nodes = null, moving = null, sight = null;

    function add(parent, name, attributes, text) {
        const e = document.createElementNS(SVG, name);

        Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
        if (text !== undefined) {
            e.textContent = text;
        }
        parent.appendChild(e);
        return e;
    }

    function drawRouters(shape) {
        shape.routers.forEach(r => {
            const [x, y] = place.centre.get(r.path), g = add(svg, 'g', { class: 'router' });

            if (r.meta) {
                add(g, 'rect', { x: 10, y: y - 8, width: place.width - 20, height: 16, rx: 8 });
            } else {
                add(g, 'circle', { cx: x, cy: y, r: 13 });
            }
            add(g, 'text', { x, y: y + 4, 'text-anchor': 'middle' }, (r.meta ? 'm' : 'r') + r.slot);
            add(g, 'title', {}, r.path);
        });
    }

    function drawNode(n, i) {
        const [x, y] = place.centre.get(n.path), g = add(svg, 'g', { class: 'node' }), box = add(g, 'rect', { x: x - 30, y: y - 20, width: 60, height: 24, rx: 3 });

        nodes.push({ g, box, name: add(g, 'text', { x, y: y - 8, 'text-anchor': 'middle' }, 'n' + i), state: add(g, 'text', { x, y: y + 1, 'text-anchor': 'middle', class: 'entry' }, '') });
        n.cpus.forEach(c => {
            const number = 2 * i + (c.slice === 'b'), cg = add(svg, 'g', { class: 'cpu', tabindex: 0, role: 'button', 'data-cpu': number, 'aria-label': `cpu ${number}` });
            const left = x + (c.slice === 'a' ? -30 : 1);

            add(cg, 'rect', { x: left, y: y + 6, width: 29, height: 16, rx: 2 });
            const label = add(cg, 'text', { x: left + 14.5, y: y + 18, 'text-anchor': 'middle' }, String(number));
            add(cg, 'title', {}, `cpu ${number}, ${c.model} ${c.khz / 1000} MHz`);
            cg.onclick = () => life.choose(number);
            cg.onkeydown = e => { if (e.key === 'Enter') { life.choose(number); } };
            cpus.set(number, { g: cg, label });
        });
    }

    function build() {
        const shape = life.machine, box = document.getElementById('racks');

        place = racks.places(shape);
        links = new Map();
        cpus = new Map();
        nodes = [];
        box.textContent = '';
        svg = add(box, 'svg', { viewBox: `0 0 ${place.width} ${Math.max(place.height, 150)}`, role: 'img', 'aria-label': 'the machine' });
        box.classList.toggle('wide', place.corner.size > 8);
        const head = add(add(svg, 'defs', {}), 'marker', { id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: 'userSpaceOnUse', orient: 'auto' });
        add(head, 'path', { d: 'M0 0L8 4L0 8z', class: 'head' });
        place.corner.forEach(([x, y], module) => {
            add(svg, 'rect', { class: 'module', x, y, width: racks.W, height: racks.H, rx: 8 });
            add(svg, 'text', { class: 'over', x: x + racks.W / 2, y: y + 15, 'text-anchor': 'middle' }, 'module ' + module);
        });
        shape.links.forEach(l => {
            add(svg, 'path', { class: 'wire', d: racks.lane(place, l, l.a, l.b) });
            links.set(l.a + ':' + l.aport, { l, to: l.b });
            links.set(l.b + ':' + l.bport, { l, to: l.a });
        });
        drawRouters(shape);
        shape.nodes.forEach(drawNode);
        moving = add(svg, 'g', { class: 'moving' });
        box.onscroll = measure;
        measure();
    }

    /* The lanes that a message takes from node to node, as paths. */
    function wayOf(from, to) {
        const shape = life.machine, hops = life.way(from, to).hops;
        let here = shape.nodes[from].path, port = 0;
        const paths = [];

        for (let i = 0; i <= hops.length; i++) {
            const link = links.get(here + ':' + port);

            if (!link) {
                return [`M${place.centre.get(shape.nodes[from].path)}L${place.centre.get(shape.nodes[to].path)}`];
            }
            paths.push(racks.lane(place, link.l, here, link.to));
            here = link.to;
            port = i < hops.length ? hops[i].out : 0;
        }
        return paths;
    }

    /* About the middle of a path. To ask the browser would have it lay out the whole page. */
    function middle(d) {
        const n = d.match(/-?[\d.]+/g).map(Number), points = n.filter((v, i) => i % 2 === 0).map((x, i) => [x, n[2 * i + 1]]);

        if (d.includes('Q')) {
            return [0, 1].map(k => (points[0][k] + 2 * points[1][k] + points[2][k]) / 4);
        }
        const i = Math.floor((points.length - 1) / 2);
        return [0, 1].map(k => (points[i][k] + points[i + 1][k]) / 2);
    }

    function drawMessage(m, arrived) {
        const from = m.from >> 2, to = m.to >> 2, shape = life.machine, [x, y] = place.centre.get(shape.nodes[to].path);
        const g = add(moving, 'g', { class: arrived ? 'message current' : 'message' });

        if (from === to) {
            add(g, 'path', { d: `M${x - 22} ${y - 22}C${x - 30} ${y - 46} ${x + 30} ${y - 46} ${x + 22} ${y - 22}`, 'marker-end': 'url(#head)' });
            add(g, 'text', { x, y: y - 30, 'text-anchor': 'middle', class: 'over' }, m.type);
            return;
        }
        const paths = wayOf(from, to);
        paths.forEach((d, i) => add(g, 'path', { d, ...i === paths.length - 1 ? { 'marker-end': 'url(#head)' } : {} }));
        const [mx, my] = middle(paths[Math.floor(paths.length / 2)]);
        add(g, 'text', { x: mx, y: my - 5, 'text-anchor': 'middle', class: 'over' }, m.type);
    }

    /* Most nodes stay as they are; what is set anew is laid out anew. */
    function set(e, name, value) {
        if (e.getAttribute(name) !== value) {
            e.setAttribute(name, value);
        }
    }

    function say(e, text) {
        if (e.textContent !== text) {
            e.textContent = text;
        }
    }

    /* Large machines are wider than their window: what the message reaches comes into sight. */
    function follow(m) {
        const [x, y] = place.centre.get(life.machine.nodes[m.to >> 2].path);

        if (sight) {
            const w = sight, seen = (at, from, room) => at * w.scale > from + 30 && at * w.scale < from + room - 30;

            if (!seen(x, w.left, w.width) || !seen(y, w.top, w.height)) {
                const box = document.getElementById('racks');

                box.scrollTo(seen(x, w.left, w.width) ? w.left : x * w.scale - w.width / 2, seen(y, w.top, w.height) ? w.top : y * w.scale - w.height / 2);
                measure();
            }
        }
    }

    /* What is seen of a wide picture. To ask at each step would have the browser lay the page out twice. */
    function measure() {
        const box = document.getElementById('racks');

        sight = !place || !box.classList.contains('wide') ? null
            : { scale: box.scrollWidth / place.width, left: box.scrollLeft, top: box.scrollTop, width: box.clientWidth, height: box.clientHeight };
    }

    function show() {
        const line = life.line, home = Math.floor(line / 2 ** 32), { state, changed, flying, message } = life.view();
        const owner = state.entry.owner === undefined ? null : past.agent(state.entry.owner);

        nodes.forEach((n, i) => {
            set(n.g, 'class', 'node' + (i === home ? ' home' : '') + (i === home && changed.entry ? ' changed' : ''));
            say(n.name, 'n' + i + ((state.entry.sharers || []).includes(i) ? ' *' : ''));
            say(n.state, i !== home ? '' : state.entry.state + (!owner ? '' : owner.cpu < 0 ? ` I/O ${owner.node}` : ` cpu${owner.cpu}`));
        });
        cpus.forEach((c, number) => {
            const copy = state.copies[number] || 'I';

            set(c.g, 'class', `cpu copy-${copy}` + (changed.copies.has(number) ? ' changed' : '') + (number === life.cpu ? ' chosen' : ''));
            say(c.label, number + (copy === 'I' ? '' : ' ' + copy));
            set(c.g, 'aria-label', `cpu ${number}, copy ${copy}`);
        });
        moving.textContent = '';
        flying.forEach(m => drawMessage(m, false));
        if (message) {
            drawMessage(message, true);
            follow(message);
        }
    }

    return { build, show, add, measure };
}());
