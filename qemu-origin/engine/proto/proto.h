/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory protocol as pure functions over plain structs: what the home,
 * a requestor and an owner do with one message.  No time, no caches, no
 * queues: those belong to the executor (exec.c) and to the explorer
 * (tests/model), which both call these functions and nothing else.
 *
 *   sn_home_step()    directory entry x message -> entry, messages
 *   sn_cpu_step()     one processor's (or I/O unit's) view of a line x message
 *   sn_cpu_replay()   answer an intervention that had to wait
 *   sn_cpu_request(), sn_cpu_writeback()   start a transaction
 *   sn_dir_*()        sharer sets: fine vector of one octant, or coarse
 *
 * The rows come from proto.h.inc.
 */
#ifndef SN_PROTO_H
#define SN_PROTO_H

#include "types.h"

/*
 * Columns of the home's table, the directory state as the sender of the message
 * sees it: name, how documents print it, and the counter of MD mode 4 that a
 * request counts in (regs/ev_md.h.inc).  BUSYS_IO: the pending requestor is an
 * I/O unit, which keeps no copy.
 */
/* clang-format off */
#define SN_COL_LIST(X)          \
    X(UOWN,     "UOWN",      0) \
    X(SHRD,     "SHRD",      1) \
    X(SHRD_ME,  "SHRD me",   1) \
    X(EXCL,     "EXCL",      3) \
    X(EXCL_ME,  "EXCL me",   2) \
    X(BUSYS,    "BUSYS",     4) \
    X(BUSYS_ME, "BUSYS me",  4) \
    X(BUSYS_IO, "BUSYS I/O", 4) \
    X(BUSYE,    "BUSYE",     4) \
    X(BUSYE_ME, "BUSYE me",  4) \
    X(WAIT,     "WAIT",      4) \
    X(POIS,     "POIS",      5)
/*
 * Columns of hypothetical protocols.  SHRD_FULL: each pointer has a sharer, and the
 * sender is none of them (sn_home_col_by()).
 */
#define SN_COL_WHAT_LIST(X)     \
    X(SHRD_FULL, "SHRD full", 1) \
    X(BUSYV,    "BUSYV",     4)
/* clang-format on */

enum sn_col {
#define X(name, text, md_state) SN_COL_##name,
    SN_COL_LIST(X) SN_NCOL_HW, /* how many the hardware has */
    SN_COL_BEFORE_WHAT = SN_NCOL_HW - 1,
    SN_COL_WHAT_LIST(X)
#undef X
        SN_NCOL
};
extern const uint8_t sn_col_md_state[SN_NCOL];

/* What a row does to the pointer or the vector of the entry (proto.h.inc). */
enum sn_entry_op {
    SN_ENTRY_KEEP,
    SN_ENTRY_OWN,
    SN_ENTRY_ADD,
    SN_ENTRY_ONE,
    SN_ENTRY_PTR1,
    SN_ENTRY_PAIR,
    SN_ENTRY_SELF,
    SN_ENTRY_CLR,
    SN_ENTRY_SWAP
};
enum sn_memop { SN_MEM_NO, SN_MEM_RD, SN_MEM_WR };
enum sn_to { SN_TO_REQ, SN_TO_PTR, SN_TO_VEC, SN_TO_OUT };

struct sn_home_row {
    uint8_t legal, next, entry, mem;
    uint8_t out1, to1, out2, to2; /* SN_NOMSG: none */
    uint8_t two_step; /* the home answers with data; nobody else is involved */
    uint8_t most, group, evict; /* of struct sn_variant, if it adds a sharer */
};

/*
 * How a hypothetical protocol differs from that of proto.h.inc.  The directory
 * knows up to `most` sharers, and of more that all nodes may be; 0: each one.  With
 * `evict` there are never more, because one of them makes room; `most` is 2 or more
 * then, for an owner and the reader that it gives the line to.  Or the directory has
 * a bit for each `group` of nodes; 0: for each node.  Up to 64 nodes.
 */
