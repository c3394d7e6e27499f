// SPDX-License-Identifier: GPL-2.0-or-later
// A sum by all threads, an exception that crosses a thread's end, and our headers in C++.
#include <exception>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <omp.h>
#include <snpc.h>
#include <sys/pmo.h>

int main(int argc, char **argv)
{
    double sum = 0;
    int threads = 0;
    std::exception_ptr thrown;

#pragma omp parallel reduction(+ : sum, threads)
    {
        threads = 1;
#pragma omp for
        for (int i = 1; i <= 1000; i++)
            sum += i;
    }
    std::thread([&] {
        try {
            throw std::out_of_range(argc > 1 ? argv[1] : "none");
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    try {
        std::rethrow_exception(thrown);
    } catch (const std::out_of_range &e) {
        std::cout << e.what() << ' ' << sum << ' ' << threads << std::endl;
    }
    return 0;
}
