#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What users do, at random, for two hours: every tool of docs/man and the launcher, with options drawn from their help, on all presets, as root and as
# the user guest, with wrong arguments, too. Nothing ends QEMU, nothing hangs, each exit status is a documented one, and the kernel complains of nothing.
# defaults/draw.py draws from the list defaults/commands. What run N does depends on the seed and on N alone.
#   DEFAULTS_SECONDS   for how long new runs begin (7200)
#   DEFAULTS_SEED      what is drawn (another one each day)
#   DEFAULTS_RUN       only this run: repeats a failure, with the seed that was printed
# timeout: 10800
# threads: default: users set none
. "$(dirname "$0")/../lib.sh"
mkdir "$tmp/programs"
for p in fft radix cg stream reduce; do
    "$origin" cc -O2 -g -o "$tmp/programs/$p" "$root/examples/$p.c" -lpthread -lm || { echo "Bail out! $p.c does not compile"; exit 99; }
done
python3 "$root/tests/soak/defaults/draw.py" "$root" "$tmp" "${DEFAULTS_SEED:-$(date +%Y%m%d)}" "${DEFAULTS_SECONDS:-7200}" ${DEFAULTS_RUN:+"$DEFAULTS_RUN"}
