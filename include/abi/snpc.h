/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * The event counters of Hub and Router, as snpc.ko gives them to programs
 * (thesis 5.3.1).
 *
 *   /hw/.../node/hub/md           map    memory/directory counters
 *   /hw/.../node/hub/io           map    I/O interface counter
 *   /hw/.../node/hub/rtc          map    real-time counter (ours), to read
 *   /hw/.../node/hub/ni           link   the router's port at the node's link
 *   /hw/.../router/stat/[1-6]     link   histogram counters of a port
 *   /hw/.../node/hub/mon          mon    errors of the Hub's links (ours)
 *   /hw/.../router/mon            mon    errors of a router's links (ours)
 *
 * and, for root where the module was loaded with extended=1, everything:
 *
 *   /hw/.../router/rreg           rreg   router registers
 *   /hw/.../node/hub/hubreg       map    the node's Hub registers
 *   /hw/.../node/hub/ialias       map    registers of the Hub of the processor
 *                                        that runs the program
 *
 * A map device puts its registers into the program's address space: mmap
 * snpc_size bytes at offset 0, MAP_SHARED, for reading or for reading and writing
 * (figure 5.1).  A link device's counters are read by ioctl (figure 5.2).
 *
 * Ownership.  A counter set is a Hub's md, its io, or a router port, by whichever
 * path it is opened.  It has at most one owner: an open file.  Only the owner can
 * change the set: its mode, its enable bit, its counts.  A file becomes the owner
 * by a writable mmap, SNPC_HIST_READ, SNPC_HISTSEL_SET or SNPC_ACQUIRE.  All of
 * these fail with EBUSY while another file owns the set, and with EBADF on a file
 * that is not open for writing.  A file stops being the owner by SNPC_RELEASE, or
 * when the last of its descriptors and mappings is gone.  Then md and io stop
 * counting, and a port returns to utilisation mode.
 *
 * Everybody may read at any time: by read-only mmap or SNPC_HIST_POLL.  snpc_gen
 * changes whenever a set gains or loses an owner, and is odd while it has one.
 * The counts that a reader takes over an interval are whole if snpc_gen was the
 * same and even before and after it, or if the reader trusts the owner not to
 * clear counters or change the mode in between.
 *
 * Errors of all ioctls: EFAULT for a bad pointer, ENOTTY for a request that the
 * device does not know, ENODEV while the module is being unloaded.
 *
 * Layouts are the same for 32-bit and 64-bit programs.
 */
#ifndef __SNPC_H__
#define __SNPC_H__

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
/* Headers that programs need to open, map and query these devices. */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef ASSERT
#define ASSERT(x) assert(x)
#endif
#endif

/* Edges of the hardware graph: below a node, below its hub, below a router. */
#define SNPC_EDGE_HUB    "hub"
#define SNPC_EDGE_MD     "md"
#define SNPC_EDGE_IO     "io"
#define SNPC_EDGE_NI     "ni"
#define SNPC_EDGE_RTC    "rtc"
#define SNPC_EDGE_HUBREG "hubreg"
#define SNPC_EDGE_IALIAS "ialias"
#define SNPC_EDGE_MON    "mon"
#define SNPC_EDGE_STAT   "stat" /* below it, the port's number */
#define SNPC_EDGE_RREG   "rreg"

#define SNPC_MAXNODES 64 /* nodes of a machine */
#define SNPC_PORTS    6  /* ports of a router, numbered from 1 */

/* snpc_id: the kind of device and the generation of machines (SNO is SN0) */
#define SNPC_SNO_HUBMD  1
#define SNPC_SNO_HUBIO  2
#define SNPC_SNO_LINK   3
#define SNPC_SNO_RREG   4
#define SNPC_SNO_HUBREG 5
#define SNPC_SNO_IALIAS 6
#define SNPC_SNO_HUBRTC 7
#define SNPC_SNO_MON    8

