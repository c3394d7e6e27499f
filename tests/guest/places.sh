#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sndump --profile: functions of libraries, with and without a name, the kernel apart, source lines, inlined functions, instructions. Traces are from
# the guest, read on the host and in the guest.
. "$(dirname "$0")/../lib.sh"
host=$root/build/host
cat >"$tmp/places.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile double sum;

static inline double inlined(double x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 0.5 + i; /* line 12 */
    return x;
}

__attribute__((noinline)) void work(int n)
{
    sum = inlined(sum, n);
}

static void say(const char *part)
{
    static struct timespec was;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%s %ld\n", part, (now.tv_sec - was.tv_sec) * 1000000000 + now.tv_nsec - was.tv_nsec);
    clock_gettime(CLOCK_MONOTONIC, &was);
}

/* Three parts, one after the other, and what each took in nanoseconds. */
int main(void)
{
    int fd = open("/dev/zero", O_RDONLY);
    static char buf[65536];
    void *p[8];

    say("start");
    work(4000000);
    say("work");
    for (int i = 0; i < 12000; i++) {
        for (int k = 0; k < 8; k++)
            p[k] = malloc(100 + 900 * k);
        for (int k = 0; k < 8; k++)
            free(p[k]);
    }
    say("malloc");
    for (int i = 0; i < 800; i++)
        sum += read(fd, buf, sizeof(buf));
    say("read");
    return 0;
}
END
"$origin" cc -g -O2 -o "$tmp/places" "$tmp/places.c" || { echo 'Bail out! places.c does not compile'; exit 99; }
# shellcheck disable=SC2016
run -m origin200 -s "$tmp" -- 'mkdir /tmp/t; cd /tmp/t; snrun -q -s1 /share/places >/share/parts; sndump --profile *.out*; cp *.out* /share
    sndump --profile=lines *.out* 2>&1; echo "= $?"; sndump --profile=x *.out* 2>&1; echo "= $?"'
guest=$(printf '%s\n' "$out" | sed '/^sndump/,$d')
is 'the guest profiles' "$status" 0
is 'lines in the guest: where they can be had, and nothing else' "$(printf '%s\n' "$out" | sed -n '/^sndump/,$p')" \
    "sndump: the guest cannot find source lines: run sndump on the host (build/host/sndump)
= 1
sndump: --profile: 'x' is neither lines nor instructions (see sndump --help)
= 2"
cp "$root/build/guest/libsnrun.so" "$tmp" # the guest has its symbols
cd "$tmp" || exit 99
for detail in '' =lines =instructions; do
    "$host/sndump" --symbols "$tmp" "--profile$detail" places.out* >"by$detail" 2>&1
    result $? "on the host: --profile$detail" "$(cat "by$detail")"
done
is 'guest and host say the same' "$guest" "$(cat by)"
# part FILE PATTERN: the samples in rows that match
part() { awk -v p="$2" '$0 ~ p { n += $2 } END { print n + 0 }' "./$1"; }
# part_of NAME SAMPLES: a sample each millisecond meets a part of L milliseconds L times, rounded down or up. say() prints after it has read the
# clock, so samples that meet it at that are of the part that follows. Two more may be late, and one of the part before may come here:
# the kernel's clock ticks delay the sampler past the end of a part.
part_of() {
    ms=$(awk -v p="$1" '$1 == p { print int($2 / 1e6) }' parts)
    within "samples of the part $1 are its milliseconds" $((ms - $(part by ' libc.so.6 +printf$') - 2)) "$2" $((ms + 2))
}
part_of work "$(part by ' places +work$')"
part_of malloc "$(part by '( places +main| libc.so.6 +(malloc|free|cfree|libc.so.6:0x[0-9a-f]+))$')"
part_of read "$(part by ' libc.so.6 +read$')"
ok 'functions of libc by name' test "$(part by 'user +libc.so.6 +malloc$')" -gt 0
ok 'and without' test "$(part by 'user +libc.so.6 +libc.so.6:0x[0-9a-f]+$')" -gt 0
is 'no row is libc as a whole' "$(part by ' libc.so.6 +libc.so.6$')" 0
# A call fills 64 KB, which takes the kernel 8192 stores at least; the program's part of it is less than a tenth of so many instructions.
ok 'the kernel, by the function that called it; its time is not in the user rows' \
    test "$(part by 'kernel +libc.so.6 +read$')" -gt $((10 * $(part by 'user +libc.so.6 +read$')))
is 'lines: the inlined function is in its caller, at its line' "$(part by=lines 'user +places +places.c:1[12] +work > inlined$')" "$(part by 'user +places +work$')"
is 'instructions add up to the same' "$(part by=instructions 'user .* work > inlined$')" "$(part by 'user +places +work$')"
like 'instructions: address and text' "$(cat by=instructions)" ' user +places +places\.c:1[12] +1[0-9a-f]{7}  [a-z.0-9]+ [^ ].* work > inlined$'
like 'instructions: of libraries' "$(cat by=instructions)" ' user +libc\.so\.6 +- +[0-9a-f]{5}  [a-z].* malloc$'
finish
