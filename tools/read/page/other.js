// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of an input that no view draws, and the description of the machine. */
'use strict';
(function () {
    const drawn = new Set(['problems', 'causes', 'time', 'waits', 'modes', 'transactions', 'matrix', 'pages', 'contended', 'objects', 'types', 'members', 'functions', 'function_cycles', 'thread_cycles', 'followed', 'follow', 'source', 'threads', 'lives', 'blocked', 'locks', 'lock_threads', 'lock_ways', 'regions', 'remedies', 'futures']);
    const others = input => Object.keys(input.tables || {}).filter(n => !drawn.has(n) && input.tables[n].rows.length);

    page.view({
        id: 'others', title: 'More tables',
        applies: input => others(input).length > 0,
        says: () => 'What else the input has.',
        draw: (box, input) => others(input).forEach(n => {
            box.append('h3').text(n);
            page.putTable(box.append('div'), page.table(input, n));
        }),
    });

    page.view({
        id: 'made', title: 'How this was made', lasts: true,
        applies: () => true,
        says: () => 'The same commands on the same machine give the same numbers, to the last digit.',
        draw(box, input) {
            const list = box.append('dl');
            const facts = [['page', input.report], ['run', input.origin], ['command in the guest', input.command], ['recorded by', input.tool], ['system', input.system], ['machine', input.host],
                ['time model', input.time], ['files', (input.files || []).join(' ')]].filter(f => f[1]);

            facts.forEach(([name, value]) => {
                list.append('dt').text(name);
                list.append('dd').append('code').text(value);
            });
            if (!input.description && input.kind === 'difference') {
                return;
            }
            if (!input.description) {
                box.append('p').text('The description of the machine is not known; origin report -m MACHINE names it.');
                return;
            }
            const details = box.append('details');
            details.append('summary').text('the description of the machine, for origin run -m FILE.dts');
            details.append('a').attr('class', 'download').attr('download', (input.host || 'machine').replace(/[^\w.-]/g, '_').replace(/\.dt[sb]$/, '') + '.dts')
                .attr('href', 'data:text/plain;charset=utf-8,' + encodeURIComponent(input.description)).text('save it as a file');
            details.append('pre').text(input.description);
        },
    });
}());
