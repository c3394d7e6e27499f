#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# PAPI and its component for the machine: our own program, the utilities, and the quick ones of PAPI's tests (tests/soak/papi.sh runs all).
. "$(dirname "$0")/../lib.sh"

"$origin" cc -O2 -Wall -Wextra -o "$tmp/papi" "$root/tests/guest/papi.c" -lpapi -lsnpc -lsn -lpthread || exit 99
for t in version hwinfo cmpinfo describe code2name eventname get_event_component disable_component failed_events exec exec2 fork fork2 \
    forkexec forkexec2 forkexec3 forkexec4 case1 case2 johnmay2 data_range locks_pthreads zero_pthreads; do
    cp "$root/build/papi/tests/$t" "$tmp/t_$t" || exit 99
done

points() {
    printf '%s\n' "$out" >"$tmp/points"
    bare_points "$1" "$tmp/points"
    like "$1: ends" "$out" '^1\.\.[1-9]'
}

run -m origin200 --range-monitor -s "$tmp" -- 'papi_component_avail >component; papi_avail -a >avail; papi_native_avail --darr --noqual >darr
    papi_native_avail --iarr --noqual >iarr; papi_native_avail --dear >dear; papi_native_avail --iear >iear; papi_native_avail --opcm >opcm
    papi_mem_info >mem; papi_event_chooser PRESET PAPI_LD_INS >chooser 2>&1
    for t in t_*; do echo "$t $(./$t TESTS_QUIET 2>&1 | grep -E "PASSED|SKIPPED|FAILED" | head -n 1)"; done >ctests; ./papi'
is "exit status" "$status" 0
points papi
while read -r t result; do
    is "PAPI's test ${t#t_}" "$result" PASSED
done <"$tmp/ctests"
like "papi_component_avail" "$(cat "$tmp/component")" '^Name: +sn0 .*R10000, .*; address ranges$'
is "papi_avail: presets" "$(grep -c '^PAPI_.* 0x8' "$tmp/avail")" 25
listed() { sed -n 's/^| sn0:::\([A-Z0-9_]*\) .*/\1/p' "$tmp/$1" | tr '\n' ' '; }
is "papi_native_avail --darr" "$(listed darr)" "LOAD_ISSUED STORE_ISSUED SC_ISSUED SC_FAILED SC_QUAD_WB LOAD_GRADUATED STORE_GRADUATED \
SC_GRADUATED L1D_QUAD_WB L1D_MISS L2D_MISS D_MISPREDICT_WAY STORE_CLEAN STORE_SHARED REFCNT "
is "papi_native_avail --iarr" "$(listed iarr)" "INSN_ISSUED LOAD_ISSUED STORE_ISSUED SC_ISSUED SC_FAILED BRANCH_DECODED SC_QUAD_WB \
INSN_GRADUATED INSN_GRADUATED1 LOAD_GRADUATED STORE_GRADUATED SC_GRADUATED FP_GRADUATED L1D_QUAD_WB BRANCH_MISPREDICT L1D_MISS L2D_MISS \
D_MISPREDICT_WAY STORE_CLEAN STORE_SHARED "
is "papi_native_avail --dear, --iear, --opcm: none" "$(cat "$tmp/dear" "$tmp/iear" "$tmp/opcm" | grep -c 'sn0:::')" 0
like "papi_mem_info" "$(cat "$tmp/mem")" 'Total size: +1024 KB'
like "papi_event_chooser: cycles go with loads" "$(cat "$tmp/chooser")" '^PAPI_TOT_CYC '
unlike "papi_event_chooser: stores do not" "$(cat "$tmp/chooser")" '^PAPI_SR_INS '

run -m origin200 -s "$tmp" -- 'papi_component_avail >component; papi_native_avail --darr --noqual >darr; papi_native_avail --iarr --noqual >iarr
    ./papi none'
points "no monitor"
like "no monitor: papi_component_avail says so" "$(cat "$tmp/component")" '^Name: +sn0 .*no range monitor$'
is "no monitor: papi_native_avail --darr" "$(listed darr)" "REFCNT "
is "no monitor: papi_native_avail --iarr" "$(listed iarr)" ""

run -m ricotta -s "$tmp" -- ./papi hub
points "eight nodes"

finish
