// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of a recording: every metric of every object in every interval that the time axis has in sight, as sndump --csv prints it. */
'use strict';
page.view({
    id: 'intervals', title: 'Intervals', on: ['view'],
    applies: input => page.recording(input) !== null,
    says: () => 'Every interval in the part of the time axis that is in sight: zoom the time lines to see fewer. Times are seconds; counts are increases within the interval.',
    draw: () => {},
    table(input) {
        const metrics = page.metrics(input), [from, to] = page.state(input).view, rows = [];
        const value = (o, m, i) => o.series[m.name] ? o.series[m.name].v[i] : null;

        page.recording(input).objects.forEach(o => {
            for (let i = 0; i + 1 < o.t.length; i++) {
                if (o.t[i + 1] > from && o.t[i] < to) {
                    rows.push([o.t[i], o.t[i + 1], o.label, ...metrics.map(m => value(o, m, i))]);
                }
            }
        });
        return {
            columns: [{ name: 'time', unit: 's', text: 'begin of the interval' }, { name: 'end', unit: 's', text: 'its end' }, { name: 'loc', text: 'node, router port or thread' },
                ...metrics.map(m => ({ name: m.name, unit: m.unit, text: m.text }))],
            rows: rows.sort((a, b) => a[0] - b[0]),
        };
    },
});
