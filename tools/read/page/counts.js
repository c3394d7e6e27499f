// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the counts of a recording are made of, node by node or link by link: events that a Hub or a router counts in one mode are parts of a whole.
 */
'use strict';
(function () {
    const choices = page.choices();
    const rows = kind => page.eventRows.filter(r => r[0] === kind).map(r => r.slice(1));
    /* "100 * A / B" says that A is a part of B, which is counted beside it. */
    const within = new Set(rows('formula').map(([f]) => (/^100 \* (\w+) \/ \w+$/.exec(f) || [])[1]));
    /* For each mode its events, which exclude each other: [text, metrics]. */
    const families = rows('mode').map(([unit, mode, text]) =>
        [text, rows('event').filter(e => e[0] === unit && e[1] === mode && !within.has(e[2])).map(e => e[2])]);

    /* The families of which the recording has two parts or more: [text, metrics]. */
    function present(input) {
        const known = new Map(page.metrics(input).map(m => [m.name, m]));

        return families.map(([text, names]) => [text, names.filter(n => known.has(n)).map(n => known.get(n))]).filter(f => f[1].length > 1);
    }

    const chosen = input => present(input).find(f => f[0] === choices.get(input)) || present(input)[0];
    const objects = (input, metrics) => page.recording(input).objects.filter(o => o.kind !== 'thread' && metrics.some(m => o.series[m.name]));

    page.view({
        id: 'counts', title: 'What was counted', on: ['time'],
        applies: input => page.recording(input) !== null && present(input).length > 0,
        says: input => {
            const s = page.state(input);

            return 'Counts of each node (n) or router port (p) by kind, ' + (s.whole ? 'over the whole run' : `in the interval at ${s.time.toFixed(3)} s`) +
                '. Record more kinds with options of snrun or snsar, which their manual pages list.';
        },
        draw(box, input) {
            const [text, metrics] = chosen(input);

            page.choice(box, 'show', present(input).map(f => [f[0], f[0]]), text, v => {
                choices.set(input, v);
                page.draw('counts');
            });
            page.bars(box, {
                label: text, unit: '', most: 64, keys: metrics,
                rows: objects(input, metrics).map(o => ({
                    label: o.label, title: o.name, parts: metrics.reduce((p, m) => Object.assign(p, { [m.name]: page.value(input, o.name, m) || 0 }), {}),
                })),
            });
        },
        table(input) {
            const metrics = chosen(input)[1];

            return {
                columns: [{ name: 'loc' }, { name: 'path' }, ...metrics.map(m => ({ name: m.name, unit: 'counts', text: m.text }))],
                rows: objects(input, metrics).map(o => [o.label, o.name, ...metrics.map(m => page.value(input, o.name, m))]),
            };
        },
    });
}());
