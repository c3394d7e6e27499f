# SPDX-License-Identifier: GPL-2.0-or-later
# Guest programs; see the Makefile for the lists.
GUEST_FILES += /usr/bin/topology=tools/topology
