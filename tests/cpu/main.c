// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bare-metal CPU tests: console, results, order of the parts.
 *
 * Output is one line a point, "ok - NAME" or "not ok - NAME: ...", which run.sh
 * numbers.  The program ends as Linux's halt does.  Its argument says what
 * machine it is to find: "model=R12000 r2=off l2=8388608 caches=on".
 */
#include "test.h"
#include "parts.h"
#include "../baremetal/console.h"

struct options options;

void ok(const char *name, int good)
{
    begin_point(good, name);
    out('\n');
}

void is(const char *name, uint64_t got, uint64_t want)
{
    begin_point(got == want, name);
    if (got != want) {
        print(": got ");
        number(got, 16);
        print(", want ");
        number(want, 16);
    }
    out('\n');
}

void note(const char *text, uint64_t value)
{
    remark(text, value, 16);
}

void start_cpu(uint64_t nasid, uint64_t slice, uint64_t parm)
{
    launch(nasid, slice, slave_start, parm, slave_stack_top, 0);
}

void test_unexpected(void)
{
    print("not ok - unexpected exception\n");
    note("cause", trap_state.cause);
    note("epc", trap_state.epc);
    note("badvaddr", trap_state.badvaddr);
    note("status", trap_state.status);
    bare_halt();
}

void test_main(int argc, char **argv)
{
    const char *args = argc > 1 ? argv[1] : "";

    options.r12000 = find_arg(args, "model=R12000") != 0;
    options.r2 = find_arg(args, "r2=off") == 0;
    options.caches = find_arg(args, "caches=on") != 0;
    options.ranges = find_arg(args, "ranges=on") != 0;
    options.l2_bytes = number_arg(args, "l2=");
    options.miss = number_arg(args, "miss=");

    test_registers();
    test_spaces();
    test_segments();
    test_tlb();
    test_isa();
    test_perf();
    test_ranges();
    test_nodes();
    print("# end\n");
    bare_halt();
}
