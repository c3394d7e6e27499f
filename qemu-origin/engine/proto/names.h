/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How reports, pages and docs/protocol.md call the rows and columns of the
 * protocol's tables.  "?" out of range.
 */
#ifndef SN_NAMES_H
#define SN_NAMES_H

#include "proto.h"

#define NAMES(fn, ...)                                    \
    static inline const char *fn(unsigned i)              \
    {                                                     \
        static const char *const n[] = { __VA_ARGS__ };   \
        return i < sizeof(n) / sizeof(n[0]) ? n[i] : "?"; \
    }
#define X(name, cls, data, text) text,
NAMES(msg_text, SN_MSG_LIST(X) SN_MSG_WHAT_LIST(X))
#undef X
#define X(name, text, md_state) text,
NAMES(col_name, SN_COL_LIST(X) SN_COL_WHAT_LIST(X))
#undef X
#define X(name) #name,
NAMES(rrb_name, SN_RRB_LIST(X))
NAMES(wrb_name, SN_WRB_LIST(X))
#undef X
NAMES(act_name, "illegal", "none", "complete shared", "complete exclusive",
      "count", "acknowledged", "keep data", "keep owner's data",
      "send intervention", "send intervention, complete shared",
      "send intervention, complete exclusive", "send intervention, bus error",
      "send invalidations", "retry", "bus error")
NAMES(entry_op_name, "", "owner = sender", "add sender", "sender only",
      "pending only", "pending and sender", "sender only", "none left",
      "add sender, drop another")
#undef NAMES

#endif
