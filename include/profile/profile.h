/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names in a profile: causes of misses, parts of a processor's time, tables and their columns.  docs/profile-format.md
 * describes the format; the model writes it, the launcher reads it, and both expand these lists.
 *
 *   SN_PROFILE_VERSION     raised when a column is removed or changes its meaning; new columns, causes and parts do not raise it
 *   SN_PROFILE_CAUSES(X)   X(NAME, name, meaning)
 *   SN_PROFILE_PARTS(X)    X(NAME, name, meaning)
 *   SN_PROFILE_BOUNDS(X)   X(NAME, name, meaning): what a processor with --cpu=pipeline computes, by what bounds it
 *   SN_PROFILE_STATES(X)   X(NAME, name, meaning): of a thread
 *   SN_PROFILE_WAITS(X)    X(NAME, name, meaning): what a thread waits for
 *   SN_PROFILE_TABLES(X)   X(NAME, file): the columns are SN_PROFILE_COLUMNS_NAME(C), C(name, type, meaning)
 *
 * Types of columns: NUM decimal, HEX 0x and hexadecimal, STR text (RFC 4180).  A value that is not known is "-".
 */
#ifndef SN_PROFILE_PROFILE_H
#define SN_PROFILE_PROFILE_H

#define SN_PROFILE_VERSION 1

/* clang-format off */
#define SN_PROFILE_CAUSES(X)                                                                        \
    X(FIRST,         first,         "the processor never had the line")                             \
    X(CAPACITY,      capacity,      "replaced; a fully associative cache would have, too")          \
    X(CONFLICT,      conflict,      "replaced; a fully associative cache of this size has it")      \
    X(TRUE_SHARING,  true_sharing,  "written elsewhere, and a written byte is used")                \
    X(FALSE_SHARING, false_sharing, "written elsewhere, and no written byte is used")               \
    X(UPGRADE,       upgrade,       "held shared since it came; a store needs it exclusive")        \
    X(UPGRADE_LOST,  upgrade_lost,  "held exclusive, shared by a read elsewhere, stored again")     \
    X(MOVED,         moved,         "never had the line, but the page's former frame's")            \
    X(FLUSHED,       flushed,       "a CACHE instruction took it out")                              \
    X(EVICTED,       evicted,       "a directory of limited pointers took it for another sharer")   \
    X(POISONED,      poisoned,      "refused: poisoned, or no memory there")                        \
    X(FETCH,         fetch,         "an instruction fetch, whatever took the line")

#define SN_PROFILE_PARTS(X)                                                                         \
    X(BUSY,       busy,       "instructions, one cycle each")                                       \
    X(TLB,        tlb,        "the kernel's TLB refill handler: instructions, L2 hits")             \
    X(L2,         l2,         "the L1 misses and the L2 hits")                                      \
    X(LOCAL,      local,      "memory of the own node, which the home alone answers")               \
    X(REMOTE,     remote,     "the same of another node, by hops")                                  \
    X(CLEAN,      clean,      "intervention; the owner had it clean or not at all")                 \
    X(DIRTY,      dirty,      "intervention; the owner had modified it")                            \
    X(INVALIDATE, invalidate, "sharers were invalidated")                                           \
    X(BACKOFF,    backoff,    "the home backed off (interventions and invalidations)")              \
    X(REFUSED,    refused,    "ended in a bus error")                                               \
    X(SYSAD,      sysad,      "queueing for the bus of a node's processors (time full only)")       \
    X(MEMORY,     memory,     "queueing for a node's memory and directory (time full only)")        \
    X(NI,         ni,         "queueing for a node's network interface (time full only)")           \
    X(LINK,       link,       "queueing for a router's output (time full only)")                    \
    X(UNCACHED,   uncached,   "registers, I/O, uncached memory")                                    \
    X(FETCHOP,    fetchop,    "at-memory fetch-and-op")                                             \
    X(CACHEOP,    cacheop,    "CACHE instructions")                                                 \
    X(IDLE,       idle,       "halted, and waits that no access caused")

