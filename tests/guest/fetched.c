/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For t_profile_counters.sh: threads whose first counted event is the fetch of the mark that says that
 * their counters begin. While snrun's wrapper starts the counters of a thread in the kernel, the first
 * thread stores to the lines of code that have the mark, so no other secondary cache keeps them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 6
#define SYSCALL 0x0000000cu
#define MARK    (0x33u << 26 | 29u << 16) /* PREF, hint 29 */
#define BASE    (31u << 21)               /* its base register, and its offset */
#define OFFSET  0xffffu

static volatile uint32_t *mark[16];
static unsigned nmarks;
static atomic_int ended;

/* Finds the marks in a mapping, and makes it writable. */
static int find_marks(uint32_t *from, uint32_t *to)
{
    for (uint32_t *p = from + 1; p < to && nmarks < 16; p++) {
        if ((p[0] & ~(BASE | OFFSET)) == MARK && p[-1] == SYSCALL) {
            mark[nmarks++] = p;
        }
    }
    return mprotect(from, (size_t)((char *)to - (char *)from), PROT_READ | PROT_WRITE | PROT_EXEC);
}

static int find_wrapper(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long from, to;
    char line[512], mode[8];
    int status = -1;

    while (maps && fgets(line, sizeof(line), maps)) {
        if (strstr(line, "libsnrun.so") && sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 &&
            strchr(mode, 'x')) {
            status = find_marks((uint32_t *)from, (uint32_t *)to);
            break;
        }
    }
    if (maps) {
        fclose(maps);
    }
    return status;
}

static void *run(void *arg)
{
    ended++;
    return arg;
}

int main(void)
{
    pthread_t id[THREADS];

    if (find_wrapper() || !nmarks) {
        puts("no mark in libsnrun.so");
        return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&id[i], NULL, run, NULL)) {
            return 1;
        }
        while (ended <= i) {
            for (unsigned k = 0; k < nmarks; k++) {
                *mark[k] = *mark[k];
            }
        }
        pthread_join(id[i], NULL);
    }
    puts("every thread ran");
    return 0;
}
