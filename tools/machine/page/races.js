// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Races: one line, and messages that arrive in the order that the reader chooses (tools/machine/races.h). A step is one action; the state after each is kept,
 * and the program in the page does the actions again when a new one is to follow an older state.
 *
 *   races.start(nodes, home)   races.act(name, a, b)   name: request, evict, deliver
 *   races.go(position), races.now(), races.steps
 */
'use strict';
const races = (function () {
    let steps = [], position = 0, at = 0, first = null, setup = null;

    function start(nodes, home) {
        setup = [nodes, home];
        first = engine.json('races_new', nodes, home);
        steps = [];
        position = at = 0;
    }

    /* The program stands behind `count` actions. */
    function stand(count) {
        if (at === count) {
            return;
        }
        engine.call('races_new', ...setup);
        for (at = 0; at < count; at++) {
            engine.call('races_' + steps[at].call[0], ...steps[at].call.slice(1));
            if (engine.said() !== steps[at].text) {
                throw new Error(`action ${at + 1} is not what it was when it was done first`);
            }
        }
    }

    function act(name, ...args) {
        stand(position);
        engine.call('races_' + name, ...args);
        const text = engine.said();

        steps = steps.slice(0, position);
        steps.push({ call: [name, ...args], text, answer: JSON.parse(text) });
        at = ++position;
        return steps[position - 1];
    }

    const now = () => position ? steps[position - 1].answer : first;
    const cpu = a => (a >> 2) * 2 + (a & 1);

    /* Does what a scenario's step says. */
    function play([what, a, b]) {
        if (what === 'request') {
            return act('request', a, life.tables.messages.findIndex(m => m.name === b));
        }
        if (what === 'evict') {
            return act('evict', a);
        }
        const m = now().flying.find(f => f.type === a && ((f.to & 3) === 2 || cpu(f.to) === b));
        if (!m) {
            throw new Error(`no ${a} is on its way`);
        }
        return act('deliver', m.n, what === 'full' ? 1 : 0);
    }

    function says(s) {
        const a = s.answer;

        return a.did === 'request' ? `cpu ${a.cpu} sends ${a.type}.` : a.did === 'evict' ? `cpu ${a.cpu} gives the line up.` :
            `${a.type} from ${words.who(a.from)} reaches ${words.who(a.to)}.`;
    }

    return {
        start, act, play, now, says, cpu, sync: () => stand(position),
        go: to => { position = Math.max(0, Math.min(steps.length, to || 0)); },
        step: () => position ? steps[position - 1] : null,
        get position() { return position; }, get steps() { return steps; }, get setup() { return setup; },
    };
}());