#define SN_PROFILE_BOUNDS(X)                                                                        \
    X(WIDTH,      width,      "no more are fetched, decoded or graduate in a cycle")                \
    X(UNIT,       unit,       "a unit was busy with others")                                        \
    X(DEPENDENCE, dependence, "an operand was not there, or an instruction runs alone")             \
    X(BRANCH,     branch,     "the target of a branch is fetched, or too many are not resolved")    \
    X(MISPREDICT, mispredict, "a branch went elsewhere than predicted")

#define SN_PROFILE_STATES(X)                                                                        \
    X(USER,       user,       "it runs in user mode")                                               \
    X(KERNEL,     kernel,     "it runs in the kernel")                                              \
    X(INTERRUPT,  interrupt,  "its processor handles an interrupt")                                 \
    X(READY,      ready,      "it could run, and another thread has its processor")                 \
    X(BLOCKED,    blocked,    "it waits for what `what` says")

#define SN_PROFILE_WAITS(X)                                                                         \
    X(NONE,       none,       "nothing: it runs")                                                   \
    X(NEW,        new,        "its first turn")                                                     \
    X(PREEMPTED,  preempted,  "another thread's turn to end")                                       \
    X(YIELD,      yield,      "the same, as it has asked for by sched_yield()")                     \
    X(FUTEX,      futex,      "a word of memory: a lock, a barrier, a condition")                   \
    X(JOIN,       join,       "the end of another thread")                                          \
    X(CHILD,      child,      "the end of another process")                                         \
    X(SLEEP,      sleep,      "time to pass")                                                       \
    X(POLL,       poll,       "one of several files, or time to pass")                              \
    X(SIGNAL,     signal,     "a signal")                                                           \
    X(PIPE,       pipe,       "a pipe's other end")                                                 \
    X(SOCKET,     socket,     "a socket's other end")                                               \
    X(DEVICE,     device,     "a device, such as a terminal")                                       \
    X(FILE,       file,       "a file's contents or its disk")                                      \
    X(PAGE_FAULT, page_fault, "a page of memory")                                                   \
    X(CALL,       call,       "another system call, which `call` names")                            \
    X(OTHER,      other,      "something in the kernel, but no system call: kernel threads, exceptions")

enum profile_state {
#define X(NAME, name, meaning) PROFILE_STATE_##NAME,
    SN_PROFILE_STATES(X)
#undef X
};

enum profile_wait {
#define X(NAME, name, meaning) PROFILE_WAIT_##NAME,
    SN_PROFILE_WAITS(X)
#undef X
};

#define SN_PROFILE_TABLES(X)          \
    X(META,    "meta.csv")            \
    X(CPUS,    "cpus.csv")            \
    X(THREADS, "threads.csv")         \
    X(MAPS,    "maps.csv")            \
    X(PATHS,   "paths.csv")           \
    X(HEAP,    "heap.csv")            \
    X(REGIONS, "regions.csv")         \
    X(MISSES,  "misses.csv")          \
    X(STALLS,  "stalls.csv")          \
    X(COMPUTING, "computing.csv")     \
    X(BLOCKED, "blocked.csv")         \
    X(LOCKS,   "locks.csv")           \
    X(FOLLOWED, "followed.csv")       \
    X(FOLLOW,  "follow.csv")

#define SN_PROFILE_COLUMNS_META(C) \
    C(key,   STR, "what")          \
    C(value, STR, "its value")

#define SN_PROFILE_COLUMNS_CPUS(C)                                      \
    C(cpu,         NUM, "node * 2 + slice")                             \
    C(node,        NUM, "cnodeid")                                      \
    C(khz,         NUM, "clock")                                        \
    C(ticks,       NUM, "the processor's clock at the end")             \
    C(insns,       NUM, "instructions that it executed")                \
    C(busy_ticks,  NUM, "insns * ticks of a cycle, but for TLB refills") \
    C(stall_ticks, NUM, "the sum of its rows in stalls.csv")            \
    C(idle_ticks,  NUM, "ticks - busy_ticks - stall_ticks")

