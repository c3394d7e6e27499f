// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a profile says of nodes and links, for the picture of the machine: page.profileMetrics(input) is { metrics, value(path, metric) }.
 * Sums by node are of the command; what comes from the machine's ground truth is since it was switched on, and says so.
 */
'use strict';
(function () {
    const known = new WeakMap();
    const sumBy = (rows, key, value) => {
        const sums = new Map();

        rows.forEach(r => sums.set(r[key], (sums.get(r[key]) || 0) + value(r)));
        return sums;
    };

    /* Micropackets that each router port sent and received, by the port's path. */
    function portPackets(input, way) {
        const sums = new Map();

        ((input.truth || {}).routers || []).forEach(r => {
            const shape = input.machine && input.machine.routers[r.router];

            r.ports.forEach((port, i) => shape && port && sums.set(`${shape.path}:${i + 1}`, d3.sum(port[way])));
        });
        return sums;
    }

    function measure(input) {
        const matrix = page.rows(input, 'matrix'), away = matrix.filter(r => r.node !== r.home), truth = input.truth || {};
        const shapes = input.machine ? input.machine.nodes : [], paths = shapes.map(n => n.path);
        const cpus = [].concat(...shapes.map((n, i) => (n.cpus || []).map(c => [`${n.path}/cpu/${c.slice}`, 2 * i + (c.slice === 'b' ? 1 : 0)])));
        const since = ', since the machine was switched on';
        const ofNodes = (name, unit, text, sums) => ({ name, unit, text, sums: new Map(paths.map((path, n) => [path, sums.get(n) || 0])) });
        /* What processors did, by node and by processor. */
        const ofCpus = (name, unit, text, byNode, byCpu) => {
            const m = ofNodes(name, unit, text, byNode);

            cpus.forEach(([path, cpu]) => byCpu.has(cpu) && m.sums.set(path, byCpu.get(cpu)));
            return m;
        };
        const mix = page.rows(input, 'transactions');
        const ofTruth = (name, unit, text, value) => ofNodes(name, unit, text + since, new Map((truth.nodes || []).map(n => [n.node, value(n)])));

        return [
            ofCpus('stall', 'us', 'what processors of the node waited for memory', sumBy(matrix, 'node', r => r.stall), sumBy(mix, 'cpu', r => r.stall)),
            ofCpus('missed', 'transactions', 'that processors of the node began', sumBy(matrix, 'node', r => r.count), sumBy(mix, 'cpu', r => r.local + r.remote)),
            ofCpus('remote', 'transactions', 'the same, with memory of other nodes', sumBy(away, 'node', r => r.count), sumBy(mix, 'cpu', r => r.remote)),
            ofNodes('served', 'transactions', 'that the memory of the node is home of', sumBy(matrix, 'home', r => r.count)),
            ofNodes('far', 'transactions', 'the same, asked for by other nodes', sumBy(away, 'home', r => r.count)),
            ofTruth('reads', 'reads', 'directory lookups of the home', n => d3.sum(n.read_state || [])),
            ofTruth('refcnt', 'references', 'that the page counters of the home counted', n => n.refcnt),
            ofTruth('invalidations', 'messages', 'that the home sent', n => n.invalidations),
            ofTruth('backoff', 'messages', 'that the home backed off', n => d3.sum(['BINV', 'BRDSH', 'BRDEX'], m => (n.md_sent || {})[m] || 0)),
            { name: 'sent', unit: 'micropackets', text: 'that went over a link' + since, leaving: true, sums: portPackets(input, 'sent') },
            { name: 'received', unit: 'micropackets', text: 'that came over a link' + since, sums: portPackets(input, 'recv') },
        ].filter(m => [...m.sums.values()].some(v => v > 0));
    }

    page.profileMetrics = function (input) {
        if (!known.has(input)) {
            const metrics = measure(input);

            known.set(input, { metrics, value: (path, m) => m.sums.has(path) ? m.sums.get(path) : null });
        }
        return known.get(input);
    };
}());