/* snpc_flags */
#define SNPC_MAP    0x01 /* mmap: snpc_base, snpc_size */
#define SNPC_LINK   0x02 /* SNPC_HIST_*: snpc_port, snpc_route */
#define SNPC_RREG   0x04 /* SNPC_VECOP */
#define SNPC_WRITE  0x08 /* a mapping may be writable */
#define SNPC_OWNED  0x10 /* the counter set has an owner */
#define SNPC_MINE   0x20 /* and this file is the owner */
#define SNPC_ERRORS 0x40 /* SNPC_MON */

/* The answer to SNPC_QUERY.  A field that does not apply is 0, a number -1. */
typedef struct snpc_query {
    unsigned int snpc_id; /* SNPC_SNO_* */
    unsigned int snpc_flags;
    unsigned long long snpc_base;  /* physical address, I/O space */
    unsigned long long snpc_size;  /* bytes that mmap shows */
    unsigned long long snpc_route; /* vector route to the router from the
                                    * node where the caller runs: 4-bit
                                    * exit ports, first hop lowest */
    int snpc_port;                 /* the router's port, 1 to 6 */
    int snpc_cnode;                /* compact number of the hub's node */
    unsigned int snpc_gen;         /* generation of the counter set */
    int snpc_owner;                /* its owner's process; 0: none, or not
                                    * to be seen from here */
    char snpc_master[128];         /* path of the hub or router, "/hw/..." */
} snpc_query_t;

/*
 * Hub MD counters, laid out for the program of figure 5.1.  sel is HUBMD_EN and a
 * mode of table 5.2.  A counter has 20 bits and wraps.  What the six of them count
 * in each mode: include/regs/ev_md.h.inc.
 */
#define HUBMD_COUNTERS 6
#define HUBMD_BITS     20
#define HUBMD_MODES    6
#define HUBMD_EN       0x8 /* in sel: the counters run */
typedef struct hubmd_regs {
    volatile unsigned long long sel;
    unsigned long long pad; /* not a register: bus error */
    volatile unsigned long long count[HUBMD_COUNTERS];
} hubmd_regs_t;

/*
 * Hub I/O counter: one 20-bit linear feedback shift register, stepped by the
 * events of sel (table 5.3).  Its states in their order: include/regs/lfsr.h.
 */
#define HUBIO_BITS 20
typedef struct hubio_regs {
    volatile unsigned long long sel;
    volatile unsigned long long count;
} hubio_regs_t;

/*
 * Real-time counter: 52 bits, one count every 800 ns.  Each Hub's counter started
 * at a time of its own.  The kernel's clocks use the one of processor 0's node.
 */
#define HUBRTC_BITS      52
#define HUBRTC_PERIOD_NS 800
typedef struct hubrtc_regs {
    volatile const unsigned long long count;
} hubrtc_regs_t;

/* What the four counters of a port count (table 5.4). */
#define SNPC_HIST_AGE      0 /* packets by age, 64 ages for each counter */
#define SNPC_HIST_UTIL     1 /* bypassed, received, sent, clocks */
#define SNPC_HIST_DAMQ     2 /* by queue entries in use */
#define SNPC_HIST_COUNTERS 4

/*
 * A port's counters.  They have 16 bits; when one overflows, the hardware
 * halves all four.  A clear starts them together.
 */
typedef struct link_hist {
    unsigned short count[SNPC_HIST_COUNTERS];
    unsigned char sel; /* SNPC_HIST_AGE, _UTIL, _DAMQ */
    unsigned char vc;  /* virtual channel of _DAMQ */
    unsigned short pad;
    unsigned int gen;       /* as snpc_gen, of this reading */
    unsigned long long rtc; /* real-time counter of processor 0's
                             * node, just before */
} link_hist_t;

/* A port's counting mode. */
typedef struct link_histsel {
    unsigned int sel; /* SNPC_HIST_AGE, _UTIL, _DAMQ */
    unsigned int vc;  /* 0 to 3: virtual channel of _DAMQ */
} link_histsel_t;

