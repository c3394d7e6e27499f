// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An access in time: a row for each processor, home, I/O unit that takes part; each message goes from row to row. Thick: at the sender and at the
 * receiver; hatched: it waits. The moment that is shown is dark, what comes later is pale.
 *
 *   lanes.show()       lanes.measure(): the window has another size
 */
'use strict';
const lanes = (function () {
    const ROW = 26, LEFT = 92, RIGHT = 14, TOP = 18, add = picture.add;

    /* Messages with times: of races their order. */
    function timed() {
        if (!life.racing) {
            const s = past.step(), shown = s ? s.moments.filter(m => m.kind === 'message').map(m => m.m) : [];

            return { list: shown, unit: 'ns', scale: 1000, ends: s ? [s.answer.start * 10, s.answer.end * 10] : [0, 1000] };
        }
        const sent = new Map();
        const list = [];

        races.steps.forEach((s, i) => {
            s.answer.flying.forEach(f => { if (!sent.has(f.n)) { sent.set(f.n, i); } });
            if (s.answer.did === 'arrive') {
                const begin = sent.get(s.answer.n);

                list.push({ ...s.answer, sent: begin, left: begin, arrived: i, taken: i, waits: [], action: i });
            }
        });
        races.now().flying.forEach(f => list.push({ ...f, sent: sent.get(f.n), left: sent.get(f.n), arrived: races.steps.length, taken: races.steps.length, waits: [], pending: true }));
        return { list, unit: 'action', scale: 1, ends: [0, Math.max(1, races.steps.length)] };
    }

    let room = 0;

    /* To ask while the page is drawn would have the browser lay it out once more. */
    const measure = () => { room = document.getElementById('lanes').clientWidth; };

    const rowName = a => words.short(a);

    /* Requestor first, then the home, then others. */
    function rowsOf(list) {
        const keys = new Map();

        list.forEach(m => [m.req, m.from, m.to].forEach(a => { if (!keys.has(rowName(a))) { keys.set(rowName(a), keys.size); } }));
        return keys;
    }

    function axis(svg, begin, end, x, height, t) {
        const span = (end - begin) / t.scale, raw = span / 8, power = 10 ** Math.floor(Math.log10(raw || 1)), step = [1, 2, 5, 10].map(k => k * power).find(k => k >= raw) || 1;

        for (let v = Math.ceil(begin / t.scale / step) * step; v <= end / t.scale + 1e-9; v += step) {
            add(svg, 'line', { class: 'tick', x1: x(v * t.scale), x2: x(v * t.scale), y1: TOP - 4, y2: height });
            add(svg, 'text', { x: x(v * t.scale), y: TOP - 7, 'text-anchor': 'middle' }, +v.toFixed(3));
        }
        add(svg, 'text', { x: 4, y: TOP - 7 }, t.unit === 'ns' ? 'ns' : 'order');
    }

    function drawMessage(svg, m, rows, x, current, later) {
        const y = a => TOP + 12 + ROW * rows.get(rowName(a)), g = add(svg, 'g', { class: 'message' + (current ? ' current' : later ? ' later' : '') + (m.pending ? ' flying' : ''), 'data-n': m.n });
        const a = y(m.from), b = y(m.to), wait = k => m.waits.filter(w => w[1] === k).reduce((n, w) => n + w[3], 0);

        add(g, 'path', { class: 'hit', d: `M${x(m.left)} ${a}L${x(m.arrived)} ${b}` });
        [[m.sent, m.left, a, 0], [m.arrived, m.taken, b, 2]].filter(([f, to]) => to > f).forEach(([f, to, row, k]) => {
            add(g, 'line', { class: 'stay', x1: x(f), x2: x(to), y1: row, y2: row });
            if (wait(k)) { /* it waits before anything is done with it */
                add(g, 'line', { class: 'waits', x1: x(f), x2: x(Math.min(to, f + wait(k))), y1: row, y2: row });
            }
        });
        add(g, 'path', { class: 'way' + (wait(1) ? ' slow' : ''), d: a === b ? `M${x(m.left)} ${a}q${(x(m.arrived) - x(m.left)) / 2} -12 ${x(m.arrived) - x(m.left)} 0` : `M${x(m.left)} ${a}L${x(m.arrived)} ${b}` });
        add(g, 'circle', { cx: x(m.taken), cy: b, r: 3 });
        if (current || !later) {
            add(g, 'text', { class: 'over', x: (x(m.left) + x(m.arrived)) / 2, y: (a + b) / 2 - 3, 'text-anchor': 'middle' }, m.type);
        }
        add(g, 'title', {}, `${m.type}: ${words.who(m.from)} to ${words.who(m.to)}`);
        return g;
    }

    function show() {
        const box = document.getElementById('lanes'), t = timed(), now = life.view().message, rows = rowsOf(t.list);

        box.textContent = '';
        if (!t.list.length) {
            const p = document.createElement('p');

            p.className = 'hint';
            p.textContent = past.step() && !life.racing ? 'This access stayed within the caches of the processor: no message.' : 'Nothing has happened yet. Choose a scenario, or a processor and what it does.';
            box.appendChild(p);
            return;
        }
        const width = Math.max(520, room - 4), height = TOP + ROW * rows.size + 6, begin = Math.min(t.ends[0], ...t.list.map(m => m.sent)), end = Math.max(t.ends[1], ...t.list.map(m => m.taken));
        const x = v => LEFT + (width - LEFT - RIGHT) * (v - begin) / ((end - begin) || 1), svg = add(box, 'svg', { width, height, role: 'img', 'aria-label': 'messages in time' });

        axis(svg, begin, end, x, height, t);
        rows.forEach((i, name) => {
            add(svg, 'line', { class: 'row', x1: LEFT, x2: width - RIGHT, y1: TOP + 12 + ROW * i, y2: TOP + 12 + ROW * i });
            add(svg, 'text', { x: LEFT - 6, y: TOP + 16 + ROW * i, 'text-anchor': 'end' }, name);
        });
        /* The one that is shown lies above the others. */
        const at = life.racing ? races.position : t.list.findIndex(m => now && m.n === now.n) + 1 || (past.moment() && past.moment().kind === 'end' ? t.list.length : 0);
        const order = t.list.map((m, i) => ({ m, i })).sort((a, b) => (now && a.m.n === now.n) - (now && b.m.n === now.n));
        order.forEach(({ m, i }) => {
            const g = drawMessage(svg, m, rows, x, now && m.n === now.n, life.racing ? m.pending || m.action >= at : i >= at);

            g.onclick = () => life.toMessage(m);
        });
    }

    return { show, measure };
}());