#define SN_PROFILE_COLUMNS_THREADS(C)                                               \
    C(thread,      NUM, "its number in this profile; 0: no thread yet")             \
    C(pid,         NUM, "process (tgid); 0: idle threads")                          \
    C(tid,         NUM, "thread (pid of the kernel)")                               \
    C(ppid,        NUM, "parent process")                                           \
    C(mm,          NUM, "address space in maps.csv; 0: a kernel thread")            \
    C(comm,        STR, "its last name")                                            \
    C(first_tick,  NUM, "when it was seen first")                                   \
    C(last_tick,   NUM, "when it was seen last")                                    \
    C(counted_ns,  NUM, "CLOCK_MONOTONIC_RAW when snrun(1) began to count it, as its trace has it; -: it never did") \
    C(data_before, NUM, "its data misses in user mode before that")                 \
    C(code_before, NUM, "the same of instruction fetches")                          \
    C(upgrades_before, NUM, "the same of upgrades")                                 \
    C(begun_tick,  NUM, "its life in blocked.csv begins; -: not known")             \
    C(ended_tick,  NUM, "it ends")

#define SN_PROFILE_COLUMNS_MAPS(C)                                                  \
    C(mm,          NUM, "address space; 0: the kernel")                             \
    C(start,       HEX, "first address")                                            \
    C(end,         HEX, "first address behind it")                                  \
    C(offset,      HEX, "of start in the file")                                     \
    C(path,        STR, "file in the guest; [heap], [stack], [vdso], [kernel], [module NAME SECTION], [per-CPU N], [vectors], [prom]; empty: anonymous") \
    C(inode,       NUM, "of the file; 0: none")                                     \
    C(flags,       STR, "r, w, x, or - for each, as in /proc/PID/maps")             \
    C(first_tick,  NUM, "when it was seen first")                                   \
    C(last_tick,   NUM, "when it was seen last")

#define SN_PROFILE_COLUMNS_PATHS(C)                                                 \
    C(path,        NUM, "a call path; 0 (not listed): none")                        \
    C(parent,      NUM, "the path of the caller's caller")                          \
    C(pc,          HEX, "the return address in the caller")

#define SN_PROFILE_COLUMNS_HEAP(C)                                                  \
    C(block,       NUM, "its number")                                               \
    C(mm,          NUM, "address space")                                            \
    C(address,     HEX, "first byte")                                               \
    C(bytes,       NUM, "asked for")                                                \
    C(how,         STR, "malloc, calloc, realloc, memalign, mmap, brk; of the kernel [slab NAME BYTES] and the like") \
    C(thread,      NUM, "that asked")                                               \
    C(pc,          HEX, "return address: the allocation site")                      \
    C(path,        NUM, "call path of the site's function")                         \
    C(first_tick,  NUM, "allocated")                                                \
    C(last_tick,   NUM, "freed, or the end")

#define SN_PROFILE_COLUMNS_REGIONS(C)                                               \
    C(region,      NUM, "its number; 0: outside of all regions")                    \
    C(name,        STR, "as the program named it")                                  \
    C(parent,      NUM, "the region that it lies in")                               \
    C(begun,       NUM, "how often")                                                \
    C(ticks,       NUM, "between begin and end, of those that have ended")

