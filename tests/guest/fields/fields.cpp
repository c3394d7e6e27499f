// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads of OpenMP count in neighbours of a container. Before, the program sums a file that it maps, in a function with long template arguments.
 */
#include <fcntl.h>
#include <field.h>
#include <omp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

template <typename A, typename B> struct mapped {
    __attribute__((noinline)) static long sum(const char *name)
    {
        int fd = open(name, O_RDONLY);
        struct stat st;
        long all = 0;

        if (fd < 0 || fstat(fd, &st))
            return -1;
        char *bytes = (char *)mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0); // MMAP
        for (long i = 0; bytes != MAP_FAILED && i < st.st_size; i++)
            all += bytes[i]; // SUM
        return all;
    }
};

int main()
{
    field<long> counts(4, 1); // DECLARED
    long sum = mapped<std::pair<unsigned, unsigned long>, std::pair<long, long>>::sum("data");

#pragma omp parallel num_threads(2) // PARALLEL
    for (int i = 0; i < 20000; i++)
        add(counts[omp_get_thread_num()]);
    printf("%ld %ld %ld\n", sum, counts[0], counts[1]);
    return 0;
}
