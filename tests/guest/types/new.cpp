// SPDX-License-Identifier: GPL-2.0-or-later
// For t_profile_ways.sh: two threads count in every other element of what `new T[n]` made, through a pointer without a type.
#include <barrier>
#include <sched.h>
#include <thread>

namespace game
{
struct score {
    long calls, hits;
};
} // namespace game

static void *block;
static std::barrier meet(2);

static void count(int me)
{
    volatile game::score *mine = static_cast<game::score *>(block) + me;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof(set), &set);
    meet.arrive_and_wait();
    for (int i = 0; i < 60000; i++)
        mine[i % 8 * 2].hits = mine[i % 8 * 2].hits + 1; // COUNT
}

int main()
{
    block = new game::score[16]; // NEW
    std::thread other(count, 1);
    count(0);
    other.join();
}
