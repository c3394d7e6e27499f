// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The transaction mix of a profile by processor or node, and how long transactions took. The histograms come from the machine's ground truth
 * (docs/engine.md): all processors since the machine was switched on.
 */
'use strict';
(function () {
    const choices = page.choices();
    const by = { cpu: r => `cpu ${r.cpu} (node ${r.node})`, node: r => `node ${r.node}`, all: () => 'all processors' };
    const meaning = {
        unowned: 'memory answered, nobody had the line', shared: 'memory answered, others share the line', clean_hit: 'intervention: the owner had it clean',
        clean_miss: 'intervention: the owner had dropped it', dirty_downgrade: 'intervention: the owner had modified it and keeps a copy',
        dirty_transfer: 'intervention: the owner had modified it and gives it up', invalidate: 'sharers were invalidated',
        upgrade: 'a shared copy became exclusive', bus_error: 'ended in a bus error',
    };
    const measures = {
        count: ['transactions', r => r.local + r.remote], remote: ['transactions with memory of another node', r => r.remote], stall: ['waiting', r => r.stall],
    };

    function mixed(input, chosen) {
        const groups = new Map();

        page.rows(input, 'transactions').forEach(r => {
            const label = by[chosen.by](r), g = groups.get(label) || { label, parts: {} };

            g.parts[r.kind] = (g.parts[r.kind] || 0) + measures[chosen.what][1](r);
            groups.set(label, g);
        });
        return [...groups.values()];
    }

    page.view({
        id: 'mix', title: 'Transactions',
        applies: input => page.rows(input, 'transactions').length > 0,
        says: () => 'How the directory answered the misses of each processor or node. Much "shared" and "upgrade" is data that many read and some write; ' +
            '"clean" and "dirty" is data that moves from cache to cache.',
        draw(box, input) {
            const chosen = choices.get(input) || { by: 'node', what: 'count' };
            const kinds = [...new Set(page.rows(input, 'transactions').map(r => r.kind))];
            const again = (key, value) => {
                choices.set(input, Object.assign(chosen, { [key]: value }));
                page.draw('mix');
            };

            page.choice(box, 'by', [['cpu', 'processor'], ['node', 'node'], ['all', 'all together']], chosen.by, v => again('by', v));
            page.choice(box, 'show', Object.entries(measures).map(([k, m]) => [k, m[0]]), chosen.what, v => again('what', v));
            page.bars(box, {
                label: 'transactions by kind', unit: chosen.what === 'stall' ? 'us' : 'transactions', most: 128,
                keys: Object.keys(meaning).filter(k => kinds.includes(k)).concat(kinds.filter(k => !meaning[k])).map(name => ({ name, text: meaning[name] })),
                rows: mixed(input, chosen),
            });
        },
        table: input => page.table(input, 'transactions'),
    });

    /* Histograms of groups of processors: [{label, bins}]. */
    function histograms(input, which) {
        const groups = new Map();

        input.truth.cpus.forEach(c => {
            const label = by[which](c), g = groups.get(label) || { label, bins: new Array(c.latency_hist.length).fill(0) };

            c.latency_hist.forEach((v, i) => { g.bins[i] += v; });
            groups.set(label, g);
        });
        return [...groups.values()];
    }

    const LEFT = 120, WIDTH = 900, ROW = 16, HIGH = 130;

    /* The last bin has all that took longer. */
    const upTo = (i, bins, bin) => i + 1 < bins.length ? `${(i + 1) * bin} ns` : 'any longer time';

    function columns(svg, g, x, bin, used) {
        const y = d3.scaleLinear().domain([0, d3.max(g.bins) || 1]).range([HIGH, 6]);

        svg.append('text').attr('x', 4).attr('y', 14).text(g.label);
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},0)`).call(d3.axisLeft(y).ticks(4, 's'));
        svg.append('g').attr('transform', `translate(${LEFT},0)`).selectAll('rect').data(g.bins.slice(0, used)).join('rect').attr('class', 'column')
            .attr('x', (v, i) => x(i * bin)).attr('width', x(bin) - 1).attr('y', v => y(v)).attr('height', v => HIGH - y(v))
            .append('title').text((v, i) => `${g.label}: ${v} transactions took ${i * bin} ns to ${upTo(i, g.bins, bin)}`);
        svg.append('g').attr('class', 'axis').attr('transform', `translate(${LEFT},${HIGH})`).call(d3.axisBottom(x).ticks(12).tickFormat(v => v + ' ns'));
    }

    function strips(svg, groups, x, bin, used) {
        const colour = d3.scaleSequentialLog(d3.interpolateCividis).domain([1, d3.max(groups, g => d3.max(g.bins)) || 1]);
        const g = svg.append('g').attr('transform', `translate(0,${HIGH + 34})`).selectAll('g').data(groups).join('g').attr('transform', (r, i) => `translate(0,${i * ROW})`);

        g.append('text').attr('x', 4).attr('y', 12).text(r => r.label);
        g.selectAll('rect').data(r => r.bins.slice(0, used).map((v, i) => ({ v, i, label: r.label, bins: r.bins })).filter(c => c.v)).join('rect').attr('class', 'bin')
            .attr('x', c => LEFT + x(c.i * bin)).attr('width', x(bin) - 1).attr('height', ROW - 2).attr('fill', c => colour(c.v)).attr('data-value', c => c.v)
            .append('title').text(c => `${c.label}: ${c.v} transactions took ${c.i * bin} ns to ${upTo(c.i, c.bins, bin)}`);
    }

    const latency = page.choices();

    page.view({
        id: 'latency', title: 'Latency',
        applies: input => ((input.truth || {}).cpus || []).length > 0,
        says: input => `How long transactions took, in bins of ${input.truth.latency_bin_ns} ns, since the machine was switched on. Above: all together. Below: each row is a processor or a ` +
            'node, light is much, on a logarithmic scale. The first hill is memory of the own node; what lies far to the right waited, or went a long way. ' +
            (input.truth.cpus.some(c => c.latency_hist[c.latency_hist.length - 1]) ? 'The last bin has all that took longer, too.' : ''),
        draw(box, input) {
            const which = latency.get(input) || (input.truth.cpus.length > 32 ? 'node' : 'cpu'), groups = histograms(input, which), all = histograms(input, 'all')[0];
            const bin = input.truth.latency_bin_ns, used = Math.max(16, all.bins.length - [...all.bins].reverse().findIndex(v => v));
            const x = d3.scaleLinear().domain([0, used * bin]).range([0, WIDTH]), height = HIGH + 40 + groups.length * ROW;

            page.choice(box, 'by', [['cpu', 'processor'], ['node', 'node']], which, v => {
                latency.set(input, v);
                page.draw('latency');
            });
            const svg = box.append('svg').attr('viewBox', `0 0 ${LEFT + WIDTH + 30} ${height}`).style('max-width', LEFT + WIDTH + 30 + 'px').attr('role', 'img').attr('aria-label', 'latency histograms');
            columns(svg, all, x, bin, used);
            strips(svg, groups, x, bin, used);
        },
        table: input => ({
            columns: [{ name: 'cpu' }, { name: 'node' }, { name: 'from', unit: 'ns' }, { name: 'to', unit: 'ns', text: 'empty: any longer time' }, { name: 'count', unit: 'transactions' }],
            rows: [].concat(...input.truth.cpus.map(c => c.latency_hist.map((v, i) => [c.cpu, c.node, i * input.truth.latency_bin_ns,
                i + 1 < c.latency_hist.length ? (i + 1) * input.truth.latency_bin_ns : null, v]).filter(r => r[4]))),
        }),
    });
}());
