// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong: the objects of a profile whose remedy would save most, and what to try. */
'use strict';
page.view({
    id: 'problems', title: 'What is wrong',
    applies: input => input.kind === 'profile',
    says: () => 'What each remedy would save is an estimate; costs are exact. Times add up over processors: two that wait 1 us each make 2. ' +
        'Begin with the first, change the program, profile it again.',
    draw(box, input) {
        const all = page.rows(input, 'problems');

        box.append('p').attr('class', 'headline').text(input.headline);
        (input.notes || []).forEach(n => box.append('p').attr('class', 'note').text(n));
        if (!all.length) {
            return;
        }
        const greatest = d3.max(all, r => r.cost);
        const item = box.append('ol').attr('class', 'problems').selectAll('li').data(all.slice(0, 6)).join('li');

        item.append('b').text(r => r.object);
        item.append('span').text(r => `: ${r.problem}` + (r.at ? `, most of it at ${r.at}` : '') + (r.through ? ` through ${r.through}()` : ''));
        const bar = item.append('div').attr('class', 'gain');
        bar.append('span').attr('class', 'cost').style('width', r => 24 * r.cost / greatest + 'rem').append('span').attr('class', 'saves').style('width', r => Math.min(100, 100 * r.saves / r.cost) + '%');
        bar.append('span').text(r => `costs ${page.time(r.cost)}, the remedy would save about ${page.time(r.saves)}`);
        item.append('div').attr('class', 'remedy').text(r => 'Try: ' + r.remedy + '.');
        item.filter(r => r.command).append('pre').attr('class', 'try').text(r => r.command);
    },
    table: input => page.table(input, 'problems'),
});
