#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each module is unloaded under load a hundred times.
exec bash "$(dirname "$0")/../guest/t_unload.sh" 200 100
