// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What has happened, and the way back. A step is one access; its moments are the messages that arrive, in the order of their times, and the end of the access.
 * A position is the number of moments that have happened. The engine stands between two steps; it saves its state every few steps, and goes back by loading
 * one and doing again what came after.
 *
 *   past.clear()           a machine at power-on
 *   past.act(op, who, pa, at)  does an access behind the position; later steps are gone. Returns the step
 *   past.go(position)      past.position, past.moment(), past.step(): where we are
 *   past.state(line)       directory entry and copies of a line at the position
 *   past.sync()            lets the engine stand behind the step of the position
 */
'use strict';
const past = (function () {
    const EVERY = 32, LINE = 128, UNIT = 'AB?I';
    let steps = [], position = 0, at = 0, saved = 0, lines = new Map();

    const nothing = { entry: { state: 'UOWN', prio: 0 }, copies: {}, buffers: {} };
    const lineOf = pa => pa - pa % LINE;
    const agent = a => ({ node: a >> 2, unit: UNIT[a & 3], cpu: (a & 3) < 2 ? (a >> 2) * 2 + (a & 3) : -1 });

    /*
     * The moments of an access: its transactions one after the other, each in the order of time. The executor writes messages down depth first. What follows a
     * transaction (the write-back of an I/O unit) may begin, by its clock, before that is over.
     */
    function moments(answer) {
        const list = answer.events.filter(e => e.type).map(e => ({ kind: 'message', m: e, at: e.taken, pa: e.pa }));

        list.sort((a, b) => a.m.tx - b.m.tx || a.at - b.at || a.m.n - b.m.n);
        answer.events.filter(e => 'dropped' in e).forEach(e => list.unshift({ kind: 'drop', cpu: e.dropped, pa: e.pa, at: e.tick * 10 }));
        list.push({ kind: 'end', pa: lineOf(answer.pa), at: answer.end * 10 });
        return list;
    }

    /* What a requestor's buffer does with an answer, or -1. */
    function nextPhase(m) {
        const t = life.tables, type = t.messages.findIndex(o => o.name === m.type), row = t.requestor.find(r => r[0] === m.row && r[1] === type);

        return m.table === 3 && row ? t.phases[m.step ? 0 : row[2]] : null;
    }

    /* The state of the line after a moment. */
    function after(state, moment, answer) {
        const next = { entry: state.entry, copies: { ...state.copies }, buffers: { ...state.buffers } };

        if (moment.kind === 'drop') {
            delete next.copies[moment.cpu];
        } else if (moment.kind === 'message') {
            const m = moment.m, phase = nextPhase(m);

            if (m.after) {
                next.entry = m.after;
            }
            m.copies.forEach(([cpu, , to]) => { if (to === 'I') { delete next.copies[cpu]; } else { next.copies[cpu] = to; } });
            if (m.parent === 0) {
                next.buffers[m.req] = `${m.type} sent, no answer yet`;
            }
            if (phase) {
                next.buffers[m.req] = phase === 'IDLE' ? '' : phase;
            }
        } else {
            next.copies = { ...answer.line.caches };
            next.buffers = {};
        }
        return next;
    }

    /* The engine's own view of the line says whether the messages add up. */
    function check(state, answer) {
        const l = answer.line, e = state.entry, faults = [];

        if (l.state !== e.state || String(l.sharers || '') !== String(e.sharers || '')) {
            faults.push(`the directory has ${l.state} ${l.sharers || ''}, the messages say ${e.state} ${e.sharers || ''}`);
        }
        /* A store to an exclusive copy sends no message. */
        const held = c => JSON.stringify(c).replace(/"E"/g, '"M"');
        if (held(l.caches) !== held(state.copies)) {
            faults.push(`the caches have ${held(l.caches)}, the messages say ${held(state.copies)}`);
        }
        return faults;
    }

    /* The states before the first moment of a step and after each. */
    function unroll(step) {
        const now = new Map(step.before);

        step.moments.forEach(moment => {
            const before = now.get(moment.pa) || nothing;

            moment.before = before;
            if (moment.kind === 'end') {
                step.faults = step.answer.op === 'unowned' ? [] : check(before, step.answer);
            }
            moment.after = after(before, moment, step.answer);
            if (moment.kind === 'end') {
                moment.after.entry = { ...before.entry, state: step.answer.line.state, sharers: step.answer.line.sharers };
            }
            now.set(moment.pa, moment.after);
        });
        return now;
    }

    const first = i => i < steps.length ? steps[i].first : steps.length ? steps[steps.length - 1].first + steps[steps.length - 1].moments.length : 0;
    const total = () => first(steps.length);

    /* The step of the moment that has happened last, -1: none. */
    function index() {
        let a = -1, b = steps.length - 1;

        while (a < b) {
            const m = Math.ceil((a + b) / 2);

            if (steps[m].first < position) { a = m; } else { b = m - 1; }
        }
        return a;
    }

    function save() {
        if (at % EVERY === 0 && at / EVERY === saved) {
            engine.call('save');
            saved++;
        }
    }

    /* The engine stands behind `count` steps. */
    function stand(count) {
        if (at > count || saved - 1 > Math.floor(at / EVERY) && Math.floor(count / EVERY) > Math.floor(at / EVERY)) {
            const state = Math.min(Math.floor(count / EVERY), saved - 1);

            engine.call('load', state);
            at = state * EVERY;
        }
        while (at < count) {
            const c = steps[at].call;

            save();
            engine.call('do', ...c);
            at++;
            if (engine.said() !== steps[at - 1].text) {
                throw new Error(`step ${at} is not what it was when it was done first`);
            }
        }
    }

    function cut(count) {
        if (count < steps.length) {
            steps = steps.slice(0, count);
            lines = count ? steps[count - 1].lines : new Map();
            saved = Math.min(saved, Math.floor(count / EVERY) + 1);
            engine.call('drop', saved);
        }
    }

    function act(op, who, pa, when) {
        const here = index() + 1;

        stand(here);
        save();
        engine.call('do', op, who, pa, when); /* throws before anything has changed */
        cut(here);
        at++;
        const text = engine.said(), answer = JSON.parse(text), step = { call: [op, who, pa, when], text, answer, first: total(), before: lines, faults: [] };

        step.last = Math.max(answer.end, here ? steps[here - 1].last : 0);
        step.moments = moments(answer);
        lines = step.lines = unroll(step);
        steps.push(step);
        position = step.first + step.moments.length;
        return step;
    }

    function clear() {
        steps = [];
        position = at = saved = 0;
        lines = new Map();
    }

    function go(to) {
        position = Math.max(0, Math.min(total(), to || 0));
    }

    function state(line) {
        const i = index();

        if (i < 0) {
            return nothing;
        }
        for (let k = position - steps[i].first - 1; k >= 0; k--) {
            if (steps[i].moments[k].pa === line) {
                return steps[i].moments[k].after;
            }
        }
        return steps[i].before.get(line) || nothing;
    }

    return {
        clear, act, go, state, agent, lineOf, total, index,
        sync: () => stand(index() + 1),
        get position() { return position; },
        get steps() { return steps; },
        step: () => steps[index()] || null,
        moment: () => { const s = steps[index()]; return s ? s.moments[position - s.first - 1] : null; },
        first,
        /* Ticks: when all that has happened is over. */
        end: () => position ? steps[index()].last : 0,
    };
}());
