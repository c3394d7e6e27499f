#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# PAPI and its component for this machine: our own program, PAPI's utilities, and those of PAPI's tests that are quick (tests/soak/papi.sh runs
# all of them).
. "$(dirname "$0")/../lib.sh"

"$origin" cc -O2 -Wall -Wextra -o "$tmp/papi" "$root/tests/guest/papi.c" -lpapi -lsnpc || exit 99
for t in version hwinfo cmpinfo describe code2name eventname get_event_component disable_component failed_events exec exec2 fork fork2 \
    forkexec forkexec2 forkexec3 forkexec4 case1 case2 johnmay2 data_range locks_pthreads zero_pthreads; do
    cp "$root/build/papi/tests/$t" "$tmp/t_$t" || exit 99
done

points() {
    printf '%s\n' "$out" >"$tmp/points"
    bare_points "$1" "$tmp/points"
    like "$1: ends" "$out" '^1\.\.[1-9]'
}

head -c 1048576 /dev/zero >"$tmp/mb"

run -m origin200 --range-monitor -s "$tmp" -- 'papi_component_avail >component; papi_avail -a >avail; papi_native_avail --darr --noqual >darr
    papi_native_avail --iarr --noqual >iarr; for k in dear iear opcm; do papi_native_avail --$k >$k && echo $k; done >kinds
    papi_command_line PAPI_TOT_CYC PAPI_LD_INS MD_IN_READ:node=0 REFCNT >line; papi_command_line NO_SUCH_EVENT >nosuch
    papi_mem_info >mem; papi_event_chooser PRESET PAPI_LD_INS >chooser 2>&1
    papi_cost -t 200 >cost; echo $? >cost.status; papi_multiplex_cost -t 20 -m 1 -x 4 >mpx; echo $? >mpx.status
    for u in papi_version papi_decode papi_error_codes papi_hardware_avail papi_xml_event_info; do $u >/dev/null && echo $u; done >utilities
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
is "papi_native_avail --dear, --iear, --opcm end well" "$(tr '\n' ' ' <"$tmp/kinds")" "dear iear opcm "
for k in dear iear opcm; do is "papi_native_avail --$k: none" "$(grep -c 'sn0:::' "$tmp/$k") $(grep -c '^Total events reported: 0$' "$tmp/$k")" "0 1"; done
is "papi_command_line" "$(grep -cE '^(PAPI_TOT_CYC|PAPI_LD_INS|MD_IN_READ:node=0|REFCNT) :[[:space:]]+[1-9][0-9]*' "$tmp/line")" 4
like "papi_command_line: no such event" "$(cat "$tmp/nosuch")" 'Event does not exist'
is "papi_cost" "$(cat "$tmp/cost.status") $(grep -c "^mean cycles" "$tmp/cost")" "0 7"
is "papi_multiplex_cost" "$(cat "$tmp/mpx.status") $(cat "$tmp"/papi_*.dat | grep -c "^ *[1-3]")" "0 15"
is "other utilities" "$(tr '\n' ' ' <"$tmp/utilities")" "papi_version papi_decode papi_error_codes papi_hardware_avail papi_xml_event_info "
like "papi_mem_info" "$(cat "$tmp/mem")" 'Total size: +1024 KB'
like "papi_event_chooser: cycles go with loads" "$(cat "$tmp/chooser")" '^PAPI_TOT_CYC '
unlike "papi_event_chooser: stores do not" "$(cat "$tmp/chooser")" '^PAPI_SR_INS '

run -m origin200 -s "$tmp" -- 'papi_component_avail >component; papi_native_avail --darr --noqual >darr; papi_native_avail --iarr --noqual >iarr
    ./papi none'
points "no monitor"
like "no monitor: papi_component_avail says so" "$(cat "$tmp/component")" '^Name: +sn0 .*no range monitor$'
is "no monitor: papi_native_avail --darr" "$(listed darr)" "REFCNT "
is "no monitor: papi_native_avail --iarr" "$(listed iarr)" ""

run -m ricotta -s "$tmp" -- ./papi hub mb
points "eight nodes"

run -m bwana --range-monitor -s "$tmp" -- 'papi_avail -a >avail; papi_native_avail --noqual >native; papi_native_avail --darr --noqual >darr; ./papi r12000'
points "R12000"
is "R12000: papi_avail" "$(sed -n 's/^PAPI_\([A-Z0-9_]*\) .*/\1/p' "$tmp/avail" | tr '\n' ' ')" "L1_DCM L1_ICM L2_DCM L2_ICM L1_TCM L2_TCM CA_SHR \
CA_INV CA_ITV TLB_TL PRF_DM CSR_FAL CSR_SUC CSR_TOT BR_CN BR_MSP BR_PRC TOT_INS FP_INS LD_INS SR_INS TOT_CYC LST_INS L2_DCA L2_ICA L2_TCA "
is "R12000: papi_native_avail" "$(listed native | tr ' ' '\n' | sed '/^MD_IDLE$/,$d' | tr '\n' ' ')" "CYCLES INSN_DECODED LOAD_DECODED STORE_DECODED \
MHT_OCCUPANCY SC_FAILED BRANCH_RESOLVED SC_QUAD_WB SC_ECC L1I_MISS L2I_MISS I_MISPREDICT_WAY EXT_INTERVENTION EXT_INVALIDATION PROGRESS_CYCLES \
INSN_GRADUATED PREFETCH_EXECUTED PREFETCH_L1D_MISS LOAD_GRADUATED STORE_GRADUATED SC_GRADUATED FP_GRADUATED L1D_QUAD_WB TLB_MISS \
BRANCH_MISPREDICT L1D_MISS L2D_MISS D_MISPREDICT_WAY EXT_INTERVENTION_STATE EXT_INVALIDATION_STATE MHT_MEMORY STORE_SHARED "
is "R12000: papi_native_avail --darr" "$(listed darr)" "LOAD_DECODED STORE_DECODED SC_FAILED SC_QUAD_WB PREFETCH_EXECUTED PREFETCH_L1D_MISS \
LOAD_GRADUATED STORE_GRADUATED SC_GRADUATED L1D_QUAD_WB L1D_MISS L2D_MISS D_MISPREDICT_WAY STORE_SHARED REFCNT "

finish