/*
 * Vector routes from each node, by compact number, to the device's router.
 * Entries of absent nodes are ~0.
 */
typedef struct snpc_vectbl {
    unsigned int nodes; /* of the machine */
    unsigned int pad;
    unsigned long long route[SNPC_MAXNODES];
} snpc_vectbl_t;

/*
 * Errors of a link since the module was loaded.  The hardware's counts have 8 bits
 * (16 for a Hub's I/O link) and stop at their maximum.  Each SNPC_MON reads and
 * clears them and adds them to these sums.
 */
typedef struct snpc_errors {
    unsigned long long retry; /* retries; 0 of an I/O link */
    unsigned long long sn;    /* sequence number errors */
    unsigned long long cb;    /* check bit errors */
    unsigned int overflows;   /* readings that found a count at its
                               * maximum: errors were lost */
    unsigned int pad;
} snpc_errors_t;

#define SNPC_MON_NI 0 /* a Hub's links */
#define SNPC_MON_II 1
typedef struct snpc_mon {
    unsigned long long now; /* CLOCK_BOOTTIME of the reading, ns */
    unsigned int links;     /* bit i: link[i] exists */
    unsigned int pad;
    snpc_errors_t link[SNPC_PORTS + 1]; /* a Hub's: SNPC_MON_*; a router's: by
                                         * port */
} snpc_mon_t;

/* One vector operation on the register space of the device's router. */
#define SNPC_VEC_READ     0
#define SNPC_VEC_WRITE    1
#define SNPC_VEC_EXCHANGE 3 /* write, and return the old value */
typedef struct snpc_vecop {
    unsigned int op;
    unsigned int addr;       /* of the register, a multiple of 8 */
    unsigned long long data; /* in: data to write; out: data read */
} snpc_vecop_t;

/*
 * Requests.  Further errors:
 *   SNPC_HIST_*, HISTSEL_*, VECOP,  EIO: no answer to the vector operation
 *   SNPC_MON of routers
 *   SNPC_HISTSEL_SET                EINVAL: no such mode or channel
 *   SNPC_VECOP                      EINVAL: no such operation, or addr is not
 *                                   a multiple of 8 below 1 MB; EBADF: writing
 *                                   on a file open for reading; ENXIO: the
 *                                   router has no such register; EACCES: it
 *                                   refuses the write
 *   SNPC_ACQUIRE, SNPC_RELEASE      ENOTTY: not a counter set
 *   SNPC_RELEASE                    EPERM: this file is not the owner; EBUSY:
 *                                   a writable mapping is still there
 * SNPC_ACQUIRE by the owner succeeds and changes nothing.  SNPC_HIST_READ reads
 * and clears in one operation.  Opening a link device selects utilisation
 * mode unless the port has an owner.
 */
#define SNPC_QUERY       _IOR('n', 0x51, snpc_query_t)   /* all devices */
#define SNPC_HIST_POLL   _IOR('n', 0x52, link_hist_t)    /* link */
#define SNPC_HIST_READ   _IOR('n', 0x53, link_hist_t)    /* link; owner */
#define SNPC_HISTSEL_GET _IOR('n', 0x54, link_histsel_t) /* link */
#define SNPC_HISTSEL_SET _IOW('n', 0x55, link_histsel_t) /* link; owner */
#define SNPC_VECOP       _IOWR('n', 0x56, snpc_vecop_t)  /* rreg */
#define SNPC_VECTBL      _IOR('n', 0x57, snpc_vectbl_t)  /* link, rreg */
#define SNPC_ACQUIRE     _IOR('n', 0x58, unsigned int)   /* md, io, link: generation */
#define SNPC_RELEASE     _IO('n', 0x59)                  /* md, io, link */
#define SNPC_MON         _IOR('n', 0x5a, snpc_mon_t)     /* mon */

#endif