#define SN_PROFILE_COLUMNS_MISSES(C)                                                \
    C(cause,       STR, "SN_PROFILE_CAUSES")                                        \
    C(kind,        STR, "load, store, fetch, ll, sc, pref, prefx")                  \
    C(tx,          STR, "KIND of docs/engine.md: unowned, shared, clean_hit, ...")  \
    C(cpu,         NUM, "that missed")                                              \
    C(home,        NUM, "node of the memory; - if there is none")                   \
    C(hops,        NUM, "between cpu's node and home")                              \
    C(thread,      NUM, "that ran")                                                 \
    C(region,      NUM, "that it was in")                                           \
    C(pc,          HEX, "instruction; of a fetch: first byte of the line of code")  \
    C(path,        NUM, "call path")                                                \
    C(address,     HEX, "virtual address of the access")                            \
    C(bytes,       NUM, "1: address is exact; else the size of the aligned block that it begins; 0: address was merged") \
    C(count,       NUM, "transactions")                                             \
    C(backoff,     NUM, "of these, served by backoff")                              \
    C(latency_ns,  NUM, "sum of their latencies, each rounded down")                \
    C(stall_ticks, NUM, "what the processor waited for them")                       \
    C(block,       NUM, "of heap.csv that address is in; 0: none")                  \
    C(mode,        STR, "user, kernel, interrupt: what the processor did, as in blocked.csv; -: not known")

#define SN_PROFILE_COLUMNS_STALLS(C)                                                \
    C(part,        STR, "SN_PROFILE_PARTS, without busy and idle")                  \
    C(cpu,         NUM, "that waited")                                              \
    C(thread,      NUM, "that ran")                                                 \
    C(region,      NUM, "that it was in")                                           \
    C(pc,          HEX, "instruction, as in misses.csv; - if it was merged")        \
    C(hops,        NUM, "of part remote; else 0")                                   \
    C(count,       NUM, "accesses")                                                 \
    C(ticks,       NUM, "what the processor waited for them")                       \
    C(address,     HEX, "of a TLB refill: the page that was missing; else -")       \
    C(bytes,       NUM, "of that page; 0: address was merged")                      \
    C(block,       NUM, "of heap.csv, as in misses.csv")                            \
    C(of,          STR, "of queueing: the part that it would be in otherwise; else -") \
    C(at,          NUM, "of queueing: node; of a link: router * 8 + port; else -")  \
    C(mode,        STR, "as in misses.csv")

#define SN_PROFILE_COLUMNS_COMPUTING(C)                                             \
    C(cpu,         NUM, "that computed")                                            \
    C(thread,      NUM, "that ran")                                                 \
    C(region,      NUM, "that it was in")                                           \
    C(pc,          HEX, "instruction; - if it was merged")                          \
    C(insns,       NUM, "how often it was executed")                                \
    C(width,       NUM, "ticks, by SN_PROFILE_BOUNDS")                              \
    C(unit,        NUM, "")                                                         \
    C(dependence,  NUM, "")                                                         \
    C(branch,      NUM, "")                                                         \
    C(mispredict,  NUM, "")                                                         \
    C(mode,        STR, "as in misses.csv")

#define SN_PROFILE_COLUMNS_BLOCKED(C)                                               \
    C(thread,      NUM, "of threads.csv")                                           \
    C(state,       STR, "SN_PROFILE_STATES")                                        \
    C(what,        STR, "SN_PROFILE_WAITS; of a thread that is ready again: what it has waited for") \
    C(call,        STR, "system call that it is in: its name, or its number; -: none") \
    C(address,     HEX, "of futex, join: the word; of page_fault: what was missing; of a file: its inode in the kernel") \
    C(block,       NUM, "of heap.csv, as in misses.csv")                            \
    C(path,        NUM, "call path of the wait")                                    \
    C(by,          STR, "thread that ended the wait; interrupt; -: not known, or not ended") \
    C(region,      NUM, "that it was in")                                           \
    C(cpu,         NUM, "that it ran on; - if it did not")                          \
    C(count,       NUM, "how often the state began")                                \
    C(ticks,       NUM, "that it lasted")

#define SN_PROFILE_COLUMNS_LOCKS(C)                                                 \
    C(thread,      NUM, "of threads.csv, that took it")                             \
    C(address,     HEX, "of the lock")                                              \
    C(block,       NUM, "of heap.csv, as in misses.csv")                            \
    C(pc,          HEX, "return address of the call that took it")                  \
    C(path,        NUM, "call path of the function with that call")                 \
    C(region,      NUM, "that it was in")                                           \
    C(cpu,         NUM, "that it ran on")                                           \
    C(from,        NUM, "node of the processor where another thread had given it back; -: nobody had, or the same thread") \
    C(hops,        NUM, "between from and cpu's node; -: from is not known")        \
    C(count,       NUM, "how often it was taken")                                   \
    C(contended,   NUM, "of these, another thread had it when the call began")      \
    C(waited,      NUM, "ticks from the call until it returned; 0 of pthread_cond_wait() and its relatives") \
    C(held,        NUM, "ticks from there until it was given back")

