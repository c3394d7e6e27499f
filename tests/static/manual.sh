#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Manual pages are in mdoc, and mandoc finds nothing to warn of.
. "$(dirname "$0")/../lib.sh"
cd "$root/docs/man" || exit 99
command -v mandoc >/dev/null || skip_all "mandoc is not installed"
for page in *; do
    is "$page is in mdoc" "$(grep -cE '^\.(Dd|Dt|Os) ' "$page") $(grep -cE '^\.(TH|SH|TP|PP|BR|BI|IR|RB) ?' "$page")" '3 0'
    is "$page has no fault" "$(mandoc -T lint -W warning "$page" 2>&1)" ''
done
finish
