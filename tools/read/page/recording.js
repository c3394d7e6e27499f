// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The metrics of an input: over time in a recording, one value each in a profile. What the views machine, overview, time lines
 * and intervals draw.
 *
 *   page.metrics(input)            [{name, unit, text}]
 *   page.recording(input)          { objects, span, byPath } of a recording; null: the input has no time
 *   page.state(input)              what is chosen: metric (picked: by the reader), whole (the whole time, or the moment `time`), view [from, to], chosen (path), beside (two more metrics of the time lines)
 *   page.threadsOn(input, path)    threads that were seen on the processor at the path: [{o, share}] of the state's time
 *   page.value(input, path, m)     metric m of the object at the path in /hw, in the state's time; null: not known
 *
 * Times are seconds from the start of the run. A merged interval has the metric over all of it, and the least and the greatest value in it.
 */
'use strict';
(function () {
    const recordings = new WeakMap(), states = new WeakMap();
    let totals = new WeakMap();

    /* Parts of one object from several files become one object, in the order of time. */
    function joined(parts) {
        const by = new Map();

        parts.filter(p => p.t.length > 1).forEach(p => {
            const o = by.get(p.label);

            if (!o) {
                by.set(p.label, p);
                return;
            }
            const gap = o.t[o.t.length - 1] < p.t[0];
            const before = o.t.length - 1, after = p.t.length - 1;

            new Set([...Object.keys(o.series), ...Object.keys(p.series)]).forEach(name => {
                const join = key => {
                    const a = o.series[name] || {}, b = p.series[name] || {};
                    const left = a[key] || a.v || new Array(before).fill(null), right = b[key] || b.v || new Array(after).fill(null);

                    return left.concat(gap ? [null] : [], right);
                };
                o.series[name] = { v: join('v'), lo: join('lo'), hi: join('hi') };
            });
            o.t = gap ? o.t.concat(p.t) : o.t.slice(0, -1).concat(p.t);
            o.merged = Math.max(o.merged, p.merged);
        });
        return [...by.values()];
    }

    page.recording = function (input) {
        if (!input.objects) {
            return null;
        }
        if (!recordings.has(input)) {
            const objects = joined(input.objects);

            recordings.set(input, {
                objects,
                span: [d3.min(objects, o => o.t[0]), d3.max(objects, o => o.t[o.t.length - 1])],
                byPath: new Map(objects.filter(o => o.kind !== 'thread').map(o => [o.name, o])),
            });
        }
        return recordings.get(input);
    };

    page.metrics = input => input.objects ? input.metrics.filter(m => m.name !== 'cpuid') : page.profileMetrics(input).metrics;

    /*
     * What a machine is seen by first: how busy its memories are; else a rate of nodes, which tells more than a count; but nothing that is zero everywhere.
     * A profile's metrics begin with what processors waited.
     */
    function first(input, metrics) {
        const nodes = input.objects ? page.recording(input).objects.filter(o => o.kind === 'node') : [];
        const having = metrics.filter(m => nodes.some(o => o.series[m.name]));
        const says = m => nodes.some(o => o.series[m.name] && o.series[m.name].v.some(v => v > 0)), used = having.filter(says);

        return used.find(m => m.name === 'mem') || used.find(m => m.unit === 'percent') || used[0] || having.find(m => m.name === 'mem') || having[0] || metrics[0];
    }

    page.state = function (input) {
        if (!states.has(input)) {
            const r = page.recording(input), span = r ? r.span : [0, 0];

            states.set(input, { metric: first(input, page.metrics(input)), whole: true, time: span[0], view: span.slice(), chosen: null, picked: false, beside: [null, null] });
        }
        return states.get(input);
    };

    /* newer is a later state of the same input: what the reader has chosen stays. If it was the last moment, or the whole time axis, it is so in the newer state, too. */
    page.inherit = function (old, newer) {
        const s = page.state(old);

        page.keep(old, newer);
        if (!page.recording(newer)) {
            const m = page.metrics(newer).find(n => s.metric && n.name === s.metric.name);

            Object.assign(page.state(newer), { chosen: s.chosen }, m ? { metric: m } : {});
            return;
        }
        const before = page.recording(old).span;

        totals = new WeakMap();
        const now = page.recording(newer).span, all = s.view[0] === before[0] && s.view[1] === before[1];
        const same = m => m && page.metrics(newer).find(n => n.name === m.name);

        states.set(newer, {
            metric: (s.picked && same(s.metric)) || first(newer, page.metrics(newer)), picked: s.picked, beside: s.beside.map(m => same(m) || null), whole: s.whole, chosen: s.chosen,
            time: s.time === before[1] ? now[1] : Math.min(now[1], Math.max(now[0], s.time)),
            view: all ? now.slice() : [Math.max(now[0], s.view[0]), Math.min(now[1], s.view[1])],
        });
    };

    /* The interval of o that contains time t, or -1. */
    page.at = function (o, t) {
        const i = d3.bisectRight(o.t, t) - 1;

        return i < 0 || i > o.t.length - 2 ? (t === o.t[o.t.length - 1] ? o.t.length - 2 : -1) : i;
    };

    /* A metric over all of o: the mean for rates, the sum for counts, both weighted by what is known. */
    function total(o, m) {
        const s = o.series[m.name];
        let sum = 0, weight = 0;

        if (!s) {
            return null;
        }
        if (!totals.has(s)) {
            s.v.forEach((v, i) => {
                if (v !== null) {
                    const dt = o.t[i + 1] - o.t[i];

                    sum += m.unit === 'percent' ? v * dt : v;
                    weight += dt;
                }
            });
            totals.set(s, !weight ? null : m.unit === 'percent' ? sum / weight : sum);
        }
        return totals.get(s);
    }

    page.value = function (input, path, m) {
        const r = page.recording(input);

        if (!r) {
            return page.profileMetrics(input).value(path, m);
        }
        const o = r.byPath.get(path), state = page.state(input);

        if (!o || !o.series[m.name]) {
            return null;
        }
        if (state.whole) {
            return total(o, m);
        }
        const i = page.at(o, state.time);

        return i < 0 ? null : o.series[m.name].v[i];
    };

    /* A sample says on which processor a thread is; it is counted there for the interval that ends with it. */
    page.threadsOn = function (input, path) {
        const s = page.state(input), cpu = page.cpuAt(input, path), [from, to] = page.recording(input).span;

        return cpu === null ? [] : page.recording(input).objects.filter(o => o.kind === 'thread' && o.series.cpuid).map(o => {
            const seen = o.series.cpuid.v, i = page.at(o, s.time);
            const time = d3.sum(seen, (v, k) => v === cpu ? o.t[k + 1] - o.t[k] : 0);

            return { o, share: s.whole ? time / (to - from || 1) : i >= 0 && seen[i] === cpu ? 1 : 0 };
        }).filter(r => r.share > 0).sort((a, b) => b.share - a.share);
    };

    /* The number that the guest's kernel gives the processor at the path; null: the recording does not say. */
    page.cpuAt = function (input, path) {
        const found = (input.cpus || []).find(([, node, slice]) => {
            const n = (input.machine ? input.machine.nodes : [])[node];

            return n && path === `${n.path}/cpu/${'ab'[slice]}`;
        });

        return found ? found[0] : null;
    };

    /* What one interval of a merged one had on the average. A count of a merged interval is the sum, a rate is the mean already. */
    page.mean = function (o, m, i) {
        const s = o.series[m.name];

        if (!s.lo || s.v[i] === null || s.lo[i] === null) {
            return s.v[i];
        }
        return Math.min(s.hi[i], Math.max(s.lo[i], m.unit === 'percent' ? s.v[i] : s.v[i] / o.merged));
    };

    /* The objects that have a metric, and the greatest value that any of them ever has. */
    page.having = (input, m) => page.recording(input).objects.filter(o => o.series[m.name]);
    page.greatest = (input, m) => d3.max(page.having(input, m), o => d3.max(o.series[m.name].hi || o.series[m.name].v)) || 0;

    /*
     * The moments of the program: marks that the input has, and the moments when a thread begins or ends. [{time, text, label}],
     * in the order of time.
     */
    page.moments = function (input) {
        const marks = (input.moments || []).slice(), known = new Set(marks.map(p => p.time));

        page.recording(input).objects.filter(o => o.kind === 'thread').forEach(o => {
            [[o.t[0], 'begins'], [o.t[o.t.length - 1], 'ends']].forEach(([time, what]) => {
                if (!known.has(time)) {
                    marks.push({ time, text: `${o.label} ${what}: ${o.name}`, label: '' });
                }
            });
        });
        return marks.sort((a, b) => a.time - b.time);
    };

    page.unitName = m => m.unit === 'percent' ? '%' : m.unit === 'count' ? 'counts' : m.unit;
}());
