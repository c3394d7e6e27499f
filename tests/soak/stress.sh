#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/guest/stress.sh with six times as many bursts of work.
exec bash "$(dirname "$0")/../guest/stress.sh" 60
