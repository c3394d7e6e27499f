// SPDX-License-Identifier: GPL-2.0-or-later
/* Locks by name: how long they were held and waited for, who took each of them at which line, and between which nodes it went. */
'use strict';
(function () {
    const choices = page.choices();
    const text = r => `${r.count} ${r.count === 1 ? 'time' : 'times'}`;
    const links = n => page.unknown(n) ? '' : n === 1 ? ', 1 link' : `, ${n} links`;
    const shown = {
        locks: ['all locks', 'locks', r => r.lock, r => `${text(r)}, ${r.at}`],
        threads: ['a lock\'s threads and lines', 'lock_threads', r => page.unknown(r.thread) ? 'others' : `${r.thread} at ${r.at}`, text],
        ways: ['a lock\'s way between nodes', 'lock_ways',
            r => page.unknown(r.from) ? page.unknown(r.to) ? 'others' : `node ${r.to}, no other thread before` : `node ${r.from} to ${r.to}${links(r.hops)}`, text],
    };

    /* What is chosen: { what, lock }. */
    const chosen = input => Object.assign({ what: 'locks', lock: page.rows(input, 'locks')[0].lock }, choices.get(input));

    function choose(input, choice) {
        choices.set(input, Object.assign(chosen(input), choice));
        page.draw('locks');
    }

    function rows(input, { what, lock }) {
        const all = page.rows(input, shown[what][1]);

        return what === 'locks' ? all : all.filter(r => r.lock === lock);
    }

    page.view({
        id: 'locks', title: 'Locks',
        applies: input => page.rows(input, 'locks').length > 0,
        says: () => 'Mutexes and spinlocks of the program by name, in microseconds summed over threads: how long they were waited for, from the call that takes one to its return, and then held. ' +
            'A click on a lock shows which threads took it at which lines; its way tells between which nodes it went from one thread to another. Much waiting for a lock that is held for long ' +
            'asks for less work under it; much waiting for one that is held for a short time and goes far asks for a lock for each node.',
        draw(box, input) {
            const c = chosen(input), locks = page.rows(input, 'locks');

            page.choice(box, 'show', Object.entries(shown).map(([k, s]) => [k, s[0]]), c.what, what => choose(input, { what }));
            if (c.what !== 'locks') {
                page.choice(box, 'lock', locks.map(r => [r.lock, `${page.cut(r.lock, 70)}, ${page.time(r.waited)}`]), c.lock, lock => choose(input, { lock }));
            }
            page.bars(box, {
                label: shown[c.what][0], unit: 'us', most: 40, keys: [{ name: 'waited' }, { name: 'held' }],
                rows: rows(input, c).map(r => ({ label: shown[c.what][2](r), parts: { waited: r.waited, held: r.held }, text: shown[c.what][3](r), lock: r.lock })),
                pick: c.what === 'locks' ? r => choose(input, { what: 'threads', lock: r.lock }) : null,
            });
        },
        table(input) {
            const c = chosen(input), { columns, rows } = page.table(input, shown[c.what][1]);

            return c.what === 'locks' ? { columns, rows } : { columns, rows: rows.filter(r => r[0] === c.lock) };
        },
    });
}());
