// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine description, from a preset's name or a file, into a memfd.  It is
 * read here as the board reads it, with the board's own code, so that a wrong one is
 * refused before QEMU starts.
 */
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dt.h"
#include "topo.h"

/* A description is text that people write: anything larger is no description. */
#define DTB_MAX (4 << 20)

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && !strcmp(s + n - k, end);
}

/* dtc @path into @out; its complaints go to stderr.  0 or -1. */
static int compile(const struct options *opt, const char *path, int out)
{
    int status;
    pid_t pid = fork();

    if (pid < 0) {
        complain("fork: %s", strerror(errno));
        return -1;
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(out, 1);
        execlp("dtc", "dtc", "-q", "-q", "-I", "dts", "-O", "dtb", "-i", opt->includes, path,
               (char *)NULL);
        fprintf(stderr, "origin: dtc (package device-tree-compiler): %s\n", strerror(errno));
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    complain("%s: dtc does not accept this description", path);
    return -1;
}

static int copy(const char *path, int out)
{
    char buf[65536];
    size_t all = 0;
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    while ((n = read(fd, buf, sizeof(buf))) > 0) {
        all += (size_t)n;
        if (all > DTB_MAX) {
            errno = EFBIG;
            n = -1;
            break;
        }
        if (write_all(out, buf, (size_t)n) < 0) {
            n = -1;
            break;
        }
    }
    close(fd);
    return n < 0 ? -1 : 0;
}

/* Read and check the tree in m->dtb. */
static int check(const char *path, struct machine *m)
{
    static struct sn_desc desc;
    static struct sn_topo topo;
    char err[512] = "";
    struct stat st;
    void *fdt;

    if (fstat(m->dtb, &st) < 0 || st.st_size == 0) {
        complain("%s: empty description", path);
        return -1;
    }
    fdt = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, m->dtb, 0);
    if (fdt == MAP_FAILED) {
        complain("%s: %s", path, strerror(errno));
        return -1;
    }
    if (origin_dt_read(fdt, (size_t)st.st_size, &desc, err, sizeof(err)) < 0 ||
        sn_topo_build(&topo, &desc, err, sizeof(err)) < 0) {
        complain("%s: %s", path, err);
        return -1;
    }
    munmap(fdt, (size_t)st.st_size);
    snprintf(m->name, sizeof(m->name), "%s", desc.name);
    m->max_khz = 0;
    for (unsigned int n = 0; n < desc.nnodes; n++)
        for (unsigned int s = 0; s < SN_NODE_CPUS; s++)
            if (desc.node[n].cpu[s].model != SN_CPU_NONE && desc.node[n].cpu[s].khz > m->max_khz)
                m->max_khz = desc.node[n].cpu[s].khz;
    return 0;
}

int machine_open(const struct options *opt, struct machine *m)
{
    const char *name = opt->machine;
    char path[4096];
    bool preset = !strchr(name, '/') && !ends_with(name, ".dts") && !ends_with(name, ".dtb");

    if (preset)
        snprintf(path, sizeof(path), "%s/%s.dtb", opt->machines, name);
    else
        snprintf(path, sizeof(path), "%s", name);
    if (access(path, R_OK) < 0) {
        if (preset)
            complain("no machine '%s'; `origin machines` lists the presets", name);
        else
            complain("machine %s: %s", path, strerror(errno));
        return -1;
    }
    m->dtb = memfd_create("machine.dtb", MFD_CLOEXEC);
    if (m->dtb < 0) {
        complain("memfd_create: %s", strerror(errno));
        return -1;
    }
    if (ends_with(path, ".dts")) {
        if (compile(opt, path, m->dtb) < 0)
            return -1;
    } else if (copy(path, m->dtb) < 0) {
        complain("machine %s: %s", path, strerror(errno));
        return -1;
    }
    return check(path, m);
}
