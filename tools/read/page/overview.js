// SPDX-License-Identifier: GPL-2.0-or-later
/* The overview of a recording: a row of colours for each object, time from left to right. */
'use strict';
(function () {
    const LEFT = 70, WIDTH = 1100;

    page.view({
        id: 'overview', title: 'Overview', on: ['metric', 'view'],
        applies: input => page.recording(input) !== null,
        says: input => {
            const m = page.state(input).metric;

            return `${m.name} (${m.text}), ${page.unitName(m)}, of each node (n), router port (p) and thread (t); time goes from left to right. Dark is 0, light is ` +
                `${page.amount(page.greatest(input, m), page.unitName(m))}. Merged intervals show their greatest value. Click a moment to see the machine at it.`;
        },
        draw(box, input) {
            const state = page.state(input), m = state.metric, list = page.having(input, m), row = Math.max(4, Math.min(16, Math.floor(640 / list.length)));
            const colour = page.scale(Math.max(page.greatest(input, m), m.unit === 'percent' ? 1 : 0));
            const x = d3.scaleLinear().domain(state.view).range([0, WIDTH]), width = LEFT + WIDTH, height = list.length * row + 24;
            const canvas = box.append('canvas').attr('width', width).attr('height', height).style('width', '100%').style('max-width', width + 'px')
                .attr('role', 'img').attr('aria-label', 'values of all objects over time').node();
            const ctx = canvas.getContext('2d'), style = getComputedStyle(document.body);

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
            x.ticks(8).forEach(t => ctx.fillText(+t.toFixed(6) + ' s', LEFT + x(t), height - 6));
            canvas.onclick = e => {
                const r = canvas.getBoundingClientRect();

                page.setTime(x.invert((e.clientX - r.left) * width / r.width - LEFT));
            };
        },
    });
}());
