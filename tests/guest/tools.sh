#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The image `tools`: its list is true, bash runs scripts, strace follows threads, and gdb debugs a process through gdbserver.
. "$(dirname "$0")/../lib.sh"
cat >"$tmp/threads.c" <<'END'
#include <pthread.h>
#include <stdio.h>

static int turns;

static void *work(void *p)
{
    for (int i = 0; i < 3; i++)
        __atomic_fetch_add(&turns, 1, 0);
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%s %d turns\n", argv[argc - 1], turns);
    return 7;
}
END
"$origin" cc -g -O0 -pthread -o "$tmp/threads" "$tmp/threads.c" || { echo 'Bail out! threads.c does not compile'; exit 99; }
printf '#!/bin/bash\na=(x y z); echo "${#a[@]} ${BASH_VERSION%%%%.*}"\n' >"$tmp/script"
chmod +x "$tmp/script"

list=$("$origin" images)
like 'origin images: the image' "$list" '^tools: [0-9]+ MB, at /usr/local'
run -m ricotta -s "$tmp" --image tools -- './script; ls /usr/local/bin; mount | grep /usr/local; strace -f -o trace ./threads x; echo status $?
    touch /usr/local/bin/x'
like 'a script for bash' "$out" '^3 5$'
is 'origin images: as in the guest' "$(printf '%s\n' "$list" | awk 'NR > 1 { print $1 }' | sort | xargs)" \
    "$(printf '%s\n' "$out" | sed -n '2,/^\/dev/p' | grep -v '^/dev' | xargs)"
like 'the image is read-only' "$out" '^/dev/vda on /usr/local type ext4 \(ro'
like 'strace passes output and status on' "$(printf '%s' "$out" | tr '\n' ' ')" 'x 12 turns status 7'
is 'strace saw four threads begin' "$(grep -c 'clone[3]*(.*CLONE_THREAD' "$tmp/trace")" 4
is 'and five end' "$(grep -c ' +++ exited with [07] +++' "$tmp/trace")" 5
unlike 'without the image there is no bash' "$(ls "$root/build/images"; "$origin" run -m origin200 -- bash --version 2>&1)" 'GNU bash'

out=$(timeout 200 "$origin" gdb --batch -m ricotta -s "$tmp" --ex 'break work' --ex continue --ex 'info threads' --ex 'next' --ex 'p i' --ex delete --ex continue \
    -- threads 'two words' </dev/null 2>&1)
like 'gdb: stops in a thread, with its line' "$out" '^Thread [2-5] "threads" hit Breakpoint 1, work'
like 'gdb: lists threads' "$out" '^  1    Thread'
like 'gdb: the program gets its arguments, its output comes here' "$out" '^two words 12 turns$'
like 'gdb: and its status' "$out" 'exited with (code 07|status 7)'
finish
