#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sndump --profile: functions of libraries, with and without a name, the kernel apart, source lines, inlined functions, instructions. Traces are from
# the guest, read on the host and in the guest.
. "$(dirname "$0")/../lib.sh"
host=$root/build/host
cat >"$tmp/places.c" <<'END'
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static volatile double sum;

static inline double inlined(double x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 0.5 + i; /* line 11 */
    return x;
}

__attribute__((noinline)) void work(int n)
{
    sum = inlined(sum, n);
}

int main(void)
{
    int fd = open("/dev/zero", O_RDONLY);
    static char buf[65536];
    void *p[8];

    for (int r = 0; r < 40; r++) {
        work(100000);
        for (int i = 0; i < 300; i++) {
            for (int k = 0; k < 8; k++)
                p[k] = malloc(100 + 900 * k);
            for (int k = 0; k < 8; k++)
                free(p[k]);
        }
        for (int i = 0; i < 20; i++)
            sum += read(fd, buf, sizeof(buf));
    }
    return 0;
}
END
"$origin" cc -g -O2 -o "$tmp/places" "$tmp/places.c" || { echo 'Bail out! places.c does not compile'; exit 99; }
# shellcheck disable=SC2016
run -m origin200 -s "$tmp" -- 'mkdir /tmp/t; cd /tmp/t; snrun -q -s1 /share/places; sndump --profile *.out*; cp *.out* /share
    sndump --profile=lines *.out* 2>&1; echo "= $?"; sndump --profile=x *.out* 2>&1; echo "= $?"'
guest=$(printf '%s\n' "$out" | sed '/^sndump/,$d')
is 'the guest profiles' "$status" 0
is 'without addr2line: said, and nothing else' "$(printf '%s\n' "$out" | sed -n '/^sndump/,$p')" \
    "sndump: addr2line: cannot be run; the guest has none: run sndump on the host (build/host/sndump)
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
# part FILE PATTERN: the per cent in rows that match
part() { awk -v p="$2" '$0 ~ p { n += $3 } END { print n + 0 }' "./$1"; }
within 'a function of the program' 10 "$(part by 'user +places +work$')" 60
within 'functions of libc by name' 10 "$(part by 'user +libc.so.6 +(malloc|free|cfree)$')" 60
within 'and without' 5 "$(part by 'user +libc.so.6 +libc.so.6:0x[0-9a-f]+$')" 50
is 'no row is libc as a whole' "$(part by ' libc.so.6 +libc.so.6$')" 0
within 'the kernel, by the function that called it' 3 "$(part by 'kernel +libc.so.6 +read$')" 40
is 'its time in the kernel is not in the user rows' "$(awk '$4 == "user" && $6 == "read" && $3 > 3' by)" ''
is 'lines: the inlined function is in its caller, at its line' "$(part by=lines 'user +places +places.c:1[01] +work > inlined$')" "$(part by 'user +places +work$')"
is 'instructions add up to the same' "$(part by=instructions 'user .* work > inlined$' | cut -d. -f1)" "$(part by 'user +places +work$' | cut -d. -f1)"
like 'instructions: address and text' "$(cat by=instructions)" ' user +places +places\.c:1[01] +1[0-9a-f]{7}  [a-z.0-9]+ [^ ].* work > inlined$'
like 'instructions: of libraries' "$(cat by=instructions)" ' user +libc\.so\.6 +- +[0-9a-f]{5}  [a-z].* malloc$'
finish
