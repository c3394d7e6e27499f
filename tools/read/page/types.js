// SPDX-License-Identifier: GPL-2.0-or-later
/* Misses by type and member: a structure's layout in lines of the cache, what each member costs, and what would change it for the better. */
'use strict';
(function () {
    const choices = page.choices(), WIDTH = 768, LEFT = 90, ROW = 26, LINES = 40;
    const named = input => page.rows(input, 'types').filter(r => r.type !== null);
    const key = r => `${r.type}, ${r.bytes} bytes`;
    const missed = (input, type) => page.rows(input, 'members').filter(m => m.member !== null && m.type === type.type && m.bytes === type.bytes);

    /* A member's pieces, one in each line that it lies on. What missed at a distance from the structure's beginning alone has no size. */
    function pieces(member, shift, bytes) {
        const from = member.offset + shift, to = from + Math.max(member.size, 1), all = [];

        for (let at = from; at < to; at = bytes * (Math.floor(at / bytes) + 1)) {
            const line = Math.floor(at / bytes);

            all.push({ member, line, at: at - line * bytes, bytes: Math.min(to, (line + 1) * bytes) - at });
        }
        return all;
    }

    /* A row for each line that has members which missed. */
    function layout(box, type, members, bytes) {
        const scale = WIDTH / bytes;
        const shift = type.begins || 0, all = [].concat(...members.map(m => pieces(m, shift, bytes)));
        const lines = [...new Set(all.map(p => p.line))].sort((a, b) => a - b), shown = lines.slice(0, LINES), y = l => shown.indexOf(l) * ROW;
        const colour = page.scale(d3.max(members, m => m.stall)), drawn = all.filter(p => shown.includes(p.line));
        const svg = box.append('svg').attr('viewBox', `0 0 ${LEFT + WIDTH + 10} ${shown.length * ROW + 22}`).style('max-width', LEFT + WIDTH + 10 + 'px')
            .attr('role', 'img').attr('aria-label', 'layout of the structure');
        const row = svg.selectAll('g.line-row').data(shown).join('g').attr('class', 'line-row').attr('transform', l => `translate(0,${y(l)})`);

        row.append('text').attr('x', LEFT - 6).attr('y', 16).attr('text-anchor', 'end').text(l => 'byte ' + Math.max(l * bytes - shift, 0));
        row.append('rect').attr('class', 'module').attr('x', LEFT).attr('y', 2).attr('width', WIDTH).attr('height', ROW - 4);
        const piece = svg.selectAll('g.member').data(drawn).join('g').attr('class', 'member').attr('transform', p => `translate(${LEFT + p.at * scale},${y(p.line) + 2})`);
        piece.append('rect').attr('width', p => p.bytes * scale - 1).attr('height', ROW - 4).attr('fill', p => colour(p.member.stall)).attr('data-member', p => p.member.member)
            .attr('data-value', p => p.member.stall);
        piece.append('text').attr('x', 3).attr('y', 15).style('fill', p => page.ink(colour(p.member.stall))).text(p => {
            const most = Math.floor((p.bytes * scale - 4) / 6.5);

            return most < 2 ? '' : page.cut(p.member.member, most);
        });
        piece.append('title').text(p => `${p.member.member}, ${p.member.size} bytes at ${p.member.offset}: ${p.member.count} transactions, ${page.time(p.member.stall)}`);
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${shown.length * ROW})`)
            .call(d3.axisBottom(d3.scaleLinear().domain([0, bytes]).range([0, WIDTH])).tickValues(d3.range(0, bytes + 1, bytes / 16)));
        if (lines.length > shown.length) {
            box.append('p').attr('class', 'says').text(`The first ${shown.length} of ${lines.length} lines are drawn.`);
        }
    }

    function propose(box, type) {
        const said = [type.apart && ['apart', type.apart], type.together && ['together', type.together]].filter(s => s);

        box.selectAll('p.remedy').data(said).join('p').attr('class', 'remedy').text(s => `${s[0]}: ${s[1]}`);
    }

    page.view({
        id: 'types', title: 'Types and members',
        applies: input => named(input).length > 0,
        says: input => `All elements of a type laid over each other, in lines of ${input.line} bytes: the lighter a member, the longer processors waited for it. If elements begin at different ` +
            'bytes of a line, the drawing has them at byte 0. "apart" names members that false sharing costs, with a | between those of different threads: put these on ' +
            'lines of their own. "together" names what is used of a larger structure: put it into a smaller one.',
        draw(box, input) {
            const all = named(input), chosen = all.find(r => key(r) === choices.get(input)) || all.find(r => missed(input, r).length) || all[0];
            const members = missed(input, chosen), causes = page.table(input, 'members').columns.slice(8);

            page.choice(box, 'type', all.map(r => [key(r), page.cut(`${key(r)}: ${page.time(r.stall)}, ${r.object}`, 90)]), key(chosen), v => {
                choices.set(input, v);
                page.draw('types');
            });
            propose(box, chosen);
            if (members.length) {
                layout(box.append('div').attr('class', 'drawing'), chosen, members, input.line);
            }
            page.bars(box, {
                label: 'stall of each member', unit: 'us', most: 20, keys: causes,
                rows: (members.length ? members : [chosen]).slice().sort((a, b) => b.stall - a.stall).map(r => ({
                    label: r.member || r.type, parts: causes.reduce((o, c) => Object.assign(o, { [c.name]: r[c.name] }), {}),
                })),
            });
        },
        table: input => page.table(input, 'members').rows.length ? page.table(input, 'members') : page.table(input, 'types'),
    });
}());
