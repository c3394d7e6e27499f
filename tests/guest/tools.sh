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
# hwloc's program has another name, and a second one.
is 'origin images: as in the guest' "$(printf '%s\n' "$list" | awk 'NR > 1 { print $1 == "hwloc" ? "lstopo\nlstopo-no-graphics" : $1 }' | sort | xargs)" \
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

# --- an editor, make, lscpu ---------------------------------------------------------------
# nano on the console, as a person uses it: two lines, written, left by a key, on two kinds of terminals.
cat >"$tmp/edit.py" <<'END'
import fcntl, os, pty, re, select, signal, struct, sys, termios, time

pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", "-m", "origin200", "--model=off", "--image", "tools"])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
seen = b""


def expect(text, limit=60):
    global seen
    end = time.time() + limit
    while not re.search(text, seen):
        if time.time() > end:
            print("saw no %r in %r" % (text, seen[-2000:]))
            os.kill(pid, signal.SIGKILL)
            sys.exit(1)
        if select.select([fd], [], [], 1)[0]:
            seen += os.read(fd, 65536)
    found = re.search(text, seen)
    seen = seen[found.end():]
    return found


prompt = rb"origin200:~# "
for term in b"xterm-256color", b"vt100":
    expect(prompt)
    os.write(fd, b"TERM=%s nano /tmp/%s.c\r" % (term, term))
    expect(rb"GNU nano")
    expect(rb"Exit")
    os.write(fd, b"int x;\rint  y;\x0f\r") # Ctrl-O
    expect(rb"Wrote 2 lines")
    os.write(fd, b"\x18") # Ctrl-X
    expect(prompt)
    os.write(fd, b"cksum </tmp/%s.c\r" % term)
    print(expect(rb"\r\n([0-9]+ [0-9]+)\r\n").group(1).decode())
expect(prompt)
os.write(fd, b"poweroff\r")
try:
    while os.read(fd, 65536):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
printf 'all: a b\na b:\n\t@echo $@ $(MAKEFLAGS); test $@ = a\n' >"$tmp/makefile"
run -m ricotta --model=off -s "$tmp" --image tools -- 'lscpu; echo; make -k -j4 2>&1; echo status $?'
like 'lscpu: processors' "$out" '^CPU\(s\): +16$'
like 'lscpu: nodes' "$out" '^ *NUMA node7 CPU\(s\): +14,15$'
like 'make: a rule that fails' "$out" '^make: \*\*\* \[makefile:3: b\] Error 1$'
like 'make: status' "$out" '^status 2$'
python3 "$tmp/edit.py" "$origin" >"$tmp/session" 2>&1
is 'nano writes files on the console' "$? $(cat "$tmp/session")" "0 $(for i in 1 2; do printf 'int x;\nint  y;\n' | cksum; done)"
finish
