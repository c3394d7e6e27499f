// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Short programs. A text has lines of memory with names, accesses one after the other, and programs of processors that run at the same time:
 *
 *   line A node 1            A is a line in the memory of node 1; A+8 is a word in it
 *   do                       accesses, each when the one before has ended; `together`: all begin at one time
 *     cpu 2 store A
 *     io 0 read A            read, write, part, poison
 *   cpu 0                    a program
 *     L: r1 = ll A           LABEL: before an instruction
 *     r2 = r1 + 1            numbers, registers, +, -
 *     r3 = sc A r2           1 if it was done, else 0
 *     if r3 == 0 goto L      ==, !=, <, >=
 *     store A r1 / r4 = load A / prefetch A / prefetchx A / fetch A / flush A / wait 100 (ns) / repeat 3 ... end
 *
 *   programs.parse(text)     throws an Error "line N: why"
 *   programs.run(parsed)     does the accesses; returns their number
 */
'use strict';
const programs = (function () {
    const MOST = 5000, LINE = 128, FIRST = 0x10000, IO = ['read', 'write', 'part', 'poison'];
    const CPU = ['load', 'store', 'll', 'sc', 'prefetch', 'prefetchx', 'fetch', 'flush'], DOOR = ['unowned', 'moq'];

    const number = s => /^\d+$/.test(s) ? +s : /^0x[0-9a-f]+$/i.test(s) ? parseInt(s, 16) : NaN;

    function parse(text) {
        const lines = new Map(), parts = [], node = n => n * 2 ** 32;
        let at = 0, part = null;
        const fail = why => { throw new Error(`line ${at}: ${why}`); };

        function address(word) {
            const m = /^([A-Za-z]\w*)(?:\+(\w+))?$/.exec(word || ''), offset = m && m[2] ? number(m[2]) : 0;

            if (!m || !lines.has(m[1])) {
                fail(word ? `'${word}' is no line of memory; 'line ${m ? m[1] : 'A'} node 0' makes one` : 'which line of memory?');
            }
            if (!(offset < LINE)) {
                fail(`'${word}': a line has ${LINE} bytes`);
            }
            return lines.get(m[1]) + offset;
        }

        function known(word, what, limit) {
            const n = number(word || '');

            if (!(n < limit)) {
                fail(word === undefined ? `which ${what}?` : `the machine has no ${what} ${word}`);
            }
            return n;
        }

        function cpu(word) {
            const n = known(word, 'processor', life.machine.nodes.length * 2);

            return life.shape.cpus.some(c => c.cpu === n) ? n : fail(`the machine has no processor ${word}`);
        }

        /* cpu 2 store A; io 0 read A; door unowned A */
        function access(w) {
            const kinds = { cpu: CPU, io: IO, door: DOOR }[w[0]], name = w[0] === 'door' ? w[1] : w[2];

            if (!kinds) {
                fail(`'${w[0]}': an access begins with cpu N, io NODE or door`);
            }
            if (!kinds.includes(name)) {
                fail(`'${name || ''}' is no access: ${kinds.join(' ')}`);
            }
            const pa = address(w[w[0] === 'door' ? 2 : 3]), who = w[0] === 'cpu' ? cpu(w[1]) : w[0] === 'io' ? known(w[1], 'node', life.machine.nodes.length) : 0;
            return { op: life.op(w[0] === 'io' ? 'io_' + name : name), who, pa };
        }

        const value = word => /^r\d+$/.test(word || '') ? { r: word } : !isNaN(number((word || '').replace(/^-/, ''))) ? { n: word[0] === '-' ? -number(word.slice(1)) : number(word) } :
            fail(`'${word || ''}' is no number and no register`);

        function instruction(w) {
            const set = w[1] === '=' ? w[0] : null, i = set ? w.slice(2) : w;

            if (set && !/^r\d+$/.test(set)) {
                fail(`'${set}' is no register: r0, r1, ...`);
            }
            if (CPU.includes(i[0])) {
                return { op: life.op(i[0]), pa: address(i[1]), set, store: /^(store|sc)$/.test(i[0]) ? i[2] === undefined ? { n: 1 } : value(i[2]) : null, sc: i[0] === 'sc' };
            }
            if (set && (i.length === 1 || i.length === 3 && '+-'.includes(i[1]))) {
                return { set, a: value(i[0]), sign: i[1] === '-' ? -1 : 1, b: i[2] ? value(i[2]) : { n: 0 } };
            }
            switch (i[0]) {
            case 'wait': return { wait: number(i[1] || '') >= 0 ? number(i[1]) : fail('wait how many ns?') };
            case 'repeat': return { repeat: number(i[1] || '') >= 0 ? number(i[1]) : fail('repeat how often?') };
            case 'end': return { end: true };
            case 'if':
                if (!['==', '!=', '<', '>='].includes(i[2]) || i[4] !== 'goto' || !i[5]) {
                    fail('if VALUE == VALUE goto LABEL');
                }
                return { a: value(i[1]), test: i[2], b: value(i[3]), goto: i[5] };
            case 'goto': return { a: { n: 0 }, test: '==', b: { n: 0 }, goto: i[1] || fail('goto where?') };
            default: return fail(`'${i[0]}' is no instruction: ${CPU.join(' ')} wait repeat end if goto`);
            }
        }

        /* The ends of loops, and where labels are. */
        function finish(p) {
            const open = [];

            p.list.forEach((c, i) => {
                at = c.line;
                if ('repeat' in c) {
                    open.push(i);
                } else if (c.end) {
                    c.begin = open.length ? open.pop() : fail('end without repeat');
                    p.list[c.begin].after = i + 1;
                } else if (c.goto) {
                    c.to = p.labels.has(c.goto) ? p.labels.get(c.goto) : fail(`there is no label ${c.goto}`);
                }
            });
            if (open.length) {
                at = p.list[open[0]].line;
                fail('repeat without end');
            }
        }

        function statement(s) {
            const w = s.split(/[\s,]+/).filter(x => x);

            if (w[0] === 'line') {
                if (!/^[A-Za-z]\w*$/.test(w[1] || '') || w[2] !== 'node') {
                    fail('line NAME node N');
                }
                if (lines.has(w[1])) {
                    fail(`line ${w[1]} is there already`);
                }
                lines.set(w[1], node(known(w[3], 'node', life.machine.nodes.length)) + FIRST + LINE * 8 * lines.size);
            } else if ((w[0] === 'do' || w[0] === 'together') && w.length === 1) {
                parts.push(part = { kind: w[0], list: [] });
            } else if (w[0] === 'cpu' && w.length === 2) {
                parts.push(part = { kind: 'cpu', cpu: cpu(w[1]), list: [], labels: new Map() });
                if (parts.filter(p => p.cpu === part.cpu).length > 1) {
                    fail(`cpu ${w[1]} has a program already`);
                }
            } else if (!part) {
                fail(`'${w[0]}': first say what follows: do, together, or cpu N`);
            } else if (part.kind !== 'cpu') {
                part.list.push({ line: at, ...access(w) });
            } else {
                const label = /^(\w+):$/.exec(w[0]);

                if (label) {
                    part.labels.set(label[1], part.list.length);
                    w.shift();
                }
                if (w.length) {
                    part.list.push({ line: at, ...instruction(w) });
                }
            }
        }

        text.split('\n').forEach((l, i) => {
            at = i + 1;
            l.replace(/#.*/, '').split(';').filter(s => /\S/.test(s)).forEach(s => statement(s.trim()));
        });
        parts.filter(p => p.kind === 'cpu').forEach(finish);
        return { lines, parts };
    }

    /* One processor's program up to its next access; false: it is at its end. */
    function advance(c) {
        const value = v => v.r ? c.regs.get(v.r) || 0 : v.n;

        for (let n = 0; c.at < c.list.length; n++) {
            const i = c.list[c.at];

            if (i.op !== undefined) {
                return true;
            }
            if (n > 100000) {
                throw new Error(`line ${i.line}: cpu ${c.cpu} makes no access any more`);
            }
            c.ready += c.cycle;
            c.at++;
            if (i.wait !== undefined) {
                c.ready += i.wait * 100;
            } else if (i.repeat !== undefined) {
                c.left.set(c.at - 1, i.repeat);
                c.at = i.repeat ? c.at : i.after;
            } else if (i.end) {
                c.left.set(i.begin, c.left.get(i.begin) - 1);
                c.at = c.left.get(i.begin) > 0 ? i.begin + 1 : c.at;
            } else if (i.goto) {
                const a = value(i.a), b = value(i.b);

                c.at = { '==': a === b, '!=': a !== b, '<': a < b, '>=': a >= b }[i.test] ? i.to : c.at;
            } else {
                c.regs.set(i.set, value(i.a) + i.sign * value(i.b));
            }
        }
        return false;
    }

    /* The access that the program has come to; the engine keeps no data, so they are here. */
    function access(c, memory) {
        const i = c.list[c.at], step = past.act(i.op, c.cpu, i.pa, c.ready), failed = step.answer.sc_failed, store = i.store && (i.store.r ? c.regs.get(i.store.r) || 0 : i.store.n);

        if (i.store && !failed) {
            memory.set(i.pa, store);
        }
        if (i.set) {
            c.regs.set(i.set, i.sc ? +!failed : memory.get(i.pa) || 0);
        }
        c.ready = step.answer.end;
        c.at++;
    }

    /* The processor whose clock is behind all others goes first, as in the machine. */
    function together(list, memory) {
        const now = past.end(), all = list.map(p => ({ ...p, at: 0, regs: new Map(), left: new Map(), ready: now, cycle: Math.round(1e8 / life.shape.cpus.find(c => c.cpu === p.cpu).khz) }));
        let n = 0;

        for (;;) {
            const first = all.filter(advance).sort((a, b) => a.ready - b.ready || a.cpu - b.cpu)[0];

            if (!first) {
                return n;
            }
            if (++n > MOST) {
                throw new Error(`The programs are not at their end after ${MOST} accesses.`);
            }
            access(first, memory);
        }
    }

    function run(parsed) {
        const memory = new Map(), cpus = parsed.parts.filter(p => p.kind === 'cpu');
        let n = 0;

        parsed.parts.filter(p => p.kind !== 'cpu').forEach(p => {
            const begin = past.end();

            p.list.forEach(a => { past.act(a.op, a.who, a.pa, p.kind === 'together' ? begin : past.end()); n++; });
        });
        return n + (cpus.length ? together(cpus, memory) : 0);
    }

    /* Random accesses, the same for the same seed, machine and number. */
    function random(count, seed, pas, cpus) {
        let s = seed >>> 0 || 1;
        const rnd = n => { s ^= s << 13; s >>>= 0; s ^= s >>> 17; s ^= s << 5; s >>>= 0; return s % n; };
        const kinds = ['load', 'load', 'load', 'store', 'store', 'prefetch', 'prefetchx', 'll', 'sc', 'flush', 'io_read', 'io_write'].map(life.op);

        for (let i = 0; i < count; i++) {
            const op = kinds[rnd(kinds.length)], pa = pas[rnd(pas.length)] + 8 * rnd(16), cpu = cpus[rnd(cpus.length)], now = past.end();

            /* Half of them begin while others are under way. */
            past.act(op, life.tables.ops[op].io ? cpu >> 1 : cpu, pa, rnd(2) ? now : Math.max(0, now - 50000 * rnd(3)));
        }
    }

    return { parse, run, random };
}());
