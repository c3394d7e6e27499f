/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The executor for transactions whose messages an observer wants: see exec.c. */
#define SN_EXEC_SEEN
#define sn_transact  sn_transact_seen
#define sn_writeback sn_writeback_seen
#include "access/exec.c"
