// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the reader does, and what follows: controls, keys, the text beside the picture. Text of descriptions and links is set as text, never as markup.
 */
'use strict';
(function () {
    const $ = id => document.getElementById(id);
    let playing = 0;

    function tell(text, bad) {
        $('said').textContent = text;
        $('said').className = bad ? 'bad' : '';
    }

    /* Does something that may be refused: one line says why, and nothing else changes. */
    function attempt(what) {
        try {
            tell('');
            what();
            return true;
        } catch (e) {
            tell(e.message, true);
            return false;
        } finally {
            show();
        }
    }

    function element(parent, name, text, attributes = {}) {
        const e = document.createElement(name);

        Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
        e.textContent = text;
        parent.appendChild(e);
        return e;
    }

    const row = (table, cells, attributes) => { const tr = element(table, 'tr', '', attributes); cells.forEach((c, i) => element(tr, i ? 'td' : 'th', c, { class: 'text' })); };
    const agents = e => (e.sharers || []).map(n => 'n' + n).join(' ') || (e.owner === undefined ? '' : words.short(e.owner));

    /* ---- the line and the moment, in words ---- */

    function showLine(v) {
        const box = $('line'), s = v.state, e = s.entry, copies = Object.entries(s.copies), buffers = Object.entries(s.buffers).filter(b => b[1]);

        box.textContent = '';
        const table = element(box, 'table', '');
        row(table, ['line', `0x${life.line.toString(16)}, home node ${Math.floor(life.line / 2 ** 32)}`]);
        row(table, ['directory', `${e.state}${agents(e) ? `: ${agents(e)}` : ''}${e.prio ? `, priority ${e.prio}` : ''} \u2013 ${life.tables.states[e.state].text}`], v.changed.entry ? { class: 'changed' } : {});
        row(table, ['copies', copies.map(([c, m]) => `cpu ${c}: ${m}`).join(', ') || 'none'], v.changed.copies.size ? { class: 'changed' } : {});
        row(table, ['buffers', buffers.map(([a, b]) => `${words.short(+a)}: ${b}`).join('; ') || 'idle']);
    }

    function showTimes(box, m, step) {
        const table = element(box, 'table', '', { class: 'times' });

        words.legs(m, step).filter(l => l.ps).forEach(l => {
            row(table, [`${life.ns(l.ps)} ns`, l.name], { class: 'leg' });
            l.parts.filter(p => p.ps).forEach(p => { row(table, [life.ns(p.ps), `${p.name}: ${p.what}${p.source ? ` [${p.source}]` : ''}`], { class: p.name === 'waits' ? 'waits' : '' }); });
            if (Math.abs(l.rest) > 1) {
                row(table, [life.ns(l.rest), l.rest > 0 ? 'the processor\'s end of it, clock edges, or what goes on beside it' : 'overlaps with what goes on beside it'], { class: 'rest' });
            }
        });
        row(table, [`${life.ns(m.taken - m.sent)} ns`, `from ${life.ns(m.sent)} to ${life.ns(m.taken)} ns of the machine`], { class: 'leg' });
    }

    function showMoment(v) {
        const box = $('moment'), m = v.message;

        box.textContent = '';
        if (!v.step) {
            element(box, 'p', 'Power-on: caches are empty, all lines are unowned.', { class: 'hint' });
            return;
        }
        element(box, 'p', life.racing ? races.says(v.step) : words.says(v.moment, v.step), { class: 'headline' });
        if (m) {
            element(box, 'p', `${m.type}: ${life.tables.messages.find(o => o.name === m.type).text}.`);
            const r = words.row(m);
            element(box, 'p', r.text);
            if (r.source) {
                element(box, 'pre', r.source);
            }
            if (!life.racing) {
                showTimes(box, m, v.step);
            }
        }
        const broken = life.racing ? races.now().broken : '', faults = life.racing ? [] : v.step.faults;
        if (broken || faults.length) {
            element(box, 'p', broken || faults[0], { class: 'bad' });
        }
    }

    function showRace() {
        const box = $('flying');

        box.textContent = '';
        $('race').hidden = !life.racing;
        $('acts').hidden = life.racing;
        if (!life.racing) {
            return;
        }
        races.now().flying.forEach(f => {
            const b = element(box, 'button', `${f.type}: ${words.short(f.from)} \u2192 ${words.short(f.to)}`, { type: 'button' });

            b.onclick = () => attempt(() => races.act('deliver', f.n, $('full').checked ? 1 : 0));
        });
        if (!races.now().flying.length) {
            element(box, 'span', 'No message is on its way.', { class: 'hint' });
        }
    }

    function showPlayer() {
        const p = life.racing ? races.position : past.position, all = life.racing ? races.steps.length : past.total(), i = past.index();

        $('slider').max = all;
        $('slider').value = p;
        $('position').textContent = life.racing ? `action ${p} of ${all}` : `${p} of ${all}` + (i >= 0 ? `, access ${i + 1} of ${past.steps.length}` : '');
        $('when').textContent = life.racing || !past.moment() ? '' : `${life.ns(past.moment().at)} ns`;
        ['first', 'back-access', 'back'].forEach(id => { $(id).disabled = p === 0; });
        ['next', 'next-access', 'last', 'play'].forEach(id => { $(id).disabled = p >= all; });
    }

    function show() {
        if (!life.machine) {
            return;
        }
        const v = life.view();

        showLine(v);
        showMoment(v);
        showRace();
        showPlayer();
        picture.show();
        lanes.show();
        $('who').textContent = `cpu ${life.cpu}`;
    }

    /* ---- going back and forth ---- */

    function go(to) {
        if (life.racing) {
            races.go(to);
        } else {
            past.go(to);
            const m = past.moment();

            if (m) {
                life.line = m.pa;
                choices();
            }
        }
        show();
    }

    const here = () => life.racing ? races.position : past.position;

    function goAccess(by) {
        if (life.racing) {
            return go(here() + by);
        }
        const i = past.index(), from = i < 0 ? 0 : past.steps[i].first;

        return go(by < 0 ? from : past.first(i + 2) || past.total());
    }

    function stop() {
        clearInterval(playing);
        playing = 0;
        $('play').textContent = 'play';
    }

    function play() {
        if (playing) {
            return stop();
        }
        $('play').textContent = 'stop';
        playing = setInterval(() => {
            const before = here();

            go(before + 1);
            if (here() === before) {
                stop();
            }
        }, 900);
        return playing;
    }

    life.toMessage = m => {
        if (!life.racing) {
            const s = past.step();

            go(s.first + s.moments.findIndex(o => o.m === m) + 1);
        }
    };

    life.choose = cpu => {
        life.cpu = cpu;
        show();
    };

    /* ---- machines, scenarios, programs ---- */

    function choices() {
        const home = Math.floor(life.line / 2 ** 32), offset = life.line - home * 2 ** 32;

        if ($('home').options.length !== life.machine.nodes.length) {
            $('home').textContent = '';
            life.machine.nodes.forEach((n, i) => element($('home'), 'option', 'node ' + i, { value: i }));
        }
        $('home').value = home;
        $('offset').value = '0x' + offset.toString(16);
    }

    function machineIsNew() {
        $('machine').value = life.preset || 'own';
        $('model').value = life.time;
        $('seed').value = life.seed;
        $('description').value = life.text || engine.data.files[life.preset + '.dts'];
        picture.build();
        choices();
    }

    const load = how => {
        stop();
        $('scenario').value = '';
        life.load({ preset: life.preset, text: life.text, time: life.time, seed: life.seed, ...how });
        machineIsNew();
    };

    function begin(id) {
        const s = scenarios.find(id);

        if (!s) {
            throw new Error(`There is no scenario '${id}'.`);
        }
        load({ preset: s.machine || 'ricotta', text: '', time: s.time || 0, seed: 1 });
        $('scenario').value = id;
        if (s.race) {
            races.start(s.nodes, s.home);
            life.racing = true;
            life.line = s.home * 2 ** 32 + life.line0;
            s.race.forEach(races.play);
            races.go(1);
        } else {
            $('program').value = s.text;
            programs.run(programs.parse(s.text));
            past.go(1);
            life.line = past.steps[0].moments[0].pa;
        }
        choices();
        tell(s.says);
    }

    const scenario = id => { if (id) { try { begin(id); } catch (e) { tell(e.message, true); } show(); } };

    /* Does accesses, and shows the first moment of the first. */
    function doing(what) {
        attempt(() => {
            const from = past.position;

            life.racing = false;
            what();
            past.go(from + 1);
            life.line = past.moment() ? past.moment().pa : life.line;
            choices();
        });
    }

    const act = (name, who) => doing(() => past.act(life.op(name), who, life.line, past.end()));
    const shortNames = { load: 'l', store: 's', prefetch: 'p', prefetchx: 'x', ll: 'n', sc: 'c', flush: 'f' };

    function fill() {
        life.presets.forEach(p => element($('machine'), 'option', p, { value: p }));
        element($('machine'), 'option', 'described below', { value: 'own' });
        life.tables.times.forEach((t, i) => element($('model'), 'option', t, { value: i }));
        element($('scenario'), 'option', 'choose one', { value: '' });
        scenarios.all.forEach(s => element($('scenario'), 'option', s.title, { value: s.id }));
        life.tables.ops.forEach(o => {
            const cpu = !o.io, label = o.name.replace('io_', 'I/O ');

            if (!/^(unowned|moq)$/.test(o.name)) {
                const b = element($('ops'), 'button', label, { type: 'button', title: o.text + (shortNames[o.name] ? ` (key ${shortNames[o.name]})` : ''), 'data-op': o.name });

                b.onclick = () => act(o.name, cpu ? life.cpu : life.cpu >> 1);
            }
        });
        ['READ', 'RDSH', 'RDEX', 'UPGRD'].forEach(name => {
            element($('requests'), 'button', name, { type: 'button' }).onclick = () => attempt(() => races.act('request', life.cpu, life.tables.messages.findIndex(m => m.name === name)));
        });
        element($('requests'), 'button', 'evict', { type: 'button' }).onclick = () => attempt(() => races.act('evict', life.cpu));
    }

    function lineOf() {
        const home = +$('home').value, offset = Number($('offset').value);

        if (!(offset >= 0 && offset < 2 ** 32) || !Number.isInteger(offset)) {
            throw new Error(`'${$('offset').value}' is no address in the memory of a node.`);
        }
        return home * 2 ** 32 + past.lineOf(offset);
    }

    function controls() {
        $('machine').onchange = () => attempt(() => $('machine').value === 'own' ? load({ text: $('description').value }) : load({ preset: $('machine').value, text: '' }));
        $('model').onchange = () => attempt(() => load({ time: +$('model').value }));
        $('seed').onchange = () => attempt(() => load({ seed: +$('seed').value >>> 0 }));
        $('scenario').onchange = () => scenario($('scenario').value);
        $('describe').onclick = () => attempt(() => load({ text: $('description').value }));
        $('run').onclick = () => doing(() => programs.run(programs.parse($('program').value)));
        $('random').onclick = () => doing(() => {
            const cpus = life.shape.cpus.map(c => c.cpu), n = Math.min(1000, Math.max(1, +$('count').value >>> 0));

            programs.random(n, +$('seed').value + past.steps.length, [life.line, life.line + life.LINE], cpus);
        });
        $('home').onchange = $('offset').onchange = () => attempt(() => { life.line = lineOf(); });
        $('slider').oninput = () => go(+$('slider').value);
        $('first').onclick = () => go(0);
        $('last').onclick = () => go(Infinity);
        $('back').onclick = () => go(here() - 1);
        $('next').onclick = () => go(here() + 1);
        $('back-access').onclick = () => goAccess(-1);
        $('next-access').onclick = () => goAccess(1);
        $('play').onclick = play;
        $('newrace').onclick = () => attempt(() => { races.start(3, 0); life.racing = true; life.line = life.line0; });
        $('link').onclick = () => {
            location.hash = link.write();
            (navigator.clipboard ? navigator.clipboard.writeText(location.href) : Promise.reject()).then(() => tell('The link is copied.'), () => tell('The link is in the address line.'));
        };
    }

    const keys = {
        ArrowRight: () => go(here() + 1), ArrowLeft: () => go(here() - 1), ArrowDown: () => goAccess(1), ArrowUp: () => goAccess(-1), Home: () => go(0), End: () => go(Infinity), ' ': play,
        '?': () => { $('keys').open = !$('keys').open; },
    };

    function onkey(e) {
        const inside = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && e.target.id !== 'slider', op = Object.keys(shortNames).find(n => shortNames[n] === e.key);

        if (inside || e.ctrlKey || e.altKey || e.metaKey || e.key === ' ' && e.target.tagName === 'BUTTON') {
            return;
        }
        if (keys[e.key]) {
            e.preventDefault();
            keys[e.key]();
        } else if (op && !life.racing) {
            act(op, life.cpu);
        }
    }

    /* A link that cannot be read must not leave the page empty. */
    function first() {
        const hash = location.hash.slice(1);

        if (!hash) {
            return begin('read-dirty');
        }
        try {
            link.read(hash);
            machineIsNew();
        } catch (e) {
            begin('read-dirty');
            tell(e.message, true);
        }
        return show();
    }

    Promise.resolve().then(engine.start).then(() => {
        life.load({ preset: life.presets.includes('ricotta') ? 'ricotta' : life.presets[0], time: 0, seed: 1 });
        lanes.measure();
        fill();
        controls();
        first();
        show();
        document.onkeydown = onkey;
        window.onhashchange = () => { if (location.hash.slice(1) !== link.write()) { first(); show(); } };
        window.onresize = () => { picture.measure(); lanes.measure(); lanes.show(); };
        document.body.dataset.ready = '1';
    }).catch(e => { tell(`This browser cannot run the machine: ${e.message}`, true); document.body.dataset.ready = 'failed'; });

    /* What tests drive. */
    Object.assign(life, { go, begin, show, attempt, doing, loadMachine: load });
}());
