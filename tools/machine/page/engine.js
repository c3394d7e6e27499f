// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs in the page: dtc compiles a description, dtinfo says what it describes, and the engine (tools/machine/machine.h) runs the machine. Each is
 * WebAssembly in the page's data. They ask for a small part of WASI, which this file answers from memory: arguments, files, standard output.
 *
 *   engine.start()          compiles the programs; a promise
 *   engine.describe(text)   { blob, shape } of a description (dtc's language); throws an Error with one line
 *   engine.machine(blob, time, seed)    a new machine from it, at power-on
 *   engine.call(name, ...)  calls machine_NAME or races_..., numbers in, number out; -1 throws an Error with what was said
 *   engine.said()           the text of the last call
 *   engine.json(name, ...)  the call's answer as an object
 */
'use strict';
const engine = (function () {
    const data = JSON.parse(document.getElementById('data').textContent), modules = {};
    let live = null;

    class Exit extends Error {}

    const bytesOf = base64 => Uint8Array.from(atob(base64), c => c.charCodeAt(0));
    const encode = s => new TextEncoder().encode(s), decode = b => new TextDecoder().decode(b);

    /* What WASI asks of its host. `files`: name -> bytes; what is written to descriptors 1 and 2 is added to out[1], out[2]. */
    function host(args, files, out) {
        const open = new Map(), OK = 0, BADF = 8, NOENT = 44;
        let memory = null;
        const view = () => new DataView(memory.buffer), bytes = (p, n) => new Uint8Array(memory.buffer, p, n);

        /* Each part of a list of (address, length) pairs, until one is not moved whole. */
        function parts(list, count, move) {
            let all = 0;

            for (let i = 0; i < count; i++) {
                const n = view().getUint32(list + 8 * i + 4, true), moved = move(bytes(view().getUint32(list + 8 * i, true), n));

                all += moved;
                if (moved < n) {
                    break;
                }
            }
            return all;
        }

        function strings(list, at, buffer) {
            for (const s of list) {
                const b = encode(s + '\0');

                view().setUint32(at, buffer, true);
                bytes(buffer, b.length).set(b);
                at += 4;
                buffer += b.length;
            }
            return OK;
        }

        const calls = {
            args_sizes_get(count, size) {
                view().setUint32(count, args.length, true);
                view().setUint32(size, encode(args.join('\0') + '\0').length, true);
                return OK;
            },
            args_get: (at, buffer) => strings(args, at, buffer),
            environ_sizes_get(count, size) {
                view().setUint32(count, 0, true);
                view().setUint32(size, 0, true);
                return OK;
            },
            environ_get: () => OK,
            fd_prestat_get(fd, at) { /* 3 is the directory with the files */
                if (fd !== 3) {
                    return BADF;
                }
                view().setUint8(at, 0);
                view().setUint32(at + 4, 1, true);
                return OK;
            },
            fd_prestat_dir_name(fd, at) {
                bytes(at, 1).set(encode('.'));
                return OK;
            },
            fd_fdstat_get(fd, at) {
                bytes(at, 24).fill(0);
                view().setUint8(at, fd === 3 ? 3 : fd < 3 ? 2 : 4);
                view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
                view().setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
                return OK;
            },
            path_open(dir, follow, path, n, flags, rights, inheriting, fdflags, at) {
                const name = decode(bytes(path, n)).replace(/^\.?\//, '');

                if (!files.has(name)) {
                    return NOENT;
                }
                open.set(4 + open.size, { bytes: files.get(name), at: 0 });
                view().setUint32(at, 3 + open.size, true);
                return OK;
            },
            fd_read(fd, list, count, done) {
                const f = open.get(fd);

                if (!f) {
                    return BADF;
                }
                view().setUint32(done, parts(list, count, to => {
                    const some = f.bytes.subarray(f.at, f.at + to.length);

                    to.set(some);
                    f.at += some.length;
                    return some.length;
                }), true);
                return OK;
            },
            fd_write(fd, list, count, done) {
                view().setUint32(done, parts(list, count, from => {
                    (out[fd] || out[2]).push(from.slice());
                    return from.length;
                }), true);
                return OK;
            },
            fd_seek(fd, offset, whence, at) {
                const f = open.get(fd);

                if (!f) {
                    return BADF;
                }
                f.at = Number(offset) + [0, f.at, f.bytes.length][whence];
                view().setBigUint64(at, BigInt(f.at), true);
                return OK;
            },
            fd_close: () => OK,
            proc_exit(code) { throw new Exit(code); },
        };
        /* Any other call: there is no such thing here. */
        return { use: m => { memory = m; }, imports: new Proxy(calls, { get: (o, name) => o[name] || (() => 52), has: () => true }) };
    }

    function instance(module, h) {
        const wanted = {};

        WebAssembly.Module.imports(module).forEach(i => { wanted[i.name] = h.imports[i.name]; });
        const made = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wanted });
        h.use(made.exports.memory);
        return made;
    }

    const whole = list => {
        const all = new Uint8Array(list.reduce((n, b) => n + b.length, 0));
        let at = 0;

        list.forEach(b => { all.set(b, at); at += b.length; });
        return all;
    };

    /* Runs a program to its end: { code, out, err }. */
    function run(name, args, files) {
        const out = { 1: [], 2: [] }, h = host([name, ...args], files, out);
        let code = 0;

        try {
            instance(modules[name], h).exports._start();
        } catch (e) {
            if (!(e instanceof Exit)) {
                throw new Error(`${name} failed: ${e.message}`);
            }
            code = +e.message;
        }
        return { code, out: whole(out[1]), err: decode(whole(out[2])) };
    }

    const start = () => Promise.all(Object.entries(data.wasm).map(([name, base64]) =>
        WebAssembly.compile(bytesOf(base64)).then(m => { modules[name] = m; })));

    /* The first line that says what is wrong, as a line of the text that was given. */
    const firstLine = (err, otherwise) => err.split('\n').map(l => l.replace(/^(Error|ERROR|FATAL ERROR): /, '').replace(/^machine\.dts:/, 'line ').replace(/^machine\.dtb: /, ''))
        .find(l => l.trim()) || otherwise;

    function describe(text) {
        const files = new Map(Object.entries(data.files).map(([name, s]) => [name, encode(s)]));

        files.set('machine.dts', encode(text));
        const dtc = run('dtc', ['-q', '-I', 'dts', '-O', 'dtb', 'machine.dts'], files);
        if (dtc.code) {
            throw new Error('The description is not understood: ' + firstLine(dtc.err, 'it is no device tree'));
        }
        files.set('machine.dtb', dtc.out);
        const info = run('dtinfo', ['-j', 'machine.dtb'], files);
        if (info.code) {
            throw new Error('The description is of no machine: ' + firstLine(info.err, 'dtinfo refuses it'));
        }
        return { blob: dtc.out, shape: JSON.parse(decode(info.out)) };
    }

    function said() {
        const all = new Uint8Array(live.memory.buffer), at = live.machine_said();

        return decode(all.subarray(at, all.indexOf(0, at)));
    }

    function call(name, ...args) {
        const f = live['machine_' + name] || live[name];
        /* Addresses, times and digests have 64 bits. */
        const wide = { do: [2, 3], look: [0] }[name] || [], rc = f(...args.map((a, i) => wide.includes(i) ? BigInt(a) : a));

        if (rc === -1) {
            throw new Error(said());
        }
        return rc;
    }

    function machine(blob, time, seed) {
        const out = { 1: [], 2: [] };

        live = instance(modules.machine, host(['machine'], new Map(), out)).exports;
        if (live._initialize) {
            live._initialize();
        }
        const at = live.machine_room(blob.length); /* may give the memory another buffer */
        new Uint8Array(live.memory.buffer, at, blob.length).set(blob);
        call('new', blob.length, time, seed);
    }

    function json(name, ...args) {
        call(name, ...args);
        return JSON.parse(said());
    }

    return { data, start, describe, machine, call, said, json };
}());