struct sn_variant {
    bool msi, no_backoff;
    bool no_spec;  /* owners alone send data */
    bool four_hop; /* and send them to the home */
    bool evict;
    uint8_t most, group;
};
/* Is the protocol that of the hardware? */
static inline bool sn_variant_none(const struct sn_variant *v)
{
    return !v->msi && !v->no_backoff && !v->no_spec && !v->four_hop &&
           !v->most && !v->group;
}

/* States of the read request buffer and of the write request buffer. */
#define SN_RRB_LIST(X) X(IDLE) X(REQ) X(SPEC) X(RESP) X(ACKD) X(ERR) X(INVW)
enum sn_rrb {
#define X(name) SN_RR_##name,
    SN_RRB_LIST(X)
#undef X
        SN_NRRB
};
#define SN_WRB_LIST(X) X(IDLE) X(PEND) X(SEEN) X(LATE)
enum sn_wrb {
#define X(name) SN_WR_##name,
    SN_WRB_LIST(X)
#undef X
        SN_NWRB
};

enum sn_act {
    SN_ACT_ILLEGAL,
    SN_ACT_NONE,
    SN_ACT_S,
    SN_ACT_E,
    SN_ACT_CNT,
    SN_ACT_ACK,
    SN_ACT_DATA,
    SN_ACT_OWNR,
    SN_ACT_IV,
    SN_ACT_IV_S,
    SN_ACT_IV_E,
    SN_ACT_IV_BERR,
    SN_ACT_INV,
    SN_ACT_RETRY,
    SN_ACT_BERR
};

/* Directory entry.  sn_dir_encode() and sn_dir_decode() map it to the hardware's words. */
struct sn_dirent {
    uint64_t vec;   /* SHRD: sharers */
    uint16_t ptr;   /* EXCL: owner; BUSYx: pending requestor */
    uint8_t state;  /* enum sn_dstate */
    uint8_t prio;   /* requests below this are refused */
    uint8_t oct;    /* fine vector: nodes oct*64 .. oct*64+63 */
    uint8_t coarse; /* each bit of vec stands for eight nodes */
};

struct sn_msg {
    /* INVAL, BINV: sharers; with oct, coarse.  Other backoffs: whom to ask */
    uint64_t vec;
    sn_agent src, dst, req;
    int16_t count; /* ERPLY, UPACK, WIACK: acknowledgements to await */
    uint8_t type, prio, oct, coarse;
    uint8_t val; /* carried for checkers: the data's age; else 0 */
};

#define SN_OUT_MAX 6
struct sn_out {
    unsigned n;
    struct sn_msg m[SN_OUT_MAX];
};

/* One processor and one line: copy, read request and write request buffer. */
struct sn_cpu_line {
    uint8_t mesi;
    uint8_t val;
    uint8_t rrb, req; /* read request buffer; req survives RETRY */
    uint8_t inv;      /* invalidated while waiting */
    uint8_t iv;       /* held intervention, or SN_NOMSG */
    sn_agent iv_req;
    int16_t acks;
    uint8_t denied, prio_max; /* times NACKed, up to the field's maximum:
                                   1 on standard DIMMs, 15 on premium */
    uint8_t rval;             /* data so far */
    uint8_t wrb, wreq, wval;  /* write request buffer */
};

/* What a step did to the processor. */
enum sn_step {
    SN_STEP_NONE,    /* nothing yet */
    SN_STEP_DONE,    /* request complete, line->mesi says how */
    SN_STEP_ONCE,    /* data may be used once, the copy is not kept */
    SN_STEP_RETRY,   /* refused: send again (sn_cpu_request) */
    SN_STEP_BERR,    /* poisoned: bus error */
    SN_STEP_WRETRY,  /* write-back refused: send again */
    SN_STEP_WDONE,   /* write-back buffer free */
    SN_STEP_ILLEGAL, /* no such row */
};

