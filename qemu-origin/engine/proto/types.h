/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vocabulary of the memory system: cache and directory states, protocol
 * messages, agents, and the names by which documents and dumps call them.
 *
 *   Agent: who sends or receives a message.  Eleven bits, as the Hub's
 *   initiator field (hubmd.h MD_MIG_CANDIDATE_INITIATOR) and the directory
 *   pointer have them: node << 2 | unit, unit 0 = CPU A, 1 = CPU B, 3 = I/O
 *   (hubio.h IIO_ICRB_PROC0, PROC1, IO_REQ).
 */
#ifndef SN_TYPES_H
#define SN_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "regs/addr.h"

/* MESI state of a line in a processor's caches. */
enum sn_mesi { SN_I, SN_S, SN_E, SN_M };

/*
 * Directory states: name, the hardware's value (hubmd.h MD_DIR_*), meaning.
 */
/* clang-format off */
#define SN_DSTATE_LIST(X)                                                     \
    X(SHRD,  0, "read-only copies in one or more nodes")                      \
    X(POIS,  1, "not cached; an access returns a bus error")                  \
    X(EXCL,  2, "one processor or I/O unit owns the line")                    \
    X(BUSYS, 3, "the home tracks down a copy for a shared request")           \
    X(BUSYE, 4, "the home tracks down a copy for an exclusive request")       \
    X(WAIT,  5, "only the old owner's revision message is missing")           \
    X(UOWN,  7, "memory has the only copy")
/* clang-format on */

/* The state that only hypothetical protocols have: hubmd.h has no name for 6. */
/* clang-format off */
#define SN_DSTATE_WHAT_LIST(X)                                                \
    X(BUSYV, 6, "a sharer is told to make room for another")
/* clang-format on */

enum sn_dstate {
#define X(name, value, text) SN_##name = (value),
    SN_DSTATE_LIST(X) SN_DSTATE_WHAT_LIST(X)
#undef X
};

enum sn_agent_unit { SN_AG_A, SN_AG_B, SN_AG_RSVD, SN_AG_IO };

typedef uint16_t sn_agent;

static inline sn_agent sn_agent_make(unsigned node, unsigned unit)
{
    return (sn_agent)(node << 2 | unit);
}
static inline unsigned sn_agent_node(sn_agent a)
{
    return a >> 2;
}
static inline unsigned sn_agent_unit(sn_agent a)
{
    return a & 3;
}
static inline bool sn_agent_is_io(sn_agent a)
{
    return (a & 3) == SN_AG_IO;
}

/*
 * Messages: name, class, data (carries the line: 9 micropackets, else 1),
 * meaning.  Names as in the thesis (4.1.2, figure 4.1) where it has one.
 */
