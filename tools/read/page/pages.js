// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page map: a square for each page, in the order of addresses. Its upper left half has the colour of the home, its lower right half that of the
 * node that uses it most, so a page that is far from its user has two colours. Of a profile, or of page counters that refcnt(1) printed.
 */
'use strict';
(function () {
    const choices = page.choices(), SIZE = 13, COLUMNS = 64, LEFT = 250, GROUPS = 24;

    function nodeColours(n) {
        const muted = page.colours(d3.range(n).map(i => 'node ' + i));

        return i => n <= 11 ? muted.get('node ' + i) : d3.interpolateViridis(i / Math.max(n - 1, 1));
    }

    /* Pages by object, the costliest object first; within it by address. */
    function groups(rows) {
        const found = d3.nest().key(r => r.object || 'memory').entries(rows);
        const cost = g => d3.sum(g.values, r => page.unknown(r.stall) ? r.count : r.stall);

        found.forEach(g => g.values.sort((a, b) => a.page.length - b.page.length || (a.page < b.page ? -1 : 1)));
        return found.sort((a, b) => cost(b) - cost(a));
    }

    function tell(box, r) {
        const said = [`Page ${r.page}`, r.object && `of ${r.object}`, `home: node ${r.home}`, `most used by node ${r.user}`, `${r.count} ${r.stall === undefined ? 'references' : 'transactions'}`,
            r.stall !== undefined && `${page.time(r.stall)} waited`, r.migrations ? `${r.migrations} migrations` : 'never moved',
            r.saves > 0 && `node ${r.best} would save about ${page.time(r.saves)}`, r.users && `by node: ${r.users}`, r.homes && r.migrations ? `homes: ${r.homes}` : null];

        box.text(said.filter(s => s).join('; ') + '.');
    }

    function square(g, what, node, count) {
        const upper = `M0 0H${SIZE - 1}L0 ${SIZE - 1}Z`, lower = `M${SIZE - 1} 0V${SIZE - 1}H0Z`;

        if (what === 'place') {
            g.append('path').attr('d', upper).attr('fill', r => node(r.home));
            g.append('path').attr('d', lower).attr('fill', r => node(r.user));
        } else {
            g.append('rect').attr('width', SIZE - 1).attr('height', SIZE - 1).attr('fill', r => count(what === 'moved' ? r.migrations : Math.log1p(r.count)));
        }
    }

    function legend(box, nodes, node) {
        const item = box.append('ul').attr('class', 'legend').selectAll('li').data(nodes.length <= 32 ? nodes : nodes.filter((n, i) => i % 4 === 0)).join('li');

        item.append('span').attr('class', 'swatch').style('background', n => node(n));
        item.append('span').text(n => 'node ' + n);
    }

    function draw(box, input) {
        const what = choices.get(input) || 'place', rows = page.rows(input, 'pages'), all = groups(rows), shown = all.slice(0, GROUPS);
        const nodes = [...new Set([].concat(...rows.map(r => [r.home, r.user])))].sort((a, b) => a - b);
        const node = nodeColours(Math.max(input.nodes || 0, 1 + d3.max(nodes)));
        const count = page.scale(d3.max(rows, r => what === 'moved' ? r.migrations : Math.log1p(r.count)));
        let at = 0;

        page.choice(box, 'colour', [['place', 'home and main user'], ['count', 'how often used'], ['moved', 'migrations']], what, v => {
            choices.set(input, v);
            page.draw('pages');
        });
        if (what === 'place') {
            legend(box, nodes, node);
        }
        const placed = shown.map(g => {
            const top = at;

            at += Math.ceil(g.values.length / COLUMNS) * SIZE + 6;
            return Object.assign(g, { top });
        });
        const svg = box.append('svg').attr('viewBox', `0 0 ${LEFT + COLUMNS * SIZE + 10} ${at}`).style('max-width', LEFT + COLUMNS * SIZE + 10 + 'px')
            .attr('tabindex', 0).attr('role', 'application').attr('aria-label', 'the map of pages: arrow keys choose one');
        const said = box.append('p').attr('class', 'chosen-page').attr('role', 'status').text('Click a page, or choose one with the arrow keys, to read its counts.');
        const row = svg.selectAll('g.object').data(placed).join('g').attr('class', 'object').attr('transform', g => `translate(0,${g.top})`);
        row.append('text').attr('x', LEFT - 8).attr('y', 11).attr('text-anchor', 'end').text(g => `${page.cut(g.key, 32)}, ${g.values.length}`).append('title').text(g => g.key);
        const g = row.selectAll('g.page').data(o => o.values).join('g').attr('class', r => r.saves > 0 ? 'page misplaced' : 'page').attr('data-home', r => r.home).attr('data-user', r => r.user)
            .attr('transform', (r, i) => `translate(${LEFT + i % COLUMNS * SIZE},${Math.floor(i / COLUMNS) * SIZE})`);
        square(g, what, node, count);
        g.append('title').text(r => `${r.page}: home ${r.home}, most used by ${r.user}, ${r.count}`);
        let here = -1;
        const choose = i => {
            here = Math.max(0, Math.min(g.size() - 1, i));
            g.classed('chosen', (r, k, nodes) => nodes[k] === g.nodes()[here]);
            tell(said, d3.select(g.nodes()[here]).datum());
        };

        g.on('click', function () { choose(g.nodes().indexOf(this)); });
        svg.on('keydown', () => {
            const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[d3.event.key];

            if (by) {
                d3.event.preventDefault();
                choose(here < 0 ? 0 : here + by);
            }
        });
        if (all.length > shown.length) {
            box.append('p').attr('class', 'says').text(`The first ${shown.length} of ${all.length} objects; the table below has all pages.`);
        }
    }

    page.view({
        id: 'pages', title: 'Page map',
        applies: input => page.rows(input, 'pages').length > 0,
        says: input => 'A square is a page' + (input.kind === 'profile' ? ', grouped by the object in it, which is followed by its number of pages' : ' of 4 KB') +
            '. The upper left half has the colour of its home, the lower right half that of the node that uses it most: two colours mean that the page is far from its user. ' +
            (input.kind === 'profile' ? 'origin report --placement writes a placement file for dplace that moves such pages.' : 'Counts are references since the counters were cleared.'),
        draw,
        table: input => page.table(input, 'pages'),
    });
}());
