// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts the page together: a tab for each input, a section for each view that applies to it, the controls, the keys.
 *
 *   page.show(input)      draws an input; page.shown: the one that is drawn
 *   page.draw(id)         draws one view again
 *   page.changed(what)    something in the state changed: 'metric', 'time', 'view' or 'data'; views that depend on it are drawn again
 *   page.setMetric(name), page.setTime(t), page.setView([from, to])
 */
'use strict';
(function () {
    const $ = page.$;
    let sections = [];

    const clamp = (v, [a, b]) => Math.min(b, Math.max(a, v));
    const recording = () => page.recording(page.shown);
    const state = () => page.state(page.shown);

    /* --- sections --- */

    function putAsTable(s) {
        s.table.html('');
        if (s.details.property('open')) {
            const all = s.view.table(page.shown);

            page.putTable(s.table, all);
        }
    }

    function drawSection(s) {
        s.says.text(s.view.says(page.shown));
        s.box.html('');
        s.view.draw(s.box, page.shown);
        if (s.details) {
            putAsTable(s);
        }
    }

    function addSection(view) {
        const section = d3.select('#views').append('section').attr('id', 'view-' + view.id).attr('aria-labelledby', 'title-' + view.id);
        const s = { view };

        section.append('h2').attr('id', 'title-' + view.id).attr('tabindex', -1).text(view.title);
        s.says = section.append('p').attr('class', 'says');
        s.box = section.append('div').attr('class', 'drawing');
        if (view.table) {
            s.details = section.append('details').attr('class', 'as-table');
            s.details.append('summary').text('as a table');
            s.table = s.details.append('div');
            s.details.on('toggle', () => putAsTable(s));
        }
        drawSection(s);
        return s;
    }

    page.draw = id => sections.filter(s => s.view.id === id).forEach(drawSection);

    page.changed = function (what) {
        if (what === 'metric') {
            state().beside = state().beside.map(m => m && m.unit === state().metric.unit && m !== state().metric ? m : null);
        }
        sections.forEach(s => {
            if (what === 'data' || (s.view.on || []).includes(what)) {
                drawSection(s);
            } else if (s.view.change) {
                s.view.change(what, s.box, page.shown);
            }
        });
    };

    page.setMetric = function (name) {
        state().metric = page.metrics(page.shown).find(m => m.name === name);
        page.changed('metric');
    };

    /* --- time --- */

    page.setTime = function (t) {
        const [from, to] = recording().span, s = state();

        s.whole = $('whole').checked = false;
        s.time = clamp(t, [from, to]);
        $('time').value = 1000 * (s.time - from) / (to - from || 1);
        timeChanged();
    };

    function timeChanged() {
        $('time').disabled = state().whole;
        $('when').textContent = state().whole ? '' : state().time.toFixed(6) + ' s';
        page.changed('time');
    }

    page.setView = function (domain) {
        const span = recording().span;

        state().view = [clamp(domain[0], span), clamp(domain[1], span)];
        page.changed('view');
    };

    /* The interval before or after the one at the slider, of the first object. */
    function step(by) {
        const o = recording() && recording().objects[0];

        if (o) {
            const i = clamp(page.at(o, state().time) + by, [0, o.t.length - 2]);

            page.setTime((o.t[i] + o.t[i + 1]) / 2);
        }
    }

    /* --- controls --- */

    function controls() {
        const input = page.shown, metrics = page.metrics(input), s = state();

        $('bar').hidden = !recording();
        d3.select('#metric').selectAll('option').data(metrics).join('option').attr('value', m => m.name).text(m => `${m.name}: ${m.text}`);
        if (s.metric) {
            $('metric').value = s.metric.name;
        }
        $('whole').checked = s.whole;
        $('when').textContent = s.whole ? '' : s.time.toFixed(6) + ' s';
        $('time').disabled = s.whole;
    }

    function listen() {
        $('metric').onchange = () => page.setMetric($('metric').value);
        $('whole').onchange = () => {
            state().whole = $('whole').checked;
            timeChanged();
        };
        $('time').oninput = () => {
            const [from, to] = recording().span;

            state().time = from + $('time').value / 1000 * (to - from);
            timeChanged();
        };
        $('reset').onclick = () => page.setView(recording().span);
        document.addEventListener('keydown', key);
    }

    /* The section whose heading was passed last. */
    const current = () => sections.reduce((found, s, i) => s.box.node().parentNode.getBoundingClientRect().top < 120 ? i : found, 0);

    function go(i) {
        const s = sections[clamp(i, [0, sections.length - 1])];

        s.box.node().parentNode.scrollIntoView();
        $('title-' + s.view.id).focus({ preventScroll: true });
    }

    function key(e) {
        if (e.ctrlKey || e.altKey || e.metaKey || /INPUT|SELECT|TEXTAREA/.test(e.target.tagName)) {
            return;
        }
        const actions = {
            j: () => go(current() + 1), k: () => go(current() - 1), '[': () => step(-1), ']': () => step(1),
            t: () => {
                const s = sections[current()];

                if (s.details) {
                    s.details.property('open', !s.details.property('open'));
                }
            },
            '?': () => { $('keys').open = !$('keys').open; },
        };

        if (actions[e.key]) {
            actions[e.key]();
        }
    }

    /* --- inputs --- */

    const fitting = input => page.views.filter(v => v.applies(input));

    page.show = function (input) {
        page.shown = input;
        d3.selectAll('#inputs button').attr('aria-selected', i => i === input);
        $('title').textContent = document.title = `Origin 2000: ${input.command || input.name || 'counters'}` + (input.host ? ` on ${input.host}` : '');
        $('system').textContent = [input.system, input.machine && input.machine.title].filter(s => s).join(', ');
        d3.select('#views').html('');
        controls();
        sections = [];
        fitting(input).forEach(v => sections.push(addSection(v)));
        d3.select('#contents').selectAll('a').data(sections).join('a').attr('href', s => '#view-' + s.view.id).text(s => s.view.title);
    };

    const names = { profile: 'profile', trace: 'recording', refcnt: 'page counters' };

    function begin(inputs) {
        page.inputs = inputs;
        listen();
        if (inputs.length > 1) {
            d3.select('#inputs').property('hidden', false).selectAll('button').data(inputs).join('button').attr('type', 'button').attr('role', 'tab')
                .text(i => `${names[i.kind] || i.kind}: ${i.name}`).on('click', page.show);
        }
        page.show(inputs[0]);
        document.body.dataset.ready = 'yes';
        document.body.dataset.milliseconds = Math.round(performance.now());
    }

    /* The live view: draws an input, and update() a later state of it. */
    window.originPage = function (input) {
        begin([input]);
        return {
            update(newer) {
                page.inherit(page.shown, newer);
                page.inputs = [newer];
                if (fitting(newer).map(v => v.id).join() !== sections.map(s => s.view.id).join()) {
                    page.show(newer);
                    return;
                }
                page.shown = newer;
                controls();
                page.changed('data');
            },
        };
    };

    if (page.inputs.length) {
        begin(page.inputs);
    }
}());
