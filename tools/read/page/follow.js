// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a line that was followed (docs/follow.md), step by step: the messages of each transaction between its agents, what is
 * known of the access, and the state of directory and copies after the step. Any step can be returned to: the state is computed from
 * the first one on.
 */
'use strict';
(function () {
    const choices = page.choices(), LANE = 130, TOP = 34, HEIGHT = 420, known = new WeakMap();

    /* The events of each line; an access stands before the messages of its transaction, which were recorded before it. */
    function lives(input) {
        if (!known.has(input)) {
            const lines = new Map();

            d3.nest().key(r => r.line).entries(page.rows(input, 'follow')).forEach(g => {
                const steps = [];
                let first = 0, transaction = null;

                g.values.forEach(r => {
                    if (r.transaction !== transaction) {
                        transaction = r.transaction;
                        first = steps.length;
                    }
                    steps.splice(r.event === 'access' ? first : steps.length, 0, r);
                });
                lines.set(g.key, steps);
            });
            known.set(input, lines);
        }
        return known.get(input);
    }

    /* Directory and copies after step n. */
    function state(steps, n) {
        const s = { entry: null, copies: new Map() };

        for (let i = 0; i <= n; i++) {
            const r = steps[i];

            if (r.event === 'dropped' || r.event === 'flushed') {
                s.copies.set(String(r.cpu), 'I');
            }
            if (r.after) {
                s.entry = r.after;
            }
            (r.copies || '').split('; ').filter(c => c).forEach(c => {
                const [cpu, , after] = c.split(' ');

                s.copies.set(cpu, after);
            });
        }
        return s;
    }

    const waited = r => d3.sum((r.waits || '').split('; ').filter(w => w), w => +w.split(' ')[3]);
    const searches = {
        access: ['access', r => r.event === 'access'],
        false_sharing: ['miss by false sharing', r => r.cause === 'false_sharing'],
        NACK: ['NACK', r => r.name === 'NACK'],
        backoff: ['backoff', r => r.rule === 'backoff'],
        INVAL: ['INVAL', r => r.name === 'INVAL'],
        gone: ['copy that left without a message', r => r.event === 'dropped' || r.event === 'flushed'],
    };

    function longest(steps) {
        let best = 0;

        steps.forEach((r, i) => { best = waited(r) > waited(steps[best]) ? i : best; });
        return best;
    }

    /*
     * What is chosen: { line, number, find, held }. The number is that of the step in the line's life, of which a page of a running program has the end;
     * Infinity: the newest step, whichever that is. `step` is its place in `steps`. While the program runs, newer steps replace the ones that are
     * there. A reader who has gone back keeps those that were there then, `held`, until he returns to the newest one.
     */
    function chosen(input) {
        const c = Object.assign({ line: [...lives(input).keys()][0], number: input.running ? Infinity : 0, find: 'false_sharing', held: null }, choices.get(input));
        const now = { steps: lives(input).get(c.line) || [], before: (page.rows(input, 'followed').find(l => l.line === c.line) || {}).before || 0 };

        Object.assign(c, c.held || now, { all: now.before + now.steps.length });
        return Object.assign(c, { step: Math.max(0, Math.min(c.number - c.before, c.steps.length - 1)) });
    }

    function choose(input, change) {
        const c = chosen(input), next = { line: c.line, number: c.number, find: c.find, held: c.held };

        if (change.step !== undefined) {
            change.number = change.step < c.steps.length - 1 ? c.before + change.step : Infinity;
        }
        Object.assign(next, change);
        next.held = next.line !== c.line || next.number === Infinity ? null : c.held || (input.running ? { steps: c.steps, before: c.before } : null);
        choices.set(input, next);
        page.draw('follow');
    }

    function controls(box, input, c) {
        const bar = box.append('p').attr('class', 'choices'), go = (text, label, to) => bar.append('button').attr('type', 'button').attr('aria-label', label).attr('data-step', label)
            .attr('disabled', to === null || to === c.step ? '' : null).text(text).on('click', () => choose(input, { step: to }));
        const find = (from, by) => {
            for (let i = c.step + by; i >= 0 && i < c.steps.length; i += by) {
                if (searches[c.find][1](c.steps[i])) {
                    return i;
                }
            }
            return null;
        };

        go('|<', 'first', 0);
        go('<', 'back', Math.max(0, c.step - 1));
        go('>', 'forward', Math.min(c.steps.length - 1, c.step + 1));
        go('>|', 'last', c.steps.length - 1);
        bar.append('input').attr('type', 'range').attr('min', 0).attr('max', c.steps.length - 1).attr('aria-label', 'step').style('width', '18rem').property('value', c.step)
            .on('change', function () { choose(input, { step: +this.value }); });
        bar.append('span').attr('class', 'at').text(` step ${c.before + c.step + 1} of ${c.all} `);
        page.choice(box, 'find', Object.entries(searches).map(([k, s]) => [k, s[0]]), c.find, v => choose(input, { find: v }));
        go('< find', 'find back', find(c.step, -1));
        go('find >', 'find forward', find(c.step, 1));
        go('longest wait', 'longest wait', longest(c.steps));
    }

    /* The agents of a transaction as lanes, time downwards; a message is an arrow from where it left to where it arrived. */
    function lanes(box, c) {
        const now = c.steps[c.step], part = c.steps.filter(r => now.transaction !== null && r.transaction === now.transaction), messages = part.filter(r => r.event === 'message');
        const agents = [...new Set([].concat(...messages.map(r => [r.from, r.to])))];

        if (!messages.length) {
            box.append('p').attr('class', 'says').text(`No message belongs to this step: ${now.event} by cpu ${now.cpu}.`);
            return;
        }
        const begin = messages[0].sent, end = d3.max(part, r => r.taken), y = d3.scaleLinear().domain([begin, end]).range([TOP, HEIGHT - 16]), x = a => 90 + agents.indexOf(a) * LANE;
        const width = 90 + agents.length * LANE, svg = box.append('svg').attr('viewBox', `0 0 ${width} ${HEIGHT}`).style('max-width', width + 'px').attr('role', 'img')
            .attr('aria-label', 'messages of the transaction');

        svg.append('defs').append('marker').attr('id', 'follow-head').attr('viewBox', '0 0 8 8').attr('refX', 8).attr('refY', 4).attr('markerWidth', 7).attr('markerHeight', 7).attr('orient', 'auto')
            .append('path').attr('d', 'M0,0L8,4L0,8z').attr('fill', 'var(--mark)');
        agents.forEach(a => {
            svg.append('line').attr('class', 'moment named').attr('x1', x(a)).attr('x2', x(a)).attr('y1', TOP - 6).attr('y2', HEIGHT);
            svg.append('text').attr('x', x(a)).attr('y', 14).attr('text-anchor', 'middle').text(a.endsWith('M') ? `memory ${a.slice(0, -1)}` : a.endsWith('I') ? `I/O ${a.slice(0, -1)}` : `cpu ${2 * +a.slice(0, -1) + (a.endsWith('B') ? 1 : 0)}`);
            svg.append('text').attr('x', x(a)).attr('y', 26).attr('text-anchor', 'middle').text(a);
        });
        svg.append('g').attr('class', 'axis').attr('transform', 'translate(48,0)').call(d3.axisLeft(d3.scaleLinear().domain([0, end - begin]).range([TOP, HEIGHT - 16])).ticks(8));
        svg.append('text').attr('x', 4).attr('y', 14).text('ns');
        const step = svg.selectAll('g.message').data(messages).join('g').attr('class', 'message').attr('data-name', r => r.name)
            .style('opacity', r => c.steps.indexOf(r) > c.step ? 0.25 : 1).style('font-weight', r => r === now ? 'bold' : null);

        step.append('title').text(r => `${r.name} from ${r.from} to ${r.to}: sent at ${(r.sent - begin).toFixed(1)} ns, left at ${(r.left - begin).toFixed(1)}, arrived at ` +
            `${(r.arrived - begin).toFixed(1)}, taken at ${(r.taken - begin).toFixed(1)}${r.waits ? `; waits (ps): ${r.waits}` : ''}`);
        step.append('line').attr('class', 'line').style('stroke-width', r => r === now ? 3 : 1.3).attr('marker-end', 'url(#follow-head)')
            .attr('x1', r => x(r.from)).attr('x2', r => x(r.to)).attr('y1', r => y(r.left)).attr('y2', r => y(r.arrived));
        step.append('line').attr('class', 'line second').style('stroke-width', 4).attr('x1', r => x(r.to)).attr('x2', r => x(r.to)).attr('y1', r => y(r.arrived)).attr('y2', r => y(r.taken));
        step.append('text').attr('class', 'over').attr('x', r => (x(r.from) + x(r.to)) / 2).attr('y', r => (y(r.left) + y(r.arrived)) / 2 - 3).attr('text-anchor', 'middle').text(r => r.name);
    }

    /* The access, the step, and the state behind it; what the step has changed is marked. */
    function detail(box, c) {
        const now = c.steps[c.step], access = c.steps.find(r => r.event === 'access' && now.transaction !== null && r.transaction === now.transaction);
        const after = state(c.steps, c.step), before = c.step ? state(c.steps, c.step - 1) : { entry: null, copies: new Map() };
        const list = box.append('div').attr('class', 'detail').append('dl'), item = (name, text, changed) => {
            list.append('dt').text(name);
            list.append('dd').attr('data-item', name).style('font-weight', changed ? 'bold' : null).text(text);
        };

        if (access) {
            item('access', `${access.name} by cpu ${access.cpu}, ${access.who || 'no thread'}`);
            item('at', `${access.at || '?'} in ${access.function || '?'}()`);
            item('of', access.what || '?');
            item('miss', `${access.tx}, ${access.cause || 'cause not known'}, ${(access.taken - access.sent).toFixed(1)} ns`);
        }
        if (now.event === 'message') {
            item('step', `${now.name} from ${now.from} to ${now.to}, ${(now.taken - now.sent).toFixed(1)} ns`);
            item('row of the protocol', `${now.rule}: ${now.row}, ${now.name}${now.step ? `; ${now.step}` : ''}`);
            item('waits, ps', now.waits || 'none');
        } else {
            item('step', now.event);
        }
        item('directory', `${after.entry || 'not known yet'}${now.before && now.before !== now.after ? `, was ${now.before}` : ''}`, after.entry !== before.entry);
        [...after.copies].filter(([cpu, s]) => s !== 'I' || before.copies.get(cpu) !== s).sort((p, q) => p[0] - q[0])
            .forEach(([cpu, s]) => item(`copy of cpu ${cpu}`, s, before.copies.get(cpu) !== s));
    }

    page.view({
        id: 'follow', title: 'The life of a line',
        applies: input => page.rows(input, 'follow').length > 0,
        says: () => 'A line that was followed, message by message. An arrow goes from where a message left to where it arrived, the thick stroke below it is what it then waited for or took; ' +
            'time goes down. What a step has changed is bold. The first store to an exclusive copy makes no message: the next one finds it modified.' +
            (page.shown.running ? ' The program runs: the last step is the newest one, and goes on with the program. The page has the newest steps; who goes back keeps them.' : ''),
        draw(box, input) {
            const c = chosen(input), lines = page.rows(input, 'followed');

            page.choice(box, 'line', [...lives(input)].map(([line, steps]) => {
                const l = lines.find(r => r.line === line) || {};

                return [line, `${l.address || line}: ${page.cut(l.what || '?', 50)}, ${l.transactions} transactions, ${steps.length} steps`];
            }), c.line, v => choose(input, { line: v, number: input.running ? Infinity : 0 }));
            controls(box, input, c);
            const beside = box.append('div').attr('class', 'beside');

            lanes(beside.append('div').attr('class', 'picture'), c);
            detail(beside, c);
        },
        table: input => page.table(input, 'follow'),
    });
}());
