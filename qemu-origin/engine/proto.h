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

/* Columns of the home's table: directory state as the sender sees it. */
enum sn_col {
    SN_COL_UOWN, SN_COL_SHRD, SN_COL_SHRD_ME, SN_COL_EXCL, SN_COL_EXCL_ME,
    SN_COL_BUSYS, SN_COL_BUSYS_ME, SN_COL_BUSYS_IO, SN_COL_BUSYE,
    SN_COL_BUSYE_ME, SN_COL_WAIT, SN_COL_POIS, SN_NCOL
};

enum sn_dirop { SN_DIR_KEEP, SN_DIR_OWN, SN_DIR_ADD, SN_DIR_ONE, SN_DIR_PTR1,
                SN_DIR_PAIR, SN_DIR_SELF, SN_DIR_CLR };
enum sn_memop { SN_MEM_NO, SN_MEM_RD, SN_MEM_WR };
enum sn_to { SN_TO_REQ, SN_TO_PTR, SN_TO_VEC };

struct sn_home_row {
    uint8_t legal, next, dir, mem;
    uint8_t out1, to1, out2, to2;       /* SN_NOMSG: none */
};

enum sn_phase { SN_PH_IDLE, SN_PH_REQ, SN_PH_SPEC, SN_PH_RESP, SN_PH_ACKD,
                SN_PH_ERR, SN_PH_INVW, SN_NPHASE };
enum sn_wphase { SN_WR_IDLE, SN_WR_PEND, SN_WR_SEEN, SN_WR_LATE, SN_NWPHASE };

enum sn_act { SN_ACT_ILLEGAL, SN_ACT_NONE, SN_ACT_S, SN_ACT_E, SN_ACT_CNT,
              SN_ACT_ACK, SN_ACT_DATA, SN_ACT_OWNR, SN_ACT_IV, SN_ACT_IV_S,
              SN_ACT_IV_E, SN_ACT_IV_BERR, SN_ACT_INV, SN_ACT_RETRY,
              SN_ACT_BERR };

/* Directory entry.  sn_dirent_state() etc. in dir.h map it to hardware words. */
struct sn_dirent {
    uint64_t vec;       /* SHRD: sharers */
    uint16_t ptr;       /* EXCL: owner; BUSYx: pending requestor */
    uint8_t state;      /* enum sn_dstate */
    uint8_t prio;       /* requests below this are refused */
    uint8_t oct;        /* fine vector: nodes oct*64 .. oct*64+63 */
    uint8_t coarse;     /* each bit of vec stands for eight nodes */
};

struct sn_msg {
    uint64_t vec;       /* INVAL, BINV: sharers; with oct, coarse */
    sn_agent src, dst, req;
    int16_t count;      /* ERPLY, UPACK, WIACK: acknowledgements to await */
    uint8_t type, prio, oct, coarse;
    uint8_t val;        /* carried for checkers: the data's age; else 0 */
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
    uint8_t phase, req;         /* read request buffer; req survives RETRY */
    uint8_t inv;                /* invalidated while waiting */
    uint8_t iv;                 /* held intervention, or SN_NOMSG */
    sn_agent iv_req;
    int16_t acks;
    uint8_t denied, prio_max;   /* times NACKed, up to the field's maximum:
                                   1 on standard DIMMs, 15 on premium */
    uint8_t rval;               /* data so far */
    uint8_t wphase, wreq, wval; /* write request buffer */
};

/* What a step meant for the processor. */
enum sn_event {
    SN_EV_NONE,         /* nothing yet */
    SN_EV_DONE,         /* request complete, line->mesi says how */
    SN_EV_ONCE,         /* data may be used once, the copy is not kept */
    SN_EV_RETRY,        /* refused: send again (sn_cpu_request) */
    SN_EV_BERR,         /* poisoned: bus error */
    SN_EV_WRETRY,       /* write-back refused: send again */
    SN_EV_WDONE,        /* write-back buffer free */
    SN_EV_ILLEGAL,      /* no such row */
};

