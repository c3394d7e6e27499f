// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks of cycles: what the pipeline computed, by what bounds it, and what it waited; of a profile with --cpu=pipeline. */
'use strict';
(function () {
    const choices = page.choices();
    const tables = { function: 'function_cycles', thread: 'thread_cycles' };

    /* The bars of one table, in us or in cycles an instruction */
    function stacks(input, chosen, keys) {
        return page.rows(input, tables[chosen.by]).filter(r => chosen.show !== 'cpi' || r.insns > 0).map(r => {
            const sum = d3.sum(keys, k => r[k.name]) || 1, cpi = r.cycles / r.insns, scale = chosen.show === 'cpi' ? cpi / sum : 1;

            return { label: r[chosen.by], parts: Object.fromEntries(keys.map(k => [k.name, r[k.name] * scale])),
                text: `${page.time(sum)}` + (r.insns > 0 ? `, ${cpi.toFixed(2)} cycles an instruction` : '') };
        });
    }

    page.view({
        id: 'cycles', title: 'Cycles',
        applies: input => page.rows(input, 'thread_cycles').length > 0,
        says: () => 'What the command\'s processors did: computing, by what kept instructions from graduating, and waiting for caches and memory. All parts together are the clock. ' +
            '"Dependence" is mended with independent work, "unit" with fewer operations of its kind, "width" with fewer instructions, "waiting" in the views of misses.',
        draw(box, input) {
            const chosen = choices.get(input) || { by: 'function', show: 'time' };
            const modes = ['user', 'kernel', 'interrupt'], known = page.rows(input, tables[chosen.by]).some(r => r.kernel !== null && r.kernel !== undefined);
            const keys = page.table(input, tables[chosen.by]).columns.slice(3).filter(c => modes.includes(c.name) === (chosen.show === 'modes'));
            const again = (key, value) => {
                choices.set(input, Object.assign(chosen, { [key]: value }));
                page.draw('cycles');
            };

            page.choice(box, 'by', [['function', 'function'], ['thread', 'thread']], chosen.by, v => again('by', v));
            page.choice(box, 'show', [['time', 'time'], ['cpi', 'cycles an instruction']].concat(known ? [['modes', 'time by mode']] : []), chosen.show, v => again('show', v));
            page.bars(box, { label: 'cycles', unit: chosen.show === 'cpi' ? '' : 'us', most: chosen.by === 'thread' ? 128 : 20, keys, rows: stacks(input, chosen, keys) });
        },
        table: input => page.table(input, 'function_cycles'),
    });
}());
