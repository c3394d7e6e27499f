// SPDX-License-Identifier: GPL-2.0-or-later
/* What origin whatif has measured: the gain of each remedy beside its estimate, and what the threads wait for in each future. */
'use strict';
(function () {
    const RANGE = 24; /* rem: the time before, or the greatest estimate if that is longer */

    page.view({
        id: 'remedies', title: 'What a change would gain',
        applies: input => input.kind === 'whatif',
        says: () => 'The gain is machine time, measured with the remedy. The estimate is the profile\'s, in processor time of all threads, and knows nothing of what they wait for then.',
        draw(box, input) {
            const all = page.rows(input, 'remedies'), greatest = d3.max(all, r => Math.max(r.before_us, r.estimate_us || 0)) || 1;
            const item = box.append('ol').attr('class', 'problems').selectAll('li').data(all).join('li');
            const width = v => RANGE * Math.max(0, v) / greatest + 'rem';

            (input.notes || []).forEach(n => box.insert('p', 'ol').attr('class', 'note').text(n));
            item.append('b').text(r => r.remedy);
            item.append('span').text(r => r.problem ? `: ${r.problem}` : '');
            item.filter(r => r.error).append('p').attr('class', 'note').text(r => r.error);

            const tried = item.filter(r => !r.error), bar = tried.append('div').attr('class', 'gain');
            bar.append('span').attr('class', 'cost').style('width', r => width(r.before_us)).append('span').attr('class', 'saves').style('width', r => Math.max(0, r.gain_percent) + '%');
            bar.append('span').text(r => `${r.gain_us < 0 ? 'loses' : 'gains'} ${page.time(Math.abs(r.gain_us))} of ${page.time(r.before_us)}, ${r.gain_percent.toFixed(1)} %` +
                (page.unknown(r.alone_us) ? '' : `; by themselves ${page.time(r.alone_us)}`));
            const estimate = tried.filter(r => !page.unknown(r.estimate_us)).append('div').attr('class', 'gain');
            estimate.append('span').attr('class', 'estimate').style('width', r => width(r.estimate_us));
            estimate.append('span').text(r => `estimated ${page.time(r.estimate_us)} of processor time`);
            tried.filter(r => r.source).append('div').attr('class', 'remedy').text(r => `In the source: ${r.source}.`);
            tried.append('div').attr('class', 'remedy').text(r => `Next: ${r.next}.`);
        },
        table: input => page.table(input, 'remedies'),
    });

    page.view({
        id: 'futures', title: 'What each future waits for',
        applies: input => page.rows(input, 'futures').length > 0,
        says: () => 'What the command\'s threads wait for without a remedy, and with each, in microseconds of processor time.',
        draw(box, input) {
            const parts = page.table(input, 'futures').columns.slice(1);

            page.bars(box, {
                label: 'waits of each future', unit: 'us', keys: parts,
                rows: page.rows(input, 'futures').map(r => ({ label: r.future, parts: Object.fromEntries(parts.map(k => [k.name, r[k.name]])) })),
            });
        },
        table: input => page.table(input, 'futures'),
    });
}());
