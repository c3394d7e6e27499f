#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles and remedies of more programs on one host thread and on three: the same tables and output. Some 8 minutes.
# timeout: 3600
FULL=1 exec bash "$(dirname "$0")/../guest/t_threads_profile.sh"
