/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * Memory management control: memory locality domains (MLDs), sets of them,
 * and policy modules (PMs), as mmci(5) describes them (libpmo; `origin cc`
 * links it by itself).  docs/man/pmo.3 is the manual.
 *
 *   mld_create()  mldset_create()  mldset_place()   where: virtual nodes
 *   pm_filldefault()  pm_create()  pm_attach()      how: policies of a range
 *   process_mldlink()  process_cpulink()            threads to nodes
 *   migr_range_migrate()  __pm_get_page_info()      move, look
 *
 *   numa_acreate()  amalloc()  afree()              small pieces of memory
 *
 * Names are those of IRIX 6.5, whose <malloc.h> has the calls on arenas; values
 * and layouts are ours.
 */
#ifndef __SYS_PMO_H__
#define __SYS_PMO_H__

#include <stdlib.h> /* programs of the period call exit() without it */
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A handle is positive and never used again; -1 with errno on error. */
typedef long pmo_handle_t;
typedef long cpuid_t;

typedef struct pmo_handle_list {
    pmo_handle_t *handles;
    unsigned int length; /* in: size of handles; out: entries filled */
} pmo_handle_list_t;

/* --- where memory is --- */

#define MLD_DEFAULTSIZE (-1L)

typedef enum {
    TOPOLOGY_FREE,       /* near each other and near the affinities */
    TOPOLOGY_CUBE,       /* a hypercube, anywhere */
    TOPOLOGY_CUBE_FIXED, /* a hypercube; MLDs i and i ^ 2^k are neighbours */
    TOPOLOGY_PHYSNODES,  /* MLD i on the node of affinity i */
    TOPOLOGY_CPUCLUSTER  /* one MLD for each processor */
} topology_type_t;

typedef enum {
    RQMODE_ADVISORY, /* as well as possible */
    RQMODE_MANDATORY /* exactly, or fail */
} rqmode_t;

typedef struct raff_info {
    void *resource;        /* name or pointer to a descriptor */
    unsigned short reslen; /* bytes of the resource */
    unsigned short restype;
    unsigned short radius; /* hops that still count as near */
    unsigned short attr;
} raff_info_t;

#define RAFFIDT_NAME        0 /* resource is a path below /hw */
#define RAFFIDT_FD          1 /* resource is an int *, a file below /hw */
#define RAFFATTR_ATTRACTION 1 /* place near it */
#define RAFFATTR_REPULSION  2 /* place away from it */

pmo_handle_t mld_create(int radius, long size);
int mld_destroy(pmo_handle_t mld);
pmo_handle_t mldset_create(pmo_handle_t *mldlist, int mldlist_len);
int mldset_destroy(pmo_handle_t mldset);
int mldset_place(pmo_handle_t mldset, topology_type_t topology, raff_info_t *rafflist,
                 int rafflist_len, rqmode_t rqmode);
dev_t __mld_to_node(pmo_handle_t mld);

int process_mldlink(pid_t pid, pmo_handle_t mld, rqmode_t rqmode);
int process_cpulink(pid_t pid, pmo_handle_t mld, cpuid_t lcpuid, rqmode_t rqmode);

/* --- small pieces of an MLD's memory --- */

/*
 * Creates an arena on the MLD's node.  Its size includes its own bookkeeping and
 * does not grow.  NULL with EINVAL or ENOMEM on error.
 */
void *numa_acreate(pmo_handle_t mld, size_t arena_size, size_t page_size);

/* As malloc(), calloc(), realloc(), free(), aligned to 16 bytes; EINVAL: no arena. */
void *amalloc(size_t size, void *arena);
void *acalloc(size_t n, size_t size, void *arena);
void *arealloc(void *p, size_t size, void *arena);
void afree(void *p, void *arena);
void adelete(void *arena); /* also frees all blocks of the arena */

/* --- how memory is treated --- */

typedef struct policy_set {
    char *placement_policy_name;
    void *placement_policy_args;
    char *fallback_policy_name;
    void *fallback_policy_args;
    char *replication_policy_name;
    void *replication_policy_args;
    char *migration_policy_name;
    void *migration_policy_args;
    char *paging_policy_name;
    void *paging_policy_args;
    size_t page_size;
    short page_wait_timeout; /* seconds */
    short policy_flags;
} policy_set_t;

#define PM_PAGESZ_DEFAULT ((size_t)0)
#define PM_NAME_SIZE      32

typedef struct pm_stat {
    char placement_policy_name[PM_NAME_SIZE];
    char fallback_policy_name[PM_NAME_SIZE];
    char replication_policy_name[PM_NAME_SIZE];
    char migration_policy_name[PM_NAME_SIZE];
    char paging_policy_name[PM_NAME_SIZE];
    size_t page_size;
    int policy_flags;
    pmo_handle_t pmo_handle;
} pm_stat_t;

typedef enum { MEM_STACK, MEM_TEXT, MEM_DATA } mem_type_t;

/* MigrationControl's argument.  Thresholds and the factor are percentages. */
typedef struct migr_policy_uparms {
    unsigned long long migr_base_enabled : 1, migr_base_threshold : 8, migr_freeze_enabled : 1,
        migr_freeze_threshold : 8, migr_melt_enabled : 1, migr_melt_threshold : 8,
        migr_enqonfail_enabled : 1, migr_dampening_enabled : 1, migr_dampening_factor : 8,
        migr_refcnt_enabled : 1, migr_resv_bits : 4;
} migr_policy_uparms_t;

typedef struct pm_pginfo_s {
    caddr_t vaddr;
    dev_t node_dev;
    unsigned int page_size;
    pmo_handle_t pm_handle; /* -1: none attached */
    void *reserved[2];
} pm_pginfo_t;

void pm_filldefault(policy_set_t *policy_set);
pmo_handle_t pm_create(policy_set_t *policy_set);
pmo_handle_t pm_create_simple(char *plac_name, void *plac_args, char *repl_name, void *repl_args,
                              size_t page_size);
int pm_destroy(pmo_handle_t pm);
int pm_attach(pmo_handle_t pm, void *base, size_t len);
pmo_handle_t pm_setdefault(pmo_handle_t pm, mem_type_t type);
pmo_handle_t pm_getdefault(mem_type_t type);
int pm_getall(void *base, size_t len, pmo_handle_list_t *list);
int pm_getstat(pmo_handle_t pm, pm_stat_t *stat);
int pm_setpagesize(pmo_handle_t pm, size_t page_size);

void migr_policy_args_init(migr_policy_uparms_t *parms);
int migr_range_migrate(void *base, size_t len, pmo_handle_t where);
int __pm_get_page_info(void *base, size_t len, pm_pginfo_t *buf, int buf_len);

#ifdef __cplusplus
}
#endif

#endif
