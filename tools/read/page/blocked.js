// SPDX-License-Identifier: GPL-2.0-or-later
/* What threads did all their life, and what they waited for while they were blocked. */
'use strict';
(function () {
    page.view({
        id: 'lives', title: 'Lives of threads',
        applies: input => page.rows(input, 'lives').length > 0,
        says: () => 'The whole life of each thread of the command in one bar, in microseconds: computing and waiting for memory in user mode, the same in the kernel, interrupts, ready ' +
            'while another thread had its processor, and blocked, by what it waited for. The parts add up to the time from its begin to its end.',
        draw(box, input) {
            const keys = page.table(input, 'lives').columns.slice(2);

            page.bars(box, {
                label: 'life of each thread', unit: 'us', most: 128, keys,
                rows: page.rows(input, 'lives').map(r => ({ label: r.thread, parts: Object.fromEntries(keys.map(k => [k.name, r[k.name]])) })),
            });
        },
        table: input => page.table(input, 'lives'),
    });

    page.view({
        id: 'blocked', title: 'Blocked',
        applies: input => page.rows(input, 'blocked').length > 0,
        says: () => 'What threads waited for while they were blocked, in microseconds summed over threads: locks and barriers by name, files, time, pages, the end of others. The second part ' +
            'of a bar is how long they then waited for a processor. The table has who ended the waits: if that is always one thread, all others wait for what it does.',
        draw: (box, input) => page.bars(box, {
            label: 'waits', unit: 'us', most: 40, keys: [{ name: 'blocked' }, { name: 'ready' }],
            rows: page.rows(input, 'blocked').map(r => ({ label: r.for, parts: { blocked: r.blocked, ready: r.ready }, text: `${page.time(r.blocked)} in ${r.count}` + (r.at ? `, ${r.at}` : '') })),
        }),
        table: input => page.table(input, 'blocked'),
    });
}());
