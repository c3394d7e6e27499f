#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each block of the documents is a command that exists, or says what it is. tests/guest/t_documents.sh runs them.
. "$(dirname "$0")/../lib.sh"
exec python3 "$root/tests/documents.py" --check
