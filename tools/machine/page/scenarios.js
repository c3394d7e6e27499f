// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scenarios to load: programs (programs.js) on a machine, and races: the messages of one line, in an order that is given. The first are the transactions of the
 * thesis' figure 4.1; the races are those of docs/protocol.md.
 */
'use strict';
const scenarios = (function () {
    const program = (id, title, says, text, more = {}) => ({ id, title, says, text, machine: 'ricotta', time: 0, ...more });
    /* Each step: [what, cpu, message type] or ['arrive', type, where]; the last word is what the reader should see. */
    const race = (id, title, says, steps, nodes = 3) => ({ id, title, says, race: steps, nodes, home: 0 });

    const all = [
        program('read-unowned', 'READ of an unowned line', 'Nobody has the line. The home answers alone, in two steps, and gives an exclusive copy.',
            'line A node 1\ndo\n  cpu 4 load A'),
        program('read-shared', 'READ of a shared line', 'A prefetch shares the line. The next READ adds a sharer; the home answers alone.',
            'line A node 1\ndo\n  cpu 0 prefetch A\n  cpu 4 load A'),
        program('read-clean', 'READ, the owner has it clean', 'The owner has the line exclusive and has not written. It answers SACK, and the speculative data of the home are good.',
            'line A node 1\ndo\n  cpu 0 load A\n  cpu 4 load A'),
        program('read-dropped', 'READ, the owner has dropped it', 'The owner gave its clean copy up without a message. The directory still names it, so the home asks in vain.',
            'line A node 1\ndo\n  cpu 0 load A\n  cpu 0 flush A\n  cpu 4 load A'),
        program('read-dirty', 'READ of a modified line', 'The home sends memory\'s data at once (SSPEC) and asks the owner (IRDSH). The owner sends its data to the requestor (SRESP) and to the home (SHWB).',
            'line A node 1\ndo\n  cpu 0 store A\n  cpu 4 load A'),
        program('rdex-dirty', 'RDEX of a modified line', 'Ownership moves from one processor to another: ESPEC and IRDEX, ERESP, and XFER to the home.',
            'line A node 1\ndo\n  cpu 0 store A\n  cpu 4 store A'),
        program('one-bus', 'RDEX, the owner is the neighbour', 'Owner and requestor are processors of one node, so that the owner\'s answer waits for the speculative data on their bus.',
            'line A node 1\ndo\n  cpu 4 load A\n  cpu 5 store A'),
        program('rdex-shared', 'RDEX of a shared line', 'Three nodes share the line. The home answers with a count; each sharer acknowledges to the requestor.',
            'line A node 1\ndo\n  cpu 0 prefetch A\n  cpu 6 load A\n  cpu 8 load A\n  cpu 4 store A'),
        program('upgrade', 'UPGRD', 'The requestor shares the line and needs no data: UPACK, and acknowledgements of the other sharers.',
            'line A node 1\ndo\n  cpu 0 prefetch A\n  cpu 4 load A\n  cpu 4 store A'),
        program('write-back', 'Write-back', 'A modified line goes back to memory, which then has the only copy.',
            'line A node 1\ndo\n  cpu 4 store A\n  cpu 4 flush A'),
        program('io', 'I/O reads and writes', 'I/O caches nothing: RSHU leaves a shared entry as it is, WINV takes copies away, a part of a line needs RDEX and WB.',
            'line A node 1\ndo\n  cpu 4 store A\n  io 0 read A\n  io 0 write A\n  cpu 4 load A\n  io 0 part A'),
        program('poison', 'Page poisoning', 'A block transfer reads a line, here first one that nobody has, and leaves it poisoned. The next load gets PERR, a bus error.',
            'line A node 1; line B node 1\ndo\n  io 0 poison B\n  cpu 4 load A\n  io 0 poison A\n  cpu 4 load A'),
        program('refused', 'A refused upgrade (NACK)', 'Software overwrites the directory entry through the back door. The upgrade is refused, and the requestor asks again by RDEX. ' +
            'Between the two the copy is not covered by the directory.', 'line A node 1\ndo\n  cpu 0 prefetch A\n  door unowned A\n  cpu 0 store A'),
        program('backoff', 'Backoff', 'The home\'s queue for forwarded messages has no room (MD_MOQ_SIZE is 0, and four stores to shared lines are under way), so requestors send INVALs themselves (BINV).',
            'line A node 0; line B node 0; line C node 0; line D node 0\ndo\n  door moq A\n' +
            ['A', 'B', 'C', 'D'].map(l => [2, 4, 6, 8, 10, 12, 14].map(c => `  cpu ${c} prefetch ${l}`).join('\n')).join('\n') +
            '\ntogether\n  cpu 2 store A\n  cpu 4 store B\n  cpu 6 store C\n  cpu 8 store D', { time: 1 }),
        program('queue', 'Eight processors want one memory', 'With the time model `full` requests wait: for the memory of node 0, its network interface, and links.',
            Array.from({ length: 8 }, (_, i) => `line L${i} node 0`).join('; ') + '\ntogether\n' + Array.from({ length: 8 }, (_, i) => `  cpu ${2 * i} load L${i}`).join('\n'), { time: 1 }),
        program('ll-sc', 'LL and SC', 'A store of another processor breaks the link, so that SC fails.',
            'line A node 1\ndo\n  cpu 0 ll A\n  cpu 4 store A\n  cpu 0 sc A'),
        program('false-sharing', 'False sharing', 'Two processors count in different words of one line. Each store takes the line from the other.',
            'line A node 0\ncpu 0\n  repeat 4\n    r1 = load A\n    r1 = r1 + 1\n    store A r1\n    wait 200\n  end\ncpu 4\n  repeat 4\n    r1 = load A+64\n    r1 = r1 + 1\n    store A+64 r1\n    wait 200\n  end'),
        program('ticket', 'A ticket lock', 'Four processors take tickets by LL and SC, and wait until theirs is served. All who wait share the line, and lose it when the lock goes on.',
            'line NEXT node 0; line SERVING node 1; line DATA node 2\n' + [0, 4, 8, 12].map(c =>
                `cpu ${c}\n  again: r1 = ll NEXT; r2 = r1 + 1; r3 = sc NEXT r2\n  if r3 == 0 goto again\n  spin: r4 = load SERVING\n  wait 100\n  if r4 != r1 goto spin\n` +
                '  r5 = load DATA; r5 = r5 + 1; store DATA r5\n  r4 = r4 + 1; store SERVING r4').join('\n')),
        race('race-writeback', 'Race 1: write-back against intervention', 'B evicts a modified line while A\'s RDEX is on its way. The home answers A on B\'s behalf.',
            [['request', 4, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'ERPLY', 4], ['request', 2, 'RDEX'], ['arrive', 'RDEX', 0], ['evict', 4], ['arrive', 'IRDEX', 4], ['arrive', 'WB', 0],
                ['arrive', 'ESPEC', 2], ['arrive', 'ERESP', 2], ['arrive', 'WBBAK', 4]]),
        race('race-new-owner', 'Race 2: the new owner writes back first', 'A gets the line from B, stores and evicts it. Its WB reaches the home before B\'s XFER, and the line goes to WAIT.',
            [['request', 4, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'ERPLY', 4], ['request', 2, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'ESPEC', 2], ['arrive', 'IRDEX', 4], ['arrive', 'ERESP', 2],
                ['evict', 2], ['arrive', 'WB', 0], ['arrive', 'XFER', 0], ['arrive', 'WBACK', 2]]),
        race('race-early-inval', 'Race 3: early invalidation', 'C\'s RDEX invalidates A\'s node before A\'s shared data arrive. A uses the data once and keeps no copy.',
            [['request', 0, 'RDSH'], ['arrive', 'RDSH', 0], ['arrive', 'SRPLY', 0], ['request', 2, 'RDSH'], ['arrive', 'RDSH', 0], ['request', 4, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'INVAL', 2],
                ['arrive', 'SRPLY', 2], ['arrive', 'INVAL', 0], ['arrive', 'ERPLY', 4], ['arrive', 'IVACK', 4], ['arrive', 'IVACK', 4]]),
        race('race-lost-upgrade', 'Race 4: a lost upgrade', 'A and B of one node share a line. C takes it while A\'s UPGRD is on its way, and B reads it back. The home grants the old UPGRD, but A has no copy: it sends RDEX.',
            [['request', 2, 'RDSH'], ['arrive', 'RDSH', 0], ['arrive', 'SRPLY', 2], ['request', 3, 'RDSH'], ['arrive', 'RDSH', 0], ['arrive', 'SRPLY', 3], ['request', 2, 'UPGRD'], ['request', 4, 'RDEX'],
                ['arrive', 'RDEX', 0], ['arrive', 'INVAL', 2], ['arrive', 'ERPLY', 4], ['arrive', 'IVACK', 4], ['request', 3, 'RDSH'], ['arrive', 'RDSH', 0], ['arrive', 'SSPEC', 3], ['arrive', 'IRDSH', 4],
                ['arrive', 'SRESP', 3], ['arrive', 'SHWB', 0], ['arrive', 'UPGRD', 0], ['arrive', 'UPACK', 2], ['arrive', 'INVAL', 2], ['arrive', 'INVAL', 4], ['arrive', 'IVACK', 2], ['arrive', 'IVACK', 2],
                ['request', 2, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'ERPLY', 2]]),
        race('race-early-xfer', 'The owner\'s data overtake the home\'s', 'The owner\'s answer arrives before the speculative data. The requestor waits for both, in either order.',
            [['request', 4, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'ERPLY', 4], ['request', 2, 'READ'], ['arrive', 'READ', 0], ['arrive', 'IRDSH', 4], ['arrive', 'SRESP', 2], ['arrive', 'SSPEC', 2],
                ['arrive', 'SHWB', 0]]),
        race('race-busy', 'NACK: the line is busy', 'While the home waits for the owner\'s revision, a third processor asks. It is refused and asks again.',
            [['request', 4, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'ERPLY', 4], ['request', 2, 'RDEX'], ['arrive', 'RDEX', 0], ['request', 0, 'READ'], ['arrive', 'READ', 0], ['arrive', 'NACK', 0],
                ['arrive', 'IRDEX', 4], ['arrive', 'XFER', 0], ['arrive', 'ESPEC', 2], ['arrive', 'ERESP', 2], ['request', 0, 'READ'], ['arrive', 'READ', 0], ['arrive', 'SSPEC', 0], ['arrive', 'IRDSH', 2],
                ['arrive', 'SRESP', 0], ['arrive', 'SHWB', 0]]),
        race('race-backoff', 'Backoff, by hand', 'The home has no room for forwarded messages. The requestors send the interventions and the INVALs themselves.',
            [['request', 4, 'RDEX'], ['arrive', 'RDEX', 0], ['arrive', 'ERPLY', 4], ['request', 2, 'READ'], ['full', 'READ', 0], ['arrive', 'BRDSH', 2], ['arrive', 'IRDSH', 4], ['arrive', 'SRESP', 2],
                ['arrive', 'SHWB', 0], ['request', 0, 'RDEX'], ['full', 'RDEX', 0], ['arrive', 'ERPLY', 0], ['arrive', 'BINV', 0], ['arrive', 'INVAL', 2], ['arrive', 'INVAL', 4], ['arrive', 'IVACK', 0],
                ['arrive', 'IVACK', 0], ['request', 4, 'RDEX'], ['full', 'RDEX', 0], ['arrive', 'BRDEX', 4], ['arrive', 'IRDEX', 0], ['arrive', 'ERESP', 4], ['arrive', 'XFER', 0]]),
    ];

    return { all, find: id => all.find(s => s.id === id) };
}());
