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
        if (!s.details.property('open')) {
            s.table.html('');
            s.put = null;
        } else if (s.put) {
            s.put(s.view.table(page.shown));
        } else {
            s.put = page.putTable(s.table, s.view.table(page.shown));
        }
    }

    const scrolled = s => s.box.selectAll('.rows, .detail').nodes();
    const focusable = s => s.box.selectAll('[tabindex], button, a, summary, select').nodes();

    /* Drawing makes everything anew. Somebody who has scrolled, or has come there with Tab, stays there. */
    function drawSection(s) {
        const at = scrolled(s).map(e => [e.scrollLeft, e.scrollTop]), focus = focusable(s).indexOf(document.activeElement);

        s.says.text(s.view.says(page.shown));
        s.box.html('');
        s.view.draw(s.box, page.shown);
        scrolled(s).forEach((e, i) => at[i] && e.scrollTo(...at[i]));
        if (focus >= 0 && focusable(s)[focus]) {
            focusable(s)[focus].focus({ preventScroll: true });
        }
        if (s.details) {
            putAsTable(s);
        }
    }

    /* A list that is open would be shut by drawing, so what is new waits until the reader has chosen. */
    function drawNewer(s) {
        const list = document.activeElement;

        if (list && list.tagName === 'SELECT' && s.box.node().contains(list)) {
            list.onblur = () => drawNewer(s);
        } else if (!s.view.lasts) {
            drawSection(s);
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
            if (what === 'data') {
                drawNewer(s);
            } else if ((s.view.on || []).includes(what)) {
                drawSection(s);
            } else if (s.view.change) {
                s.view.change(what, s.box, page.shown);
            }
        });
    };

    page.setMetric = function (name) {
        state().metric = page.metrics(page.shown).find(m => m.name === name);
        state().picked = true;
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

    /* Zooms by `factor` around the slider's time if that is in sight, and moves by a share of what is in sight. */
    function zoom(factor, by) {
        if (recording()) {
            const [from, to] = state().view, wide = (to - from) * factor, t = state().time, [first, last] = recording().span;
            const at = !state().whole && t > from && t < to ? t : (from + to) / 2, share = (at - from) / (to - from);
            const begin = clamp(at - share * wide + by * wide, [first, Math.max(first, last - wide)]);

            page.setView([begin, begin + wide]);
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
        /* The overview consists of pixels, which do not follow the page's colours by themselves. */
        window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => page.draw('overview'));
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
            '+': () => zoom(.5, 0), '-': () => zoom(2, 0), '<': () => zoom(1, -.25), '>': () => zoom(1, .25),
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
        } else if (page.inputs[e.key - 1]) {
            page.show(page.inputs[e.key - 1]);
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

    const names = { difference: 'changes', whatif: 'what if', profile: 'profile', trace: 'recording', refcnt: 'page counters' };

    function tabs() {
        d3.select('#inputs').property('hidden', page.inputs.length < 2).selectAll('button').data(page.inputs).join('button').attr('type', 'button').attr('role', 'tab')
            .attr('aria-selected', i => i === page.shown).text(i => `${names[i.kind] || i.kind}: ${i.name}`).on('click', page.show);
    }

    function begin(inputs) {
        page.inputs = inputs;
        listen();
        tabs();
        page.show(inputs[0]);
        document.body.dataset.ready = 'yes';
        document.body.dataset.milliseconds = Math.round(performance.now());
    }

    /* The input that is shown has become `newer`. */
    function renew(newer) {
        if (fitting(newer).map(v => v.id).join() !== sections.map(s => s.view.id).join()) {
            page.show(newer);
            return;
        }
        page.shown = newer;
        controls();
        page.changed('data');
    }

    /* The live view: draws inputs, and update() later states of them. An input that is the same object as before has not changed; there may be more at the end. */
    window.originPage = function (inputs) {
        begin(inputs);
        return {
            update(newer) {
                const before = page.inputs, at = before.indexOf(page.shown);

                before.forEach((old, i) => old !== newer[i] && page.inherit(old, newer[i]));
                page.inputs = newer;
                if (newer[at] !== page.shown) {
                    renew(newer[at]);
                }
                tabs();
            },
        };
    };

    if (page.inputs.length) {
        begin(page.inputs);
    }
}());
