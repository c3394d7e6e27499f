// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all parts of the page share: the data, how numbers are written, colours, and the list of views.
 *
 *   page.inputs           what the page shows: recordings, profiles, page counters (docs/report-data.md)
 *   page.view(VIEW)       adds a view; each file views-*.js and the like calls it
 *   page.rows(input, t)   the rows of table t as objects, {} of column names
 *   page.say, page.short  a value with its unit's digits; the same in few characters
 *   page.brief            the same with its unit, where there is room for little: no more digits than a reader can use
 *   page.scale            a colour for each value from 0 to the greatest
 *   page.colours          a colour for each of some names
 *   page.choices()        what readers choose in a view, by input, with get() and set(); a later state of an input inherits it by page.keep()
 *
 * The live view (origin run --view) has no inputs in the page; it calls originPage() of start.js.
 *
 * A VIEW is an object:
 *   id, title             of its section
 *   applies(input)        whether the input has what it needs
 *   says(input)           a sentence or two: what it shows, in which units, what to do next
 *   draw(box, input)      draws into box, a D3 selection that is empty
 *   on                    what makes it be drawn again: 'metric', 'time', 'view' (the part of the time axis in sight)
 *   lasts                 true if the view stays the same when a later state of the input is shown: it is then not drawn again
 *   change(what, box, input)   called in place of draw() when something of `on` has changed, for views that take long to draw
 *   table(input)          { columns: [{name, unit, text}], rows: [[...]] }: what is drawn, as numbers
 *
 * Names and source text of the guest are set as text, never as markup: no view may call html() with more than ''.
 */
'use strict';
const page = (function () {
    const $ = id => document.getElementById(id);
    const data = JSON.parse($('data').textContent);

    /* The rows of a table as objects; an empty list if the input has no such table. */
    function rows(input, name) {
        const t = (input.tables || {})[name];

        return !t ? [] : t.rows.map(r => {
            const o = {};

            t.columns.forEach((c, i) => { o[c.name] = r[i]; });
            return o;
        });
    }

    const unknown = v => v === null || v === undefined || v === '';

    function say(v, unit) {
        if (unknown(v)) {
            return '-';
        }
        if (typeof v === 'string') {
            return v;
        }
        if (unit === 'percent' || unit === 'us') {
            return v.toFixed(3);
        }
        return Number.isInteger(v) ? String(v) : String(+v.toPrecision(6));
    }

    const short = v => Math.abs(v) >= 1000 ? d3.format('.3s')(v) : String(+v.toPrecision(3));

    /* One digit behind the point is what a picture can show of per cents: 0.00776 % is next to nothing. */
    function brief(v, unit) {
        if (unit === 'us') {
            return time(+v.toPrecision(3));
        }
        if (unit === 'percent') {
            return v > 0 && v < 0.05 ? '<0.1 %' : `${v >= 10 ? Math.round(v) : +v.toFixed(1)} %`;
        }
        return Number.isInteger(v) || Math.abs(v) >= 1 ? short(v) : v.toFixed(1);
    }

    /* Microseconds as the unit that a reader would choose. */
    function time(us) {
        return us >= 1e6 ? `${+(us / 1e6).toPrecision(4)} s` : us >= 1e3 ? `${+(us / 1e3).toPrecision(4)} ms` : `${+us.toPrecision(4)} us`;
    }

    const amount = (v, unit) => unit === 'us' ? time(v) : `${short(v)} ${unit === 'percent' ? '%' : unit || ''}`.trim();

    /* From 0 to the greatest value, dark to light. Cividis is read alike with and without colour blindness, and in grey. */
    const scale = greatest => d3.scaleSequential(d3.interpolateCividis).domain([0, greatest > 0 ? greatest : 1]);

    /* What can be read on a colour. */
    const ink = c => d3.lab(c).l > 55 ? '#000' : '#fff';

    /* First P. Tol's "muted" scheme, which colour-blind readers can tell apart. The others are for more names than it has. */
    const muted = ['#cc6677', '#4a6fb5', '#ddcc77', '#117733', '#88ccee', '#882255', '#44aa99', '#999933', '#aa4499', '#7f7f7f', '#e69f00'];
    const fixed = {
        busy: '#b9bdc2', idle: '#dfe2e5', l2: '#ddcc77', local: '#44aa99', remote: '#4a6fb5', clean: '#88ccee', dirty: '#cc6677', invalidate: '#aa4499',
        backoff: '#882255', uncached: '#999933', fetchop: '#117733', cacheop: '#7f7f7f', refused: '#e69f00',
        first: '#88ccee', capacity: '#4a6fb5', conflict: '#ddcc77', true_sharing: '#aa4499', false_sharing: '#cc6677', upgrade: '#117733',
        upgrade_lost: '#44aa99', moved: '#999933', flushed: '#7f7f7f', evicted: '#332288', poisoned: '#e69f00', fetch: '#882255',
        unowned: '#44aa99', shared: '#88ccee', clean_hit: '#ddcc77', clean_miss: '#999933', dirty_downgrade: '#cc6677', dirty_transfer: '#882255',
        bus_error: '#e69f00',
    };

    /* A fixed name has the same colour in every view; the others get what is left. */
    function colours(names) {
        const left = muted.filter(c => !names.some(n => fixed[n] === c)), free = left.length ? left : muted;
        let next = 0;

        return new Map(names.map(n => [n, fixed[n] || free[next++ % free.length]]));
    }

    const views = [], memories = [];

    function choices() {
        memories.push(new WeakMap());
        return memories[memories.length - 1];
    }

    return {
        $, inputs: data.inputs || [], rows, say, short, brief, time, amount, unknown, scale, ink, colours, views, choices,
        keep: (old, newer) => memories.filter(m => m.has(old)).forEach(m => m.set(newer, m.get(old))),
        view: v => views.push(v),
        table: (input, name) => (input.tables || {})[name],
        cut: (s, n) => s.length > n ? s.slice(0, n - 1) + '\u2026' : s,
    };
}());
