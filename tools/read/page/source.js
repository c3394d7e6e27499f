// SPDX-License-Identifier: GPL-2.0-or-later
/* The source with what each line waited. Colour and bar in the margin: the share of the costliest line. */
'use strict';
(function () {
    const choices = page.choices();

    page.view({
        id: 'source', title: 'Source',
        applies: input => page.rows(input, 'source').length > 0,
        says: () => 'Lines of code, and what processors waited for the misses of each, in microseconds of processor time. Lines that cost nothing stand only near those that cost. ' +
            'Point at a line to read the causes. origin annotate DIR FUNCTION prints one function.',
        draw(box, input) {
            const all = page.rows(input, 'source'), files = d3.nest().key(r => r.file).entries(all), causes = page.table(input, 'source').columns.slice(5).map(c => c.name);
            const file = files.find(f => f.key === choices.get(input)) || files[0], greatest = d3.max(all, r => r.stall) || 1;
            let before = 0;

            page.choice(box, 'file', files.map(f => [f.key, `${f.key}, ${page.time(d3.sum(f.values, r => r.stall))}`]), file.key, v => {
                choices.set(input, v);
                page.draw('source');
            });
            const table = box.append('div').attr('class', 'rows').append('table').attr('class', 'source');
            const head = table.append('thead').append('tr');
            ['', 'us', 'misses', 'line', 'source'].forEach((h, i) => head.append('th').attr('class', i === 4 ? 'text' : null).text(h));
            file.values.forEach(r => {
                const tr = table.append('tr').attr('class', r.count ? 'costs' : null).attr('title', causes.filter(c => r[c]).map(c => `${c} ${page.time(r[c])}`).join(', ') || null);

                tr.classed('gap', before && r.line !== before + 1);
                tr.append('td').append('span').attr('class', 'heat').style('width', Math.max(r.count ? 1 : 0, 60 * r.stall / greatest) + 'px');
                tr.append('td').text(r.count ? r.stall.toFixed(1) : '');
                tr.append('td').text(r.count || '');
                tr.append('td').attr('class', 'number').text(r.line);
                tr.append('td').attr('class', 'text').append('code').text(r.text);
                before = r.line;
            });
        },
        table: input => page.table(input, 'source'),
    });
}());