/* The checkers of tests/model break the tables on purpose. */
#ifndef SN_TABLE
#define SN_TABLE const
#endif
extern SN_TABLE struct sn_home_row sn_home_rows[2][SN_NMSG][SN_NCOL];
struct sn_rrb_row {
    uint8_t legal, next, act;
};
extern SN_TABLE struct sn_rrb_row sn_rrb_rows[SN_NRRB][SN_NMSG];
struct sn_wrb_row {
    uint8_t legal, next;
};
extern SN_TABLE struct sn_wrb_row sn_wrb_rows[SN_NWRB][SN_NMSG];
struct sn_snoop_row {
    uint8_t legal, next, answer, revision;
};
extern SN_TABLE struct sn_snoop_row sn_snoop_rows[SN_NMSG][4];
/* The message that a requestor sends for the home, if this one backs off. */
struct sn_pass_row {
    uint8_t legal, type, always;
};
extern const struct sn_pass_row sn_pass_rows[SN_NMSG];

/* --- sharer sets (thesis 3.2.1) --- */

/* `node` becomes the only sharer. */
static inline void sn_dir_only(struct sn_dirent *d, unsigned node)
{
    d->oct = (uint8_t)(node >> 6);
    d->coarse = 0;
    d->vec = 1ull << (node & 63);
}

/* A fine vector of octant `oct` as a coarse one. */
uint64_t sn_vec_coarsen(uint64_t vec, unsigned oct);

static inline void sn_dir_add(struct sn_dirent *d, unsigned node)
{
    if (!d->coarse && d->oct == node >> 6) {
        d->vec |= 1ull << (node & 63);
        return;
    }
    if (!d->coarse) {
        d->vec = sn_vec_coarsen(d->vec, d->oct);
        d->coarse = 1;
        d->oct = 0;
    }
    d->vec |= 1ull << (node >> 3);
}

static inline bool sn_vec_has(uint64_t vec, unsigned oct, bool coarse,
                              unsigned node)
{
    if (coarse) {
        return vec >> (node >> 3) & 1;
    }
    return oct == node >> 6 && (vec >> (node & 63) & 1);
}

/* Smallest member >= node and < nnodes, or nnodes. */
unsigned sn_vec_next(uint64_t vec, unsigned oct, bool coarse, unsigned node,
                     unsigned nnodes);
unsigned sn_vec_count(uint64_t vec, unsigned oct, bool coarse, unsigned nnodes);

static inline bool sn_dir_has(const struct sn_dirent *d, unsigned node)
{
    return sn_vec_has(d->vec, d->oct, d->coarse, node);
}

/*
 * The sharer that makes room for `node`: the next one after it by number, and after
 * the last one the first.
 */
static inline unsigned sn_dir_victim(uint64_t vec, unsigned node)
{
    uint64_t after = node < 63 ? vec >> (node + 1) << (node + 1) : 0;

    return (unsigned)__builtin_ctzll(after ? after : vec);
}

/* Column of the home's table for a message from src. */
static inline unsigned sn_home_col(const struct sn_dirent *d, sn_agent src)
{
    switch (d->state) {
    case SN_UOWN:
        return SN_COL_UOWN;
    case SN_SHRD:
        return sn_dir_has(d, sn_agent_node(src)) ? SN_COL_SHRD_ME : SN_COL_SHRD;
    case SN_EXCL:
        return d->ptr == src ? SN_COL_EXCL_ME : SN_COL_EXCL;
    case SN_BUSYS:
        if (sn_agent_is_io(d->ptr)) {
            return SN_COL_BUSYS_IO;
        }
        return d->ptr == src ? SN_COL_BUSYS_ME : SN_COL_BUSYS;
    case SN_BUSYE:
        return d->ptr == src ? SN_COL_BUSYE_ME : SN_COL_BUSYE;
    case SN_WAIT:
        return SN_COL_WAIT;
    case SN_BUSYV:
        return SN_COL_BUSYV;
    default:
        return SN_COL_POIS;
    }
}