/* accesses.csv.gz (docs/export.md), which is no table of a profile: readers go through it once. */
#define SN_PROFILE_COLUMNS_ACCESSES(C)                                              \
    C(kind,        STR, "as in misses.csv")                                         \
    C(tx,          STR, "as in misses.csv; -: a hit")                               \
    C(cpu,         NUM, "node * 2 + slice")                                         \
    C(thread,      NUM, "that ran")                                                 \
    C(region,      NUM, "that it was in")                                           \
    C(tick,        NUM, "when it began")                                            \
    C(pc,          HEX, "instruction; of a fetch: first byte of the line of code")  \
    C(address,     HEX, "virtual")                                                  \
    C(physical,    HEX, "address")                                                  \
    C(bytes,       NUM, "0: not known")

#define SN_PROFILE_COLUMNS_FOLLOWED(C)                                              \
    C(line,         HEX, "physical address of its first byte")                      \
    C(thread,       NUM, "whose access it was followed for; 0: physical addresses were") \
    C(address,      HEX, "virtual address of that access; - likewise")              \
    C(transactions, NUM, "of processors for it, while it was followed")             \
    C(events,       NUM, "rows of follow.csv")                                      \
    C(lost,         NUM, "events that found no room")

#define SN_PROFILE_COLUMNS_FOLLOW(C)                                                \
    C(line,        HEX, "of followed.csv")                                          \
    C(event,       STR, "message, access, dropped, flushed")                        \
    C(transaction, NUM, "its number")                                               \
    C(number,      NUM, "of the message")                                           \
    C(parent,      NUM, "the message because of which it was sent; 0: none")        \
    C(name,        STR, "of the message (docs/protocol.md); of an access its kind, as in misses.csv") \
    C(from,        STR, "who sent it: node, and A or B a processor, I the I/O unit, M the memory") \
    C(to,          STR, "who received it; an INVAL goes to both processors of A's node") \
    C(req,         STR, "whose transaction it is")                                  \
    C(sent,        NUM, "ps since power-on: the sender begins with it; the access makes its request") \
    C(left,        NUM, "ps: it leaves the sender")                                 \
    C(arrived,     NUM, "ps: it is at the receiver")                                \
    C(taken,       NUM, "ps: the receiver has taken it; the access's transaction is complete") \
    C(waits,       STR, "PART WHAT AT PS, with ; between them; PART: send, way, take; WHAT, AT: as parts of stalls.csv, or line: node AT still transfers the line") \
    C(rule,        STR, "table of the protocol: home, backoff, requestor, writer, copy") \
    C(row,         STR, "state in it, that of the receiver when the message came")  \
    C(step,        STR, "what it did to the requestor: done, once, retry, error")   \
    C(before,      STR, "the directory's entry: SHRD:NODE NODE..., EXCL:AGENT, ...")\
    C(after,       STR, "the same when the message was taken")                      \
    C(copies,      STR, "copies that it changed: CPU BEFORE AFTER, with ; between them") \
    C(cpu,         NUM, "of the access, or whose copy left")                        \
    C(tx,          STR, "as in misses.csv")                                         \
    C(cause,       STR, "as in misses.csv; -: not known yet")                       \
    C(tick,        NUM, "when the access began, or the copy left")                  \
    C(thread,      NUM, "as in misses.csv, and the columns after it")               \
    C(pc,          HEX, "")                                                         \
    C(path,        NUM, "")                                                         \
    C(address,     HEX, "")                                                         \
    C(block,       NUM, "")                                                         \
    C(stall_ticks, NUM, "")
/* clang-format on */

#endif
