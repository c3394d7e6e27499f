// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the parts of a machine stand in a picture of its racks. The machine is what `dtinfo -j` prints of a description.
 *
 *   racks.places(machine)      corners of modules (W x H each), centres of nodes and routers by path, size of the picture
 *   racks.lane(p, l, from, to) the way of what goes over link l, as the path of an SVG; traffic keeps to the right
 *   racks.toBar(p, a, bar)     the corners of a cable from router a to a metarouter
 */
'use strict';
const racks = (function () {
    const W = 150, H = 196, GX = 44, GY = 40, BAR = 24;

    /*
     * Modules in squares of four, in the order of their numbers: two columns of two, each a rack. The meta rack stands below: a metarouter is a bar, so that
     * the cables from all racks come down to it side by side.
     */
    function places(machine) {
        const modules = [...new Set(machine.nodes.map(n => n.module))], corner = new Map(), centre = new Map(), meta = machine.routers.filter(r => r.meta);

        modules.forEach((m, i) => corner.set(m, [30 + (Math.floor(i / 4) * 2 + i % 2) * (W + GX), 24 + (Math.floor(i / 2) % 2) * (H + GY)]));
        const width = Math.max(420, 50 + Math.max(...[...corner.values()].map(c => c[0])) + W);
        const bottom = 30 + Math.max(...[...corner.values()].map(c => c[1])) + H;
        machine.nodes.forEach(n => {
            const [x, y] = corner.get(n.module);

            centre.set(n.path, [x + (n.slot % 2 ? 38 : W - 38), y + (n.slot <= 2 ? 43 : H - 39)]);
        });
        machine.routers.forEach(r => {
            const [x, y] = corner.get(r.module) || [0, 0];

            centre.set(r.path, r.meta ? [width / 2, bottom + 20 + BAR * meta.indexOf(r)] : [x + W / 2, y + (r.slot === 1 ? 94 : 126)]);
        });
        return { corner, centre, width, height: bottom + (meta.length ? 20 + BAR * meta.length : modules.length > 2 ? 24 : -20), meta: new Set(meta.map(r => r.path)), shape: machine };
    }

    /* The corners of a cable from router a to a bar: out to the gap between the racks, and down. Cables from above stay outside of those from below. */
    function toBar(p, a, bar) {
        const r = p.shape.routers.find(o => o.path === a), [x, y] = p.centre.get(a), left = r.slot === 1, upper = p.corner.get(r.module)[1] < H;
        const gap = x + (left ? -1 : 1) * (W / 2 + (upper ? 16 : 6)), out = y + (left ? -9 : 9);

        return [[x, out], [gap, out], [gap, p.centre.get(bar)[1]]];
    }

    /* A line through corners at right angles, w to the right of the way. */
    function aside(points, w) {
        return 'M' + points.map(([x, y], i) => {
            const before = points[Math.max(i - 1, 0)], after = points[Math.min(i + 1, points.length - 1)];
            const down = Math.sign(after[1] - y || y - before[1]), right = Math.sign(after[0] - x || x - before[0]);
            const turn = i > 0 && i < points.length - 1;

            return [x - w * (turn || down ? down : 0), y + w * (turn || right ? right : 0)];
        }).join('L');
    }

    /* From one end of the cable to the other, 2.5 to the right of the middle. */
    function lane(p, l, from, to) {
        const first = l.a.includes('/r1/'), a = p.centre.get(from), b = p.centre.get(to);

        if (p.meta.has(from) !== p.meta.has(to)) {
            return p.meta.has(to) ? aside(toBar(p, from, to), 2.5) : aside(toBar(p, to, from).reverse(), 2.5);
        }
        const far = a[1] === b[1] && Math.abs(a[0] - b[0]) > W + GX, length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
        const dx = -2.5 * (b[1] - a[1]) / length, dy = 2.5 * (b[0] - a[0]) / length;
        const s = [a[0] + dx, a[1] + dy], t = [b[0] + dx, b[1] + dy];

        if (!l.cm) {
            return `M${s}L${t}`;
        }
        const mx = (s[0] + t[0]) / 2 + (a[0] === b[0] && Math.abs(a[1] - b[1]) > 40 ? (first ? 90 : -90) : 0);
        const my = (s[1] + t[1]) / 2 + (far ? (first ? -110 : 110) : 0);

        return `M${s}Q${mx} ${my} ${t}`;
    }

    return { W, H, places, lane, toBar };
}());
