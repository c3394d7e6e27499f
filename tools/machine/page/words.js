// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a moment means, in words: the message, the row of proto.h.inc that it met, and the parts of timing.h.inc behind its time.
 *
 *   words.who(agent)          "cpu 3 (node 1)", "home, node 2", "I/O of node 0"
 *   words.row(m)              { text, source }: what the row of a message does, and its line in proto.h.inc
 *   words.legs(m)             the three parts of a message's way: [{ name, ps, parts: [{ name, ps, what, source }], rest }]
 *   words.says(moment, step)  a sentence
 */
'use strict';
const words = (function () {
    const HOME = 1, BACKOFF = 2, RRB = 3, WRB = 4, SNOOP = 5, MESI = 'ISEM';
    /* What a step did to the processor: enum sn_step. */
    const STEPS = ['', ' The request is complete.', ' The data are used once, and no copy is kept.', ' It asks again.', ' It takes a bus error.'];
    const t = () => life.tables, type = name => t().messages.findIndex(m => m.name === name), named = i => i < t().messages.length ? t().messages[i].name : '';

    function who(a) {
        const g = past.agent(a);

        return g.cpu >= 0 ? `cpu ${g.cpu} (node ${g.node})` : g.unit === '?' ? `home, node ${g.node}` : `I/O of node ${g.node}`;
    }

    const short = a => { const g = past.agent(a); return g.cpu >= 0 ? `cpu ${g.cpu}` : g.unit === '?' ? `home n${g.node}` : `I/O n${g.node}`; };

    /* The line of proto.h.inc with a row, and the heading and the comment above it. */
    function sourceOf(pattern, generic) {
        const all = engine.data.protocol.split('\n'), find = p => all.findIndex(l => p.test(l));
        const at = find(pattern) >= 0 ? find(pattern) : generic ? find(generic) : -1;
        let heading = '';

        for (let i = at; i > 0 && !heading; i--) {
            heading = (/^\/\* ---- (.*) ---- \*\//.exec(all[i]) || ['', ''])[1];
        }
        return at < 0 ? '' : `${all[at].replace(/ *\\$/, '').trim()}\nproto.h.inc, line ${at + 1}: ${heading}. Thesis 3.2.1, 4.1.2, 4.1.3, figure 4.1.`;
    }

    function homeRow(m) {
        const row = t().home.find(r => r[0] === (m.table === BACKOFF ? 1 : 0) && r[1] === type(m.type) && r[2] === m.row), column = t().columns[m.row];
        const name = column.replace(' me', '_ME').replace(' I/O', '_IO'), to = ['the sender', 'the owner or pending requestor', 'the sharers'];

        if (!row) {
            return { text: `${m.type} has too low a priority, so the home refuses it.`, source: '' };
        }
        const [, , , next, entry, mem, out1, to1, out2, to2] = row, sends = [[out1, to1], [out2, to2]].filter(o => named(o[0])).map(o => `${named(o[0])} to ${to[o[1]]}`);
        const change = t().entries[entry];

        return {
            text: `${m.type} meets an entry that is ${column}${m.table === BACKOFF ? ', while the home backs off' : ''}. The entry becomes ${next}${change ? ` (${change})` : ''}` +
                `${mem === 2 ? '. The data are written to memory' : mem === 1 ? '. Memory is read' : ''}${sends.length ? `. The home sends ${sends.join(' and ')}` : ''}.`,
            source: sourceOf(new RegExp(`^SN_HOME${m.table === BACKOFF ? '_BACKOFF' : ''}\\(${name}, +${m.type},`), new RegExp(`^SN_HOME\\(${name}, +msg,`)),
        };
    }

    function row(m) {
        const i = type(m.type);

        if (m.table === HOME || m.table === BACKOFF) {
            return homeRow(m);
        }
        if (m.table === RRB) {
            const r = t().requestor.find(o => o[0] === m.row && o[1] === i), phase = t().phases[m.row];

            return r ? {
                text: `The requestor's buffer is in ${phase}. After ${m.type} it is in ${t().phases[r[2]]}: ${t().acts[r[3]]}.${STEPS[m.step] || ''}`,
                source: sourceOf(new RegExp(`^SN_RRB\\(${phase}, +${m.type},`)),
            } : { text: 'no row', source: '' };
        }
        if (m.table === WRB) {
            const r = t().writeback.find(o => o[0] === m.row && o[1] === i), phase = t().wphases[m.row];

            return r ? {
                text: `The write-back buffer is in ${phase}. After ${m.type} it is in ${t().wphases[r[2]]}.`, source: sourceOf(new RegExp(`^SN_WRB\\(${phase}, +${m.type},`)),
            } : { text: 'no row', source: '' };
        }
        if (m.table === SNOOP) {
            const copy = MESI[m.row], r = t().snoop.find(o => o[0] === i && o[1] === copy);

            return r ? {
                text: `The copy there is in state ${copy}. After ${m.type} it is ${r[2]}. ${named(r[3])} goes to the requestor` + (named(r[4]) ? `, ${named(r[4])} to the home.` : '.'),
                source: sourceOf(new RegExp(`^SN_SNOOP\\(${m.type}, +${copy},`)),
            } : { text: 'no row', source: '' };
        }
        return { text: m.held || m.type.startsWith('IR') ? 'The processor\'s own request comes first: the intervention is held until that is answered.' : 'No row: a protocol error.', source: '' };
    }

    /* ---- time ---- */

    const full = () => t().times[life.time] === 'full';
    const partIndex = name => t().parts.findIndex(p => p.name === name);
    const hubOf = node => life.shape.cpus.find(c => c.cpu >> 1 === node) || life.shape.cpus[0];
    const cpuOf = cpu => life.shape.cpus.find(c => c.cpu === cpu) || hubOf(cpu >> 1);
    const part = (c, name) => ({ ...t().parts[partIndex(name)], ps: c.parts[partIndex(name)] });
    const made = (name, ps, what, source) => ({ name, ps, what, source });

    /* Between two nodes: interfaces, routers, cables. */
    function wayParts(from, to, crossbar) {
        const w = life.way(from, to), list = crossbar ? [part(hubOf(from), 'XBAR')] : [];
        const unit = n => t().parts[partIndex(n)].ps;

        if (from === to) {
            return list;
        }
        list.push(made('NI', 2 * unit('NI'), `two network interfaces: ${t().parts[partIndex('NI')].what}`, t().parts[partIndex('NI')].source));
        const routers = w.hops.length, metres = w.hops.reduce((n, h) => n + h.cm, 0) / 100, backplane = w.hops.filter(h => !h.cm).length;
        if (routers) {
            list.push(made('ROUTER', routers * unit('ROUTER'), `${routers} router${routers > 1 ? 's' : ''}: ${t().parts[partIndex('ROUTER')].what}`, t().parts[partIndex('ROUTER')].source));
        }
        if (life.machine.routers.some(r => r.meta) && routers) {
            list.push(made('NOBYPASS', routers * unit('NOBYPASS'), t().parts[partIndex('NOBYPASS')].what, t().parts[partIndex('NOBYPASS')].source));
        }
        if (backplane) {
            list.push(made('WIRE_BP', backplane * unit('WIRE_BP'), `${backplane} backplane links`, t().parts[partIndex('WIRE_BP')].source));
        }
        if (metres) {
            list.push(made('WIRE_M', metres * unit('WIRE_M'), `${metres} m of cable`, t().parts[partIndex('WIRE_M')].source));
        }
        return list;
    }

    /*
     * Speculative data to the owner's own node come close behind the intervention, and data of an owner at home behind the speculative ones, so that no router on
     * the way has its bypass open (thesis 4.3.3, table 4.18).
     */
    function behindParts(m, parent, step) {
        const hops = life.way(past.agent(m.from).node, past.agent(m.to).node).hops.length, p = t().parts[partIndex('NOBYPASS')];
        const behind = /^[SE]SPEC$/.test(m.type) && step.answer.events.some(e => e.parent === m.parent && /^IRD/.test(e.type) && e.to >> 2 === m.to >> 2);
        const owner = parent && parent.type.startsWith('IR') && t().messages[type(m.type)].data && past.agent(m.to).unit !== '?' && past.agent(parent.from).node === past.agent(m.from).node;

        return (behind || owner) && hops && !life.machine.routers.some(r => r.meta) ? [made('NOBYPASS', hops * p.ps, `${hops} routers, close behind ${owner ? 'the speculative data' : 'the intervention'}: ${p.what}`, p.source)] : [];
    }

    /* The network interface makes one INVAL after the other, in the order of the nodes. */
    function invalParts(m, from, step) {
        const hub = hubOf(past.agent(m.req).node), before = step.answer.events.filter(e => e.type === 'INVAL' && e.parent === m.parent && e.n < m.n).length;
        const list = [...from.unit === '?' ? [part(hub, 'MD_DIR')] : [], part(hub, 'XBAR')], next = part(hub, 'INVAL_NI');

        if (past.agent(m.to).node !== from.node) {
            list.push(part(hub, 'NI_VECTOR'));
        }
        return before ? [...list, { ...next, ps: before * next.ps, what: `${before} INVALs before it: ${next.what}` }] : list;
    }

    /* What the sender does before a message is out. */
    function sendParts(m, parent, step) {
        const from = past.agent(m.from), data = t().messages[type(m.type)].data, asks = m.type === 'INVAL' || m.type.startsWith('IR');

        if (m.parent === 0) {
            const issue = part(cpuOf(from.cpu), 'ISSUE'), grid = part(cpuOf(from.cpu), 'GRID'), more = m.left - m.sent - issue.ps - waited(m, 0);

            return from.unit === 'I' ? [part(hubOf(from.node), 'II')] : full() && more > 0 && more <= grid.ps ? [{ ...grid, ps: more }, issue] : [issue];
        }
        if (m.type === 'INVAL') {
            return invalParts(m, from, step);
        }
        if (from.unit === '?') {
            return [part(hubOf(past.agent(m.req).node), data && !asks ? 'MD_READ' : 'MD_DIR')];
        }
        if (m.type === 'IVACK') {
            const own = from.node === past.agent(m.req).node;

            return ['INVAL', ...own ? ['INVAL_BUS'] : [], ...own && !/UPGRD/.test(life.requestOf(m)) ? ['LINE'] : []].map(n => part(hubOf(past.agent(m.req).node), n));
        }
        if (parent && parent.type.startsWith('IR')) {
            const had = MESI[parent.row], own = from.node === past.agent(m.req).node, line = part(cpuOf(from.cpu), 'LINE');

            const list = [part(hubOf(past.agent(m.req).node), 'SNOOP'), ...had === 'I' ? [part(cpuOf(from.cpu), 'L2_WAY')] : [], ...had === 'M' ? [part(cpuOf(from.cpu), 'DIRTY')] : [],
                ...had === 'M' && !own ? [{ ...line, ps: -line.ps, what: `the data leave as they come, before the line is whole: ${line.what}` }] : [],
                ...had === 'M' && own && parent.type === 'IRDSH' && !full() ? [part(cpuOf(from.cpu), 'SHWB')] : []];
            const more = m.left - m.sent - waited(m, 0) - list.reduce((n, p) => n + p.ps, 0);

            /* Requestor and owner share a bus: the answer comes behind the speculative data (thesis 4.3.3). */
            return own && more > 0 ? [...list, made('waits', more, `for the speculative data on the SysAD of node ${from.node}`, '')] : list;
        }
        return [];
    }

    /* What the receiver does until the message has been taken. */
    function takeParts(m) {
        const to = past.agent(m.to);

        if (to.unit === 'I') {
            return [part(hubOf(to.node), 'II')];
        }
        if (m.table !== RRB && m.table !== WRB) {
            return [];
        }
        const c = cpuOf(to.cpu), data = t().messages[type(m.type)].data;

        if (full()) { /* until the first word is there; what the line needs longer goes on beside it */
            const acks = [part(c, 'ARB'), part(c, 'ACK_USE')], took = m.taken - m.arrived - waited(m, 2);

            /* An acknowledgement that others follow costs nothing; one may need the bus anew. */
            return data ? [part(c, 'FIRST'), part(c, 'USE'), ...c.model === 'R12000' ? [part(c, 'USE_BLOCK')] : []] : took < 2 ? [] : took > acks[1].ps + 2 ? acks : acks.slice(1);
        }
        const times = (name, k) => { const p = part(c, name); return { ...p, ps: p.ps * k, what: k === 1 ? p.what : `${k} of it: ${p.what}` }; };

        if (data) { /* the R10000's next miss waits for the line fill */
            return [part(c, 'DATA'), ...c.model === 'R10000' && (m.type !== 'SRESP' || past.agent(m.from).node !== to.node) ? [part(c, 'FILL_TAIL'), times('L2_TAG', 1.25), part(c, 'L2_MISS')] : []];
        }
        if (m.type === 'SACK' || m.type === 'EACK') {
            const list = [part(c, 'ACK_NEXT'), times('L2_TAG', .25), times('GRID', .5)], all = list.reduce((n, p) => n + p.ps, 0);

            /* The PI may have let the bus go after the speculative data. */
            return m.taken - m.arrived > all + 2 ? [part(c, 'ARB'), ...list] : list;
        }
        return m.type === 'IVACK' || m.type === 'UPACK' ? [] : [part(c, 'ACK_USE')];
    }

    const waited = (m, k) => m.waits.filter(w => w[1] === k).reduce((n, w) => n + w[3], 0);

    function leg(name, ps, parts, waits) {
        const list = parts.concat(waits.map(w => made('waits', w[3], `for ${waitFor(w)}`, '')));

        return { name, ps, parts: list, rest: ps - list.reduce((n, p) => n + p.ps, 0) };
    }

    function waitFor(w) {
        const what = t().waits[w[0]];

        return what === 'link' ? `port ${w[2] % 8} of ${routerName(life.machine.routers[w[2] >> 3])}` : what === undefined ? `the line: node ${w[2]} still transfers it to another` : `the ${what} of node ${w[2]}`;
    }

    const routerName = r => r.meta ? `metarouter ${r.slot}` : `module ${r.module} r${r.slot}`;

    /* The routers on the way: "module 2 r1 port 5 to 1". */
    function via(m) {
        return life.way(past.agent(m.from).node, past.agent(m.to).node).hops.map((h, i) => `${i ? ', ' : ': '}${routerName(life.machine.routers[h.router])} port ${h.in} to ${h.out}`).join('');
    }

    function legs(m, step) {
        const parent = step.answer.events.find(e => e.n === m.parent && e.type), of = k => m.waits.filter(w => w[1] === k);

        return [
            leg(`at the sender, ${short(m.from)}`, m.left - m.sent, sendParts(m, parent, step), of(0)),
            leg(`on the way to node ${past.agent(m.to).node}${via(m)}`, m.arrived - m.left, [...wayParts(past.agent(m.from).node, past.agent(m.to).node, m.type !== 'INVAL'), ...behindParts(m, parent, step)], of(1)),
            leg(`at the receiver, ${short(m.to)}`, m.taken - m.arrived, takeParts(m), of(2)),
        ];
    }

    function ended(step) {
        const a = step.answer, op = t().ops[step.call[0]], name = op.io ? `I/O of node ${a.who}` : `cpu ${a.who}`, done = a.events.find(e => e.done);
        const how = a.bus_error ? 'ends with a bus error' : a.sc_failed ? 'fails: its link is broken' : done ? `is complete: ${done.done.replace(/_/g, ' ')}` : op.io || !step.moments.some(e => e.kind === 'message')
            ? 'needed no message' : 'is complete';

        return `${op.text} by ${name}: it ${how}.` + (op.io ? '' : ` The processor goes on at ${life.ns(a.end * 10)} ns, ${life.ns((a.end - a.start) * 10)} ns after it began.`) +
            (step.moments.some(e => e.kind === 'message' && e.at > a.end * 10 + 1000) ? ' It did not wait for the answers; its next access may.' : '');
    }

    function says(moment, step) {
        if (moment.kind === 'end') {
            return ended(step);
        }
        if (moment.kind === 'drop') {
            return `The L2 cache of cpu ${moment.cpu} drops its copy without a message.`;
        }
        return `${moment.m.type} from ${who(moment.m.from)} reaches ${who(moment.m.to)}.`;
    }

    return { who, short, row, legs, says, waitFor };
}());
