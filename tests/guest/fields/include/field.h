// SPDX-License-Identifier: GPL-2.0-or-later
/* A container of a program's own, and a function that is inlined, both in a header below a relative -I. */
#include <cstddef>

template <typename T> class field
{
  public:
    explicit field(size_t n)
    {
        start = new T[n]();
    }
    field(size_t n, T all) : field(n)
    {
        for (size_t i = 0; i < n; i++)
            start[i] = all;
    }
    ~field()
    {
        delete[] start;
    }
    T &operator[](size_t i)
    {
        return start[i];
    }

  private:
    T *start;
};

inline void add(long &x)
{
    __sync_fetch_and_add(&x, 1); // ADD
}
