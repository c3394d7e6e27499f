// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C++ for t_profile_cxx.sh: two threads count in a vector of atomics, whose elements share a line, and read a table of
 * a name space that one of them writes.  worker N: so many times
 */
#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace work
{
alignas(128) std::atomic<long> table[4];
alignas(128) std::atomic<int> running;

template <typename T> class worker
{
public:
    worker(std::vector<std::atomic<T>> &all, int me)
        : count(all), number(me)
    {
    }
    void run(int n)
    {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(number, &set);
        sched_setaffinity(0, sizeof(set), &set);
        // The kernel wakes one before the other, which could be done before that.
        running++;
        while (running < 2)
            ;
        for (int i = 0; i < n; i++) {
            count[number].fetch_add(1); // COUNT
            table[number].store(i); // STORE
            // Without a pause that is longer than a miss at times, one could lose its line before each SC, and the other would go on alone.
            for (int k = i * (3 + number) % 16 * 32; k > 0; k--)
                __asm__ volatile("");
        }
    }

private:
    std::vector<std::atomic<T>> &count;
    int number;
};
} // namespace work

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::vector<std::atomic<long>> count(16); // DECLARED
    work::worker<long> first(count, 0), second(count, 1);
    std::thread a(&work::worker<long>::run, &first, n), b(&work::worker<long>::run, &second, n);

    a.join();
    b.join();
    return count[0] == n && count[1] == n ? 0 : 1;
}