/* The checkers of tests/model break the tables on purpose. */
#ifndef SN_TABLE
#define SN_TABLE const
#endif
extern SN_TABLE struct sn_home_row sn_home_rows[2][SN_NMSG][SN_NCOL];
struct sn_rrb_row { uint8_t legal, next, act; };
extern SN_TABLE struct sn_rrb_row sn_rrb_rows[SN_NPHASE][SN_NMSG];
struct sn_wrb_row { uint8_t legal, next; };
extern SN_TABLE struct sn_wrb_row sn_wrb_rows[SN_NWPHASE][SN_NMSG];
struct sn_snoop_row { uint8_t legal, next, answer, revision; };
extern SN_TABLE struct sn_snoop_row sn_snoop_rows[SN_NMSG][4];

const char *sn_col_name(unsigned c);
const char *sn_phase_name(unsigned p);
const char *sn_wphase_name(unsigned p);
const char *sn_act_name(unsigned a);
const char *sn_dirop_name(unsigned o);

/* --- sharer sets (thesis 3.2.1) --- */
void sn_dir_only(struct sn_dirent *d, unsigned node);
void sn_dir_add(struct sn_dirent *d, unsigned node);
bool sn_vec_has(uint64_t vec, unsigned oct, bool coarse, unsigned node);
/* Smallest member >= node and < nnodes, or nnodes. */
unsigned sn_vec_next(uint64_t vec, unsigned oct, bool coarse, unsigned node,
                     unsigned nnodes);
unsigned sn_vec_count(uint64_t vec, unsigned oct, bool coarse, unsigned nnodes);

static inline bool sn_dir_has(const struct sn_dirent *d, unsigned node)
{
    return sn_vec_has(d->vec, d->oct, d->coarse, node);
}

/* Column of the home's table for a message from src. */
static inline unsigned sn_home_col(const struct sn_dirent *d, sn_agent src)
{
    switch (d->state) {
    case SN_UOWN: return SN_COL_UOWN;
    case SN_SHRD: return sn_dir_has(d, sn_agent_node(src)) ? SN_COL_SHRD_ME
                                                           : SN_COL_SHRD;
    case SN_EXCL: return d->ptr == src ? SN_COL_EXCL_ME : SN_COL_EXCL;
    case SN_BUSYS:
        if (sn_agent_is_io(d->ptr)) {
            return SN_COL_BUSYS_IO;
        }
        return d->ptr == src ? SN_COL_BUSYS_ME : SN_COL_BUSYS;
    case SN_BUSYE: return d->ptr == src ? SN_COL_BUSYE_ME : SN_COL_BUSYE;
    case SN_WAIT: return SN_COL_WAIT;
    default: return SN_COL_POIS;
    }
}

/*
 * The home takes one message.  `backoff`: the outgoing request queue has no
 * room for forwarded requests.  `mem` is the age of memory's data (checkers)
 * or NULL.  Returns the row used; row->legal == 0 means a protocol error and
 * nothing has changed.  A request of too low priority is refused by the NACK
 * row of a busy line whatever the state.  INVAL goes out as one message with
 * the sharer vector, as the MD hands it to the network interface.
 */
const struct sn_home_row *sn_home_step(struct sn_dirent *d, const struct sn_msg *in,
                                       sn_agent home, bool backoff,
                                       unsigned nnodes, uint8_t *mem,
                                       struct sn_out *out);

/* The processor takes one message; appends to out. */
enum sn_event sn_cpu_step(struct sn_cpu_line *c, const struct sn_msg *in,
                          sn_agent self, sn_agent home, struct sn_out *out);
/* After SN_EV_DONE, _ONCE, _RETRY or _BERR: answer what had to wait. */
enum sn_event sn_cpu_replay(struct sn_cpu_line *c, sn_agent self, sn_agent home,
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
