#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# origin profile and origin report on two programs with a known disease, and what the remedy of one saves; tests/soak/diseases.sh has the
# others.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/diseases/check.inc"
disease false_sharing
cure false_sharing
disease prefetch_shared
finish
