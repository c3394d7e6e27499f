// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table that sorts by a click on a heading, keeps the rows that contain a word, and copies all of them as CSV.
 *
 *   page.putTable(box, { columns: [{name, unit, text}], rows: [[...]] })
 *
 * Columns without a unit hold text or numbers that name something. Returns a function that takes newer rows, with the same columns or others, and
 * leaves what the reader has chosen.
 */
'use strict';
(function () {
    const MOST = 500; /* rows on the page; the copy has all */

    /* CSV as in RFC 4180. An unknown value is empty. A text that a spreadsheet would take for a formula gets an apostrophe in front, for the guest chose it. */
    function field(v) {
        const formula = typeof v === 'string' && /^[=+\-@\t\r]/.test(v) && v !== '-' && isNaN(v);
        const s = page.unknown(v) ? '' : (formula ? "'" : '') + v;

        return /[",\n\r]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
    }

    page.csv = (columns, rows) => [columns.map(c => c.name), ...rows].map(r => r.map(field).join(',')).join('\n') + '\n';

    function compare(p, q) {
        if (page.unknown(p) || page.unknown(q)) {
            return 0;
        }
        return typeof p === 'string' || typeof q === 'string' ? String(p).localeCompare(String(q), 'en', { numeric: true }) : p - q;
    }

    function copy(text, said) {
        const area = document.createElement('textarea');

        area.value = text;
        document.body.append(area);
        area.select();
        said.text(document.execCommand('copy') ? `${text.split('\n').length - 2} rows copied` : 'the browser did not allow the copy');
        area.remove();
    }

    page.putTable = function (box, table) {
        let { columns, rows } = table;
        const state = { sort: -1, up: false, word: '' };
        const bar = box.append('p').attr('class', 'table-bar');
        const filter = bar.append('label').text('only rows that contain ').append('input').attr('type', 'search').attr('class', 'filter');
        const button = bar.append('button').attr('type', 'button').attr('class', 'copy').text('copy as CSV');
        const said = bar.append('span').attr('role', 'status');
        const counted = box.append('p').attr('class', 'says counted');
        const frame = box.append('div').attr('class', 'rows').append('table');

        function chosen() {
            const found = rows.filter(r => !state.word || r.some(v => !page.unknown(v) && String(v).toLowerCase().includes(state.word)));

            return state.sort < 0 ? found : found.sort((a, b) => {
                const p = a[state.sort], q = b[state.sort];

                return page.unknown(p) - page.unknown(q) || (state.up ? 1 : -1) * compare(p, q);
            });
        }

        /* Makes all anew; who has come to a heading with Tab, or has scrolled, stays there. */
        function redraw() {
            const box = frame.node().parentNode, at = [box.scrollLeft, box.scrollTop];
            const focus = [...frame.node().querySelectorAll('th button')].indexOf(document.activeElement);

            draw();
            box.scrollTo(...at);
            if (focus >= 0) {
                (frame.node().querySelectorAll('th button')[focus] || filter.node()).focus({ preventScroll: true });
            }
        }

        function draw() {
            const found = chosen(), tr = frame.html('').append('thead').append('tr');
            const heading = tr.selectAll('th').data(columns).join('th').attr('title', c => c.text || null)
                .attr('aria-sort', (c, i) => i === state.sort ? (state.up ? 'ascending' : 'descending') : null).attr('class', c => c.unit ? null : 'text');

            counted.text(`${found.length} rows` + (found.length > MOST ? `; the first ${MOST} are shown, the copy has all` : '') + '. A click on a heading sorts.');
            heading.append('button').attr('type', 'button').text((c, i) => c.name + (i === state.sort ? (state.up ? ' \u2191' : ' \u2193') : ''))
                .on('click', (c, i) => {
                    state.up = i === state.sort ? !state.up : !c.unit;
                    state.sort = i;
                    redraw();
                });
            heading.filter(c => c.unit && c.unit !== 'address').append('small').text(c => ' ' + (c.unit === 'percent' ? '%' : c.unit));
            frame.append('tbody').selectAll('tr').data(found.slice(0, MOST)).join('tr').selectAll('td').data(r => r).join('td')
                .attr('class', (v, i) => columns[i].unit ? null : 'text').text((v, i) => page.unknown(v) ? '' : page.say(v, columns[i].unit));
        }

        filter.on('input', function () {
            state.word = this.value.trim().toLowerCase();
            draw();
        });
        button.on('click', () => copy(page.csv(columns, chosen()), said));
        draw();
        return newer => {
            const sorted = columns[state.sort];

            ({ columns, rows } = newer);
            state.sort = sorted ? columns.findIndex(c => c.name === sorted.name) : -1;
            redraw();
        };
    };
}());
