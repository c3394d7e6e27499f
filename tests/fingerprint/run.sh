#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: its runs use all processors
# The machine's fingerprint (run.py, runs): the same guest gives the same transactions at the same times as when `expected` was recorded.
# A commit that changes a value on purpose records it anew with `make fingerprint-record` and says why in its message.
# The guest is guest.tar.xz, data in this repository, made by guest.sh.
# Usage: run.sh [--set check|all] [--match RE] [--record] [--build DIR]...     without --set: what `make check` runs
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export PYTHONPATH=$root/tests PYTHONDONTWRITEBYTECODE=1
guest=$(mktemp -d) || exit 99
trap 'rm -rf "$guest"' EXIT
trap 'exit 99' HUP INT TERM
tar -C "$guest" -xf "$here/guest.tar.xz" || { echo 'Bail out! guest.tar.xz is damaged'; exit 99; }
sha256sum <"$here/guest.tar.xz" | cut -c1-16 >"$guest/hash"
case " $* " in *' --set '*) ;; *) set -- --set check "$@" ;; esac
python3 "$here/run.py" --guest "$guest" "$@"
