// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The live view of a machine that runs (origin run --view): asks the server that the page came from, and has the page draw what it says.
 *
 *   pictures   server-sent events; each has all counts since power-on at one moment. Two of them make an interval of the page's data.
 *   controls   pause, continue, step; machine seconds in a host second
 *   findings   what the profile says so far (origin profile --view): a second input of the page
 *   life       the same of followed lines alone, which comes more often: newer rows of two tables of the findings
 *   address    state and holders of a line, counters of its page, asked again with each picture
 *   console    what the machine's console printed
 *
 * Counts are totals, so a picture that this page misses costs detail and no count. When there are many pictures, every other one of
 * the older half is forgotten.
 */
'use strict';
(function () {
    const live = JSON.parse(document.getElementById('data').textContent).live;
    const MOST = 240; /* pictures that are kept */
    const pictures = []; /* { t: seconds, objects: Map of label -> { kind, name, node, counts } } */
    const series = new Map(); /* label -> object of the page's data */
    const formulas = live.formulas.map(f => Object.assign({ run: f.formula ? compiled(f.formula) : null }, f));
    const $ = id => document.getElementById(id);
    let drawing = null, newest = null, findings = null, findingsNumber = 0, cost = 0, drawn = 0, timer = null;

    /* --- formulas: sum = product {(+|-) product}; product = factor {(*|/) factor} --- */

    function compiled(text) {
        const words = text.match(/[a-z][a-z0-9]*|[0-9.]+|[-+*/()]/g);
        let at = 0;
        const factor = () => {
            const word = words[at++];

            if (word === '(') {
                const inner = sum();

                at++;
                return inner;
            }
            return /[0-9.]/.test(word[0]) ? () => +word : counts => counts[word];
        };
        const chain = (next, operators) => {
            let left = next();

            while (operators.includes(words[at])) {
                const a = left, operator = words[at++], b = next();

                left = operator === '+' ? c => a(c) + b(c) : operator === '-' ? c => a(c) - b(c) : operator === '*' ? c => a(c) * b(c) : c => a(c) / b(c);
            }
            return left;
        };
        const product = () => chain(factor, ['*', '/']);
        const sum = () => chain(product, ['+', '-']);

        return sum();
    }

    /* --- a picture: the counts of each object --- */

    const add = list => list.reduce((a, b) => a + b, 0);

    function linkCounts(port) {
        return { recvcnt: add(port.recv), sendcnt: add(port.sent), bypasscnt: port.bypass, age0: port.packets, age64: 0, age128: 0, age192: 0 };
    }

    function portsOf(truth, objects) {
        truth.routers.forEach(r => {
            const shape = live.machine.routers[r.router];

            r.ports.forEach((port, i) => {
                if (!port) {
                    return;
                }
                const counts = linkCounts(port);

                objects.set(`${shape.meta ? 'm' : shape.module + 'r'}${shape.slot}:${i + 1}`, { kind: 'port', name: shape.path + ':' + (i + 1), node: -1, counts });
                if (port.node !== undefined) {
                    Object.assign(objects.get('n' + port.node).counts, counts);
                }
            });
        });
    }

    function cpusOf(picture, objects) {
        const truth = new Map((picture.truth ? picture.truth.cpus : []).map(c => [c.cpu, c]));

        Object.keys(picture.instructions).forEach((number, i) => {
            const node = number >> 1, slice = number & 1 ? 'b' : 'a', shape = live.machine.nodes[node];
            const khz = shape.cpus.find(c => c.slice === slice).khz, counts = { insns: picture.instructions[number] }, t = truth.get(+number);

            if (t) {
                const kinds = Object.values(t.transactions);

                Object.assign(counts, { txlocal: add(kinds.map(k => k.local)), txremote: add(kinds.map(k => k.remote)),
                                        waitns: add(kinds.map(k => k.latency_ns_sum)), txbackoff: t.backoff });
            }
            objects.set('cpu' + i, { kind: 'cpu', name: `${shape.path}/cpu/${slice}`, node, hz: khz * 1000, counts });
        });
    }

    function read(picture) {
        const objects = new Map();

        live.machine.nodes.forEach((n, i) => {
            const counts = {};

            if (picture.md) {
                picture.md.names.forEach((name, k) => { counts[name] = picture.md.nodes[i][k]; });
            }
            objects.set('n' + i, { kind: 'node', name: n.path, node: i, counts });
        });
        if (picture.truth) {
            portsOf(picture.truth, objects);
        }
        cpusOf(picture, objects);
        return { t: picture.tick / picture.tick_hz, objects };
    }

    /* --- intervals --- */

    const fits = { node: ['node', 'link'], port: ['link'], cpu: ['cpu'] };

    function extend(a, b) {
        const dt = b.t - a.t;

        b.objects.forEach((o, label) => {
            const before = a.objects.get(label), more = { dt, dtns: dt * 1e9, clkcnt: dt * 50e6, cycles: dt * o.hz };
            let s = series.get(label);

            if (!s) {
                s = { label, kind: o.kind, node: o.node, number: 0, name: o.name, merged: 1, t: [a.t], series: {} };
                formulas.filter(f => fits[o.kind].includes(f.kind)).forEach(f => { s.series[f.name] = { v: [] }; });
                series.set(label, s);
            }
            Object.keys(o.counts).forEach(name => { more[name] = o.counts[name] - before.counts[name]; });
            s.t.push(b.t);
            formulas.filter(f => s.series[f.name]).forEach(f => {
                const v = f.run ? f.run(more) : more[f.name];

                s.series[f.name].v.push(Number.isFinite(v) ? +v.toPrecision(12) : null);
            });
        });
    }

    function thin() {
        const kept = pictures.filter((p, i) => i > MOST / 2 || i % 2 === 0);

        pictures.splice(0, pictures.length, ...kept);
        series.clear();
        kept.slice(1).forEach((p, i) => extend(kept[i], p));
    }

    function take(picture) {
        const p = read(picture), last = pictures[pictures.length - 1];

        if (last && p.t <= last.t) {
            return false;
        }
        pictures.push(p);
        if (pictures.length > MOST) {
            thin();
        } else if (last) {
            extend(last, p);
        }
        return pictures.length > 1;
    }

    /* Metrics that some object has at any time. */
    function shown() {
        const objects = [...series.values()];
        const metrics = formulas.filter(f => objects.some(o => o.series[f.name] && o.series[f.name].v.some(v => v !== null)));

        return { kind: 'trace', name: 'the running machine', command: live.command, origin: live.origin, host: live.host, machine: live.machine,
                 time: live.time, description: live.description, truth: newest.picture.truth, tables: {}, files: [], functions: [], objects, metrics };
    }

    const inputs = () => [shown()].concat(findings || []);

    /* At most half of the browser's time goes into drawing. */
    function draw() {
        const begin = performance.now();

        timer = null;
        if (drawing) {
            drawing.update(inputs());
        } else {
            drawing = originPage(inputs());
        }
        drawn = performance.now();
        cost = drawn - begin;
        document.body.dataset.drawn = pictures[pictures.length - 1].t;
    }

    function drawSoon() {
        if (timer === null) {
            timer = setTimeout(draw, Math.max(0, drawn + Math.max(200, 2 * cost) - performance.now()));
        }
    }

    /* --- controls --- */

    function element(parent, name, attributes, text) {
        const e = document.createElement(name);

        Object.entries(attributes || {}).forEach(([key, value]) => e.setAttribute(key, value));
        e.textContent = text || '';
        parent.append(e);
        return e;
    }

    function build() {
        const box = element(document.body, 'section', { id: 'live', 'aria-label': 'the running machine' });

        $('title').after(box);
        const row = element(box, 'div', { class: 'row' });
        element(row, 'button', { id: 'live-pause', type: 'button' }, 'pause').onclick = () => post(newest && newest.running ? 'pause' : 'continue');
        element(row, 'button', { id: 'live-step', type: 'button' }, 'step').onclick = () => post('step?ns=' + $('live-ns').value);
        const select = element(row, 'select', { id: 'live-ns', 'aria-label': 'machine time of a step' });
        [['1 ms', 1e6], ['10 ms', 1e7], ['100 ms', 1e8], ['1 s', 1e9], ['10 s', 1e10]].forEach(([text, ns]) => element(select, 'option', { value: ns }, text));
        /* The text stands behind the buttons: before them it would move them away from the mouse whenever it changes its width. */
        element(row, 'span', { id: 'live-state', role: 'status' }, 'waiting for the machine');
        element(row, 'output', { id: 'live-time', title: 'machine time' });
        element(row, 'output', { id: 'live-speed' });
        element(row, 'span', { id: 'live-error', role: 'alert' });
        if (live.profile) {
            element(box, 'p', { id: 'live-finding', class: 'headline', role: 'status' }, 'No findings yet.');
        }
        const form = element(box, 'form', { class: 'row' });
        element(element(form, 'label', {}, 'physical address '), 'input', { id: 'live-address', size: 20, placeholder: 'n3:0x1000 or 0x300001000' });
        element(form, 'button', { id: 'live-look' }, 'who holds it?');
        form.onsubmit = e => { e.preventDefault(); look(); };
        element(box, 'div', { id: 'live-answer', 'aria-live': 'polite' });
        const details = element(box, 'details', { open: '' });
        element(details, 'summary', {}, 'console');
        element(details, 'pre', { id: 'live-console', tabindex: 0 });
    }

    function post(what) {
        fetch(what, { method: 'POST' }).then(r => r.json()).then(a => { $('live-error').textContent = a.error || ''; })
            .catch(() => { $('live-error').textContent = 'the machine does not answer'; });
    }

    /* Machine seconds in a host second, over the last two seconds. */
    const moments = [];

    function speed(p) {
        const t = p.picture.tick / p.picture.tick_hz;

        moments.push([p.host, t]);
        while (moments.length > 2 && p.host - moments[0][0] > 2) {
            moments.shift();
        }
        const [host, begin] = moments[0];

        return p.host > host && p.running ? (t - begin) / (p.host - host) : null;
    }

    function news(p) {
        const fast = speed(p);

        newest = p;
        $('live-state').textContent = p.running ? 'running' : 'paused';
        $('live-pause').textContent = p.running ? 'pause' : 'continue';
        $('live-time').textContent = (p.picture.tick / p.picture.tick_hz).toFixed(6) + ' s of machine time';
        $('live-speed').textContent = fast === null ? '' : fast.toPrecision(3) + ' machine seconds in a host second';
        document.body.dataset.tick = p.picture.tick;
        if (take(p.picture)) {
            drawSoon();
        }
        if (asked !== null) {
            ask();
        }
        readConsole();
        if (p.findings > findingsNumber) {
            findingsNumber = p.findings;
            readFindings('so far');
        } else if (findings && p.life > Math.max(lifeNumber, findingsNumber)) {
            lifeNumber = p.life;
            readLife();
        }
    }

    /* --- findings --- */

    let findingsAsked = 0, findingsShown = 0, lifeNumber = 0;

    function readFindings(name) {
        const number = ++findingsAsked;

        fetch('findings').then(r => r.ok ? r.json() : null).then(input => {
            if (!input || number < findingsShown) { /* a later answer came first */
                return;
            }
            findingsShown = document.body.dataset.findings = number;
            findings = Object.assign(input, { name, running: name === 'so far', machine: live.machine, description: live.description });
            $('live-finding').textContent = (name === 'so far' ? 'So far: ' : '') + input.headline;
            if (pictures.length > 1) {
                drawSoon();
            }
        }).catch(() => { $('live-error').textContent = 'the profile does not answer'; });
    }

    /* Rows of `follow` and `followed` that are newer than those of the findings. */
    function readLife() {
        const number = findingsShown, life = lifeNumber;

        fetch('life').then(r => r.ok ? r.json() : null).then(input => {
            if (!input || number < findingsShown || life < lifeNumber) { /* something newer came meanwhile, or is asked for */
                return;
            }
            findings = Object.assign({}, findings, { tables: Object.assign({}, findings.tables, { follow: input.tables.follow, followed: input.tables.followed }) });
            document.body.dataset.life = life;
            if (pictures.length > 1) {
                drawSoon();
            }
        }).catch(() => { $('live-error').textContent = 'the profile does not answer'; });
    }

    /* --- an address --- */

    let asked = null, asking = false;

    /* NODE:OFFSET or a number; null if it is neither. */
    function address(text) {
        const m = /^\s*(?:n(\d+):)?(0x[0-9a-f]+|\d+)\s*$/i.exec(text);

        return m ? (BigInt(m[1] || 0) << 32n) + BigInt(m[2]) : null;
    }

    function look() {
        asked = address($('live-address').value);
        if (asked === null) {
            $('live-answer').textContent = 'not an address: a number, or a node and the offset in its memory';
            return;
        }
        ask();
    }

    function rows(box, title, list) {
        element(box, 'h3', {}, title);
        const table = element(box, 'table');

        list.forEach(([a, b]) => {
            const tr = element(table, 'tr');

            element(tr, 'td', { class: 'text' }, a);
            element(tr, 'td', { 'data-what': a }, String(b));
        });
    }

    const cpuNames = () => Object.keys(newest.picture.instructions);

    function answer(line, counters) {
        const box = $('live-answer');

        box.replaceChildren();
        if (line.error || line.home === null) {
            element(box, 'p', {}, line.error || 'no node has this memory');
            return;
        }
        const list = [['address', '0x' + line.address.toString(16)], ['home', 'n' + line.home], ['state', line.state]];
        if (line.sharers) {
            list.push(['sharers', line.sharers.map(n => 'n' + n).join(' ')]);
        }
        if (line.owner_node !== undefined) {
            list.push(['owner', `n${line.owner_node} ${['CPU a', 'CPU b', 'I/O'][line.owner_unit]}`]);
        }
        Object.entries(line.caches).forEach(([cpu, state]) => list.push(['cache of cpu' + cpuNames().indexOf(cpu), state]));
        rows(box, 'line of 128 bytes', list);
        rows(box, `references to its page of 4 KB, by node (they stop at ${counters.most})`,
             counters.counts.map((n, i) => [counters.region_nodes === 1 ? 'n' + i : `n${8 * i} to n${8 * i + 7}`, n]).filter(r => r[1]));
    }

    function ask() {
        if (asking) {
            return;
        }
        asking = true;
        const get = what => fetch(what + '?address=' + asked).then(r => r.json());
        get('line').then(line => line.error ? [line, null] : get('page').then(p => [line, p])).then(([line, p]) => answer(line, p))
            .catch(() => { $('live-answer').textContent = 'the machine does not answer'; }).then(() => { asking = false; });
    }

    /* --- the console --- */

    const decoder = new TextDecoder();
    let from = 0, reading = false;

    function readConsole() {
        if (reading || from >= newest.console) {
            return;
        }
        reading = true;
        fetch('console?from=' + from).then(r => r.arrayBuffer().then(b => {
            const first = +r.headers.get('X-Origin-From'), pre = $('live-console'), low = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 40;

            pre.textContent = (pre.textContent + (first > from ? '\n[... lost ...]\n' : '') + decoder.decode(b, { stream: true }).replace(/\r/g, '')).slice(-200000);
            from = first + b.byteLength;
            if (low) {
                pre.scrollTop = pre.scrollHeight;
            }
            return b.byteLength;
        })).catch(() => 0).then(n => {
            reading = false;
            if (n) {
                readConsole();
            }
        });
    }

    /* --- the stream --- */

    function start() {
        build();
        $('title').textContent = document.title = `Origin 2000: ${live.command} on ${live.host}` + (live.hypothetical && `; ${live.hypothetical}`);
        const stream = new EventSource('pictures');

        stream.addEventListener('picture', e => news(JSON.parse(e.data)));
        stream.addEventListener('end', () => {
            stream.close();
            newest.console = Infinity;
            readConsole();
            if (live.profile) {
                readFindings('the whole run');
            }
            $('live-state').textContent = 'ended';
            $('live-pause').disabled = $('live-step').disabled = true;
        });
        stream.onerror = () => { $('live-state').textContent = 'the view does not answer'; };
    }

    start();
}());