/* clang-format off */
#define SN_MSG_LIST(X)                                                        \
    /* requests to the home */                                                \
    X(READ,   REQ, 0, "load miss: exclusive copy if nobody shares the line")  \
    X(RDSH,   REQ, 0, "fetch or read prefetch: shared copy")                  \
    X(RDEX,   REQ, 0, "store miss or write prefetch: exclusive copy")         \
    X(UPGRD,  REQ, 0, "store to a shared copy: ownership without data")       \
    X(WB,     REQ, 1, "modified line returned to memory")                     \
    X(RSHU,   REQ, 0, "I/O or BTE read of a line that will not be cached")    \
    X(WINV,   REQ, 1, "I/O or BTE write of a whole line")                     \
    X(PRDX,   REQ, 0, "BTE poison read: last copy out, line then poisoned")   \
    X(WBP,    REQ, 1, "line returned to memory and poisoned")                 \
    /* replies of the home */                                                 \
    X(SRPLY,  RPL, 1, "shared data")                                          \
    X(ERPLY,  RPL, 1, "exclusive data; count of acknowledgements to await")   \
    X(UPACK,  RPL, 0, "upgrade granted; count of acknowledgements")           \
    X(WIACK,  RPL, 0, "whole-line write may own the line; count")             \
    X(PRPLY,  RPL, 1, "data of a line that is now poisoned")                  \
    X(SSPEC,  RPL, 1, "speculative data, shared; wait for the owner")         \
    X(ESPEC,  RPL, 1, "speculative data, exclusive; wait for the owner")      \
    X(BRDSH,  RPL, 1, "backoff: speculative data, send IRDSH yourself")       \
    X(BRDEX,  RPL, 1, "backoff: speculative data, send IRDEX yourself")       \
    X(BINV,   RPL, 0, "backoff: send the INVALs of this vector yourself")     \
    X(WBACK,  RPL, 0, "write-back done")                                      \
    X(WBBAK,  RPL, 0, "write-back done, an intervention crosses it")          \
    X(NACK,   RPL, 0, "line busy: ask again")                                 \
    X(PERR,   RPL, 0, "line poisoned: bus error")                             \
    X(PRESP,  RPL, 0, "line became poisoned while the owner was sought")      \
    /* forwarded requests */                                                  \
    X(INVAL,  IVN, 0, "drop shared copies on this node")                      \
    X(IRDSH,  IVN, 0, "intervention, owner keeps a shared copy")              \
    X(IRDEX,  IVN, 0, "intervention, owner gives the line up")                \
    /* answers of owners and sharers to the requestor */                      \
    X(SRESP,  RPL, 1, "owner's modified data, shared")                        \
    X(ERESP,  RPL, 1, "owner's modified data, exclusive")                     \
    X(SACK,   RPL, 0, "owner had it clean or not at all: shared")             \
    X(EACK,   RPL, 0, "owner had it clean or not at all: exclusive")          \
    X(IVACK,  RPL, 0, "shared copies on a node are gone")                     \
    /* revisions to the home */                                               \
    X(SHWB,   REV, 1, "owner's modified data on becoming shared")             \
    X(DNGRD,  REV, 0, "owner was clean, now shared")                          \
    X(XFER,   REV, 0, "ownership has moved")
/* clang-format on */

/*
 * Messages that only hypothetical protocols have (struct sn_variant).  F: the owner
 * answers the requestor, who has no speculative data.  H: the owner answers the home.
 */
/* clang-format off */
#define SN_MSG_WHAT_LIST(X)                                                   \
    X(EVICT,  IVN, 0, "drop shared copies on this node, a pointer is needed") \
    X(EVACK,  REV, 0, "shared copies on a node made room")                    \
    X(BEVCT,  RPL, 1, "backoff: shared data, send EVICT yourself")            \
    X(FRDSH,  IVN, 0, "as IRDSH; the owner alone sends data")                 \
    X(FRDEX,  IVN, 0, "as IRDEX; the owner alone sends data")                 \
    X(BFSH,   RPL, 0, "backoff: no data, send FRDSH yourself")                \
    X(BFEX,   RPL, 0, "backoff: no data, send FRDEX yourself")                \
    X(GONE,   REV, 0, "owner had no copy: the home answers the requestor")    \
    X(HRDSH,  IVN, 0, "as IRDSH; the owner answers the home alone")           \
    X(HRDEX,  IVN, 0, "as IRDEX; the owner answers the home alone")           \
    X(BHSH,   RPL, 0, "backoff: no data, send HRDSH yourself")                \
    X(BHEX,   RPL, 0, "backoff: no data, send HRDEX yourself")
/* clang-format on */

enum sn_msg_type {
#define X(name, cls, data, text) SN_##name,
    SN_MSG_LIST(X) SN_NMSG_HW, /* how many the hardware has */
    SN_MSG_BEFORE_WHAT = SN_NMSG_HW - 1,
    SN_MSG_WHAT_LIST(X)
#undef X
        SN_NMSG,
    SN_NOMSG = SN_NMSG
};

enum sn_msg_class { SN_CLS_REQ, SN_CLS_RPL, SN_CLS_IVN, SN_CLS_REV };

extern const uint8_t sn_msg_class[SN_NMSG + 1];
extern const uint8_t sn_msg_data[SN_NMSG + 1]; /* 1: carries a line */

/* Asks an owner for the line. */
static inline bool sn_msg_seeks(unsigned type)
{
    return sn_msg_class[type] == SN_CLS_IVN && type != SN_INVAL &&
           type != SN_EVICT;
}

/* The hardware's message that counts as much: counters know no others. */
unsigned sn_msg_like(unsigned type);

/* Names, for dumps and documents; "?" when out of range. */
const char *sn_msg_name(unsigned type);
const char *sn_mesi_name(unsigned s);
const char *sn_dstate_name(unsigned s);

#endif
