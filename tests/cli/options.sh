#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every row of the table of options (launcher/options.inc), as the launcher prints it: options.py has the checks. Tests of single options
# (origin.sh, t_futures.sh, ...) have refusals that do not come from the table.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=/dev/null
for part in \
    'excluded: options that exclude each other are refused, and why' \
    'needed: an option without the one that it needs is refused' \
    'values: what is not allowed is refused' \
    'owners: each option is known to its commands and no others' \
    'told: --help, manual and completion have the options of each command' \
    'sweeps: keys of a file, and what splits'; do
    said=$(set -a; . "$root/build/env"; python3 "$root/tests/cli/options.py" "$root" "$tmp" "${part%%:*}" 2>&1)
    like "${part#*: }" "$(printf '%s\n' "$said" | wc -l) $said" '^1 [1-9][0-9]* checked$'
done
finish
