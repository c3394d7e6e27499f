// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all parts of the page share: the machine that is shown, the line, the processor that is chosen, and what the present moment looks like.
 *
 *   life.machine, life.shape, life.tables    dtinfo's JSON; clocks and parts (machine_shape()); names and rows (machine_tables())
 *   life.load({ text or preset, time, seed })   another machine; throws an Error with one line
 *   life.line, life.cpu                      the line that is shown; the processor that acts
 *   life.view()                              the present moment: state of the line, what has changed, messages
 *   life.way(a, b)                           the routers between two nodes
 */
'use strict';
const life = (function () {
    const LINE = 128, FIRST = 0x10000, ways = new Map();
    const self = { machine: null, shape: null, tables: null, line: FIRST, cpu: 0, racing: false, preset: 'ricotta', text: '', time: 0, seed: 1, line0: FIRST, LINE };

    self.presets = Object.keys(engine.data.files).filter(n => n.endsWith('.dts')).map(n => n.slice(0, -4));
    self.ns = ps => String(+(ps / 1000).toFixed(3));
    self.op = name => self.tables.ops.findIndex(o => o.name === name);
    self.requestOf = m => {
        const s = past.step(), first = s && s.answer.events.find(e => e.tx === m.tx && e.parent === 0);

        return first ? first.type : '';
    };

    self.load = function ({ preset, text, time, seed }) {
        const source = text || engine.data.files[preset + '.dts'];

        if (!source) {
            throw new Error(`There is no preset '${preset}'.`);
        }
        const d = engine.describe(source);
        engine.machine(d.blob, time, seed);
        Object.assign(self, { machine: d.shape, shape: engine.json('shape'), preset: text ? '' : preset, text: text || '', time, seed, racing: false, line: FIRST });
        if (!self.tables) {
            engine.call('tables');
            self.tables = JSON.parse(engine.said());
        }
        ways.clear();
        past.clear();
        self.cpu = self.shape.cpus[0].cpu;
    };

    self.way = function (a, b) {
        const key = a * 256 + b;

        if (!ways.has(key)) {
            ways.set(key, engine.json('way', a, b));
        }
        return ways.get(key);
    };

    function raceView() {
        const s = races.step(), now = races.now(), before = races.position > 1 ? races.steps[races.position - 2].answer : null, copies = {}, buffers = {}, changed = new Set();

        now.cpus.forEach((c, i) => {
            if (c.copy !== 'I') {
                copies[c.cpu] = c.copy;
            }
            const held = c.held ? `, holds ${c.held}` : '', parts = [];
            if (c.phase !== 'IDLE') {
                parts.push(`${c.request} in ${c.phase}${c.acks ? `, acknowledgements ${c.acks}` : ''}${c.inv ? ', invalidated meanwhile' : ''}`);
            } else if (c.again) {
                parts.push(`${c.request} was refused: to be sent again`);
            }
            if (c.wphase !== 'IDLE' || c.wagain) {
                parts.push(`write-back in ${c.wphase}${c.wagain ? ', to be sent again' : ''}`);
            }
            if (parts.length) {
                buffers[(c.cpu >> 1) * 4 + (c.cpu & 1)] = parts.join('; ') + held;
            }
            if (before && before.cpus[i].copy !== c.copy) {
                changed.add(c.cpu);
            }
        });
        const message = s && s.answer.did === 'arrive' ? s.answer : null;
        return {
            state: { entry: now.entry, copies, buffers }, changed: { entry: Boolean(message && message.before && message.before.state !== message.after.state), copies: changed },
            flying: now.flying, message, step: s, moment: null,
        };
    }

    self.view = function () {
        if (self.racing) {
            return raceView();
        }
        const step = past.step(), moment = past.moment(), state = past.state(self.line), copies = new Set();
        let entry = false, flying = [], message = null;

        if (moment && moment.pa === self.line) {
            [...Object.keys(moment.before.copies), ...Object.keys(moment.after.copies)].forEach(c => { if (moment.before.copies[c] !== moment.after.copies[c]) { copies.add(+c); } });
            entry = JSON.stringify(moment.before.entry) !== JSON.stringify(moment.after.entry);
        }
        if (moment && moment.kind === 'message') {
            message = moment.m;
            flying = step.moments.filter(o => o.kind === 'message' && o.m !== message && o.m.sent <= moment.at && o.at > moment.at).map(o => o.m);
        }
        return { state, changed: { entry, copies }, flying, message, step, moment };
    };

    return self;
}());
