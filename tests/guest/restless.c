// SPDX-License-Identifier: GPL-2.0-or-later
/* For t_profile_errors.sh: a program that forks, executes itself, loads a library and makes code that it runs. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *nothing(void *arg)
{
    return arg;
}

/* jr $31; addiu $2, $0, 42 */
static int made_code(void)
{
    static const uint32_t code[] = { 0x03e00008, 0x2402002a };
    void *p =
        mmap(NULL, 16384, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int (*f)(void);

    if (p == MAP_FAILED)
        return 0;
    memcpy(p, code, sizeof(code));
    __builtin___clear_cache(p, (char *)p + sizeof(code));
    memcpy(&f, &p, sizeof(f));
    return f();
}

static double loaded(void)
{
    void *library = dlopen("libm.so.6", RTLD_NOW);
    double (*f)(double) = NULL;
    void *symbol = library ? dlsym(library, "cbrt") : NULL;

    memcpy(&f, &symbol, sizeof(f));
    return f ? f(27) : 0;
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[2]) : 0, status = 0;
    pthread_t t;

    if (argc > 1 && !strcmp(argv[1], "again")) {
        for (int i = 0; i < threads; i++)
            if (pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL))
                return 1;
        printf("%d %.0f %d threads\n", made_code(), loaded(), threads);
        return 0;
    }
    if (fork() == 0) {
        execl(argv[0], argv[0], "again", argc > 1 ? argv[1] : "0", (char *)NULL);
        _exit(127);
    }
    wait(&status);
    return status != 0;
}
