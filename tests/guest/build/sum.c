/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sum by all threads. */
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    double sum = 0;
    int threads = 0;

#pragma omp parallel reduction(+ : sum, threads)
    {
        threads = 1;
#pragma omp for
        for (int i = 1; i <= 1000; i++)
            sum += i;
    }
    printf("%s %g %d\n", argc > 1 ? argv[1] : "none", sum, threads);
    return 0;
}
