/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The most lines that follow.h follows. The launcher checks its option by it. */
#ifndef SN_FOLLOW_LINES_H
#define SN_FOLLOW_LINES_H

#define SN_FOLLOW_LINES 64

#endif
