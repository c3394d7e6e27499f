#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: its runs use all processors
# The machine's fingerprint (run.py, runs): the same guest gives the same transactions at the same times as when `expected` was recorded.
# A commit that changes a value on purpose records it anew with `make fingerprint-record` and says why in its message.
# Usage: run.sh [--set check|all] [--match RE] [--record] [--build DIR]...     without --set: what `make check` runs
root=$(cd "$(dirname "$0")/../.." && pwd)
export PYTHONPATH=$root/tests PYTHONDONTWRITEBYTECODE=1
guest=$("$root/tests/fingerprint/guest.sh") || {
    [ $? -eq 3 ] && echo '1..0 # SKIP the commit of the reference guest is not in this clone' && exit 0
    echo 'Bail out! the reference guest does not build'
    exit 99
}
case " $* " in *' --set '*) ;; *) set -- --set check "$@" ;; esac
exec python3 "$root/tests/fingerprint/run.py" --guest "$guest" "$@"