/* What row r does to the entry for a message from src, but for priorities. */
__attribute__((always_inline)) static inline void
sn_row_apply(const struct sn_home_row *r, struct sn_dirent *d, sn_agent src)
{
    sn_agent old = d->ptr;

    d->state = r->next;
    switch (r->entry) {
    case SN_ENTRY_OWN:
    case SN_ENTRY_CLR:
        d->ptr = r->entry == SN_ENTRY_OWN ? src : 0;
        d->vec = 0;
        d->coarse = 0;
        d->oct = 0;
        break;
    case SN_ENTRY_ADD:
        sn_dir_add(d, sn_agent_node(src));
        break;
    case SN_ENTRY_ONE:
    case SN_ENTRY_SELF:
        sn_dir_only(d, sn_agent_node(src));
        d->ptr = 0;
        break;
    case SN_ENTRY_PTR1:
        sn_dir_only(d, sn_agent_node(old));
        d->ptr = 0;
        break;
    case SN_ENTRY_SWAP:
        d->vec &= ~(1ull << sn_dir_victim(d->vec, sn_agent_node(src)));
        sn_dir_add(d, sn_agent_node(src));
        break;
    case SN_ENTRY_PAIR:
        sn_dir_only(d, sn_agent_node(old));
        sn_dir_add(d, sn_agent_node(src));
        d->ptr = 0;
        break;
    }
}

/* The copy that a completed request of a processor leaves in its cache. */
static inline unsigned sn_copy_of(unsigned request, bool excl)
{
    return request == SN_RDEX || request == SN_UPGRD ? SN_M
           : excl                                    ? SN_E
                                                     : SN_S;
}

/*
 * The home takes one message.  `backoff`: the outgoing request queue has no
 * room for forwarded requests.  `mem` is the age of memory's data (checkers)
 * or NULL.  Returns the row used; row->legal == 0 means a protocol error and
 * nothing has changed.  A request of too low priority is refused by the NACK
 * row of a busy line whatever the state.  INVAL goes out as one message with
 * the sharer vector, as the MD hands it to the network interface.
 */
const struct sn_home_row *sn_home_step(struct sn_dirent *d,
                                       const struct sn_msg *in, sn_agent home,
                                       bool backoff, unsigned nnodes,
                                       uint8_t *mem, struct sn_out *out);

/* Rows of the home as [backoff][message][column] */
typedef struct sn_home_row sn_home_table[2][SN_NMSG][SN_NCOL];
/* The same with other rows than sn_home_rows. */
const struct sn_home_row *
sn_home_step_by(const struct sn_home_row (*rows)[SN_NMSG][SN_NCOL],
                struct sn_dirent *d, const struct sn_msg *in, sn_agent home,
                bool backoff, unsigned nnodes, uint8_t *mem,
                struct sn_out *out);
/* The column that they use for the message. */
static inline unsigned
sn_home_col_by(const struct sn_home_row (*rows)[SN_NMSG][SN_NCOL],
               const struct sn_dirent *d, const struct sn_msg *in)
{
    unsigned col = sn_home_col(d, in->src);
    const struct sn_home_row *r = &rows[0][in->type][col];

    return r->evict && __builtin_popcountll(d->vec) >= r->most
               ? SN_COL_SHRD_FULL
               : col;
}
/* Makes the rows, which are those of sn_home_rows, those of the variant. */
void sn_home_vary(sn_home_table rows, const struct sn_variant *v);

/* The processor takes one message; appends to out. */
enum sn_step sn_cpu_step(struct sn_cpu_line *c, const struct sn_msg *in,
                         sn_agent self, sn_agent home, struct sn_out *out);
/* After SN_STEP_DONE, _ONCE, _RETRY or _BERR: answer what had to wait. */
enum sn_step sn_cpu_replay(struct sn_cpu_line *c, sn_agent self, sn_agent home,
                           struct sn_out *out);
/* Send (or send again) request `type`. */
void sn_cpu_request(struct sn_cpu_line *c, unsigned type, sn_agent self,
                    sn_agent home, struct sn_out *out);
/*
 * Give a modified line (CPU: c->mesi == M; I/O: the completed RDEX, WINV or
 * PRDX) back by WB or WBP.  An intervention held by the read buffer is taken
 * over by the write buffer.
 */
void sn_cpu_writeback(struct sn_cpu_line *c, unsigned type, sn_agent self,
                      sn_agent home, struct sn_out *out);

#endif
