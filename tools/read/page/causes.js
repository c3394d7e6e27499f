// SPDX-License-Identifier: GPL-2.0-or-later
/* Why lines were not in the cache, and what that cost; by object and function below. */
'use strict';
(function () {
    const keys = (input, table, from) => page.table(input, table).columns.slice(from);
    const parts = (row, names) => names.reduce((o, k) => Object.assign(o, { [k.name]: row[k.name] }), {});

    page.view({
        id: 'causes', title: 'Causes of misses',
        applies: input => page.rows(input, 'causes').length > 0,
        says: () => 'What processors waited for the misses of each cause, in microseconds of processor time. Sharing is mended in the data layout, capacity and conflict in the order ' +
            'of accesses and the addresses, "first" rarely at all.',
        draw(box, input) {
            const all = page.rows(input, 'causes').sort((a, b) => b.stall - a.stall), sum = d3.sum(all, r => r.stall) || 1;

            page.bars(box, {
                label: 'stall of each cause', unit: 'us', keys: all.map(r => ({ name: r.cause, text: r.meaning })),
                rows: all.map(r => ({ label: r.cause, title: r.meaning, parts: { [r.cause]: r.stall },
                    text: `${page.time(r.stall)}, ${(100 * r.stall / sum).toFixed(1)} %, ${page.short(r.count)} misses` })),
            });
        },
        table: input => page.table(input, 'causes'),
    });

    page.view({
        id: 'objects', title: 'Data objects',
        applies: input => page.rows(input, 'objects').length > 0,
        says: () => 'What processors waited for each object, by the cause of the misses, in microseconds of processor time. Heap blocks are called after the place that allocated them.',
        draw(box, input) {
            const names = keys(input, 'objects', 6);
            /* Two blocks of one function differ in the line that allocated them. */
            const label = r => r.object.length > 46 && r.where ? `${page.cut(r.object, 45 - r.where.length)} ${r.where}` : r.object;

            page.bars(box, {
                label: 'stall of each object', unit: 'us', most: 12, keys: names,
                rows: page.rows(input, 'objects').map(r => ({ label: label(r), parts: parts(r, names),
                    title: [r.object, r.type, r.where].filter(s => s).join(', ') })),
            });
        },
        table: input => page.table(input, 'objects'),
    });

    page.view({
        id: 'functions', title: 'Functions',
        applies: input => page.rows(input, 'functions').length > 0,
        says: () => 'What each function waited, by the part of the memory system, in microseconds of processor time. Local and remote are memory that answered alone; clean and dirty ' +
            'came from another processor\'s cache.',
        draw(box, input) {
            const names = keys(input, 'functions', 5);

            page.bars(box, {
                label: 'stall of each function', unit: 'us', most: 12, keys: names,
                rows: page.rows(input, 'functions').map(r => ({ label: r.function[0] === '[' ? `${r.function} (${r.image})` : r.function, title: `${r.function} in ${r.image}`, parts: parts(r, names) })),
            });
        },
        table: input => page.table(input, 'functions'),
    });

    page.view({
        id: 'samples', title: 'Functions',
        applies: input => (input.functions || []).length > 0,
        says: () => 'Samples of all threads by the function that they were in: a function with many samples is where the time went.',
        draw(box, input) {
            const sums = d3.nest().key(f => f[1]).rollup(f => d3.sum(f, r => r[2])).entries(input.functions).sort((a, b) => b.value - a.value);

            page.bars(box, {
                label: 'samples of each function', unit: 'samples', most: 12, keys: [{ name: 'samples' }],
                rows: sums.map(f => ({ label: f.key, parts: { samples: f.value } })),
            });
        },
        table: input => ({
            columns: [{ name: 'thread' }, { name: 'function' }, { name: 'samples', unit: 'samples' }],
            rows: input.functions,
        }),
    });
}());
