// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A link that carries the state: machine, accesses or actions, and the position, with a sum by which a link that was cut is known.
 *
 *   link.write()     the part of a link behind #        link.read(hash)   loads it; throws an Error with one line
 */
'use strict';
const link = (function () {
    /* FNV-1a, in six characters. */
    function sum(s) {
        let h = 0x811c9dc5;

        for (let i = 0; i < s.length; i++) {
            h = Math.imul(h ^ s.charCodeAt(i), 0x01000193) >>> 0;
        }
        return h.toString(36).padStart(7, '0');
    }

    const base64 = s => btoa(String.fromCharCode(...new TextEncoder().encode(s))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
    const text = s => new TextDecoder().decode(Uint8Array.from(atob(s.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0)));
    const n36 = list => list.map(n => n ? n.toString(36) : '').join('.');

    function write() {
        const parts = [life.text ? 'd=' + base64(life.text) : 'm=' + life.preset, `t=${life.time}`, `s=${life.seed}`];

        if (life.racing) {
            parts.push('r=' + races.setup.join('.'), 'x=' + races.steps.map(s => `${s.call[0][0]}${n36(s.call.slice(1))}`).join('_'), `p=${races.position}`);
        } else {
            parts.push('x=' + past.steps.map(s => n36(s.call)).join('_'), `p=${past.position}`, 'l=' + life.line.toString(36));
        }
        parts.push('c=' + life.cpu);
        const all = parts.join('&');
        return all + '&k=' + sum(all);
    }

    const numbers = s => s.split('.').map(v => v === '' ? 0 : parseInt(v, 36));

    function read(hash) {
        const at = hash.lastIndexOf('&k='), all = hash.slice(0, at), part = new Map(all.split('&').map(p => [p.slice(0, p.indexOf('=')), p.slice(p.indexOf('=') + 1)]));

        if (at < 0 || sum(all) !== hash.slice(at + 3)) {
            throw new Error('The link is not whole: a part of it was cut off or changed.');
        }
        life.load({ preset: part.get('m'), text: part.has('d') ? text(part.get('d')) : '', time: +part.get('t'), seed: +part.get('s') });
        const steps = (part.get('x') || '').split('_').filter(s => s);
        if (part.has('r')) {
            races.start(...part.get('r').split('.').map(Number));
            life.racing = true;
            steps.forEach(s => races.act({ r: 'request', e: 'evict', d: 'deliver' }[s[0]], ...numbers(s.slice(1))));
            races.go(+part.get('p'));
            life.line = races.setup[1] * 2 ** 32 + life.line0;
        } else {
            steps.forEach(s => past.act(...numbers(s)));
            past.go(+part.get('p'));
            life.line = parseInt(part.get('l'), 36);
        }
        life.cpu = +part.get('c');
    }

    return { write, read };
}());
