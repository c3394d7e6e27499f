#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# -s HOSTDIR makes a directory of the host appear at /share, readable and writable on both sides; and origin cc.
. "$(dirname "$0")/../lib.sh"
m=origin200
s="$tmp/a,b=c d"
mkdir "$s" "$s/sub"
echo 'from the host' >"$s/file"
head -c 1234567 /dev/urandom >"$s/random"
chmod 600 "$s/random"

# shellcheck disable=SC2016
run -m $m -s "$s" -- '
    set -e
    cat file
    cksum <random
    echo "from the guest" >new
    cp random sub/copy
    mkdir made; echo x >made/x; mv made/x made/y
    ln -s file link; cat link >/dev/null
    rm file
    chmod 755 new
    dd if=/dev/zero of=hole bs=1k seek=1000 count=1 2>/dev/null
    for i in $(seq 200); do echo $i >sub/n$i; done
    ls sub | wc -l
    touch -d "2001-05-07 12:00:00" new'
is 'guest reads, writes, renames: status' "$status $err" '0 '
is 'guest reads what the host wrote' "$out" "from the host
$(cksum <"$s/random")
201"
is 'host reads what the guest wrote' "$(cat "$s/new")" 'from the guest'
ok 'a copy made in the guest' cmp "$s/random" "$s/sub/copy"
is 'renamed' "$(cat "$s/made/y")" x
is 'a symbolic link' "$(readlink "$s/link")" file
ok 'removed' test ! -e "$s/file"
is 'a mode' "$(stat -c %a "$s/new")" 755
is 'a time' "$(TZ=UTC stat -c %y "$s/new" | cut -c 1-19)" '2001-05-07 12:00:00'
is 'a hole' "$(stat -c %s "$s/hole")" 1025024
is 'owned by who started the launcher' "$(stat -c %u "$s/new")" "$(id -u)"
is '200 files' "$(cat "$s"/sub/n* | awk '{ t += $1 } END { print t }')" 20100
run -m $m -s "$s" -- sh -c 'echo unflushed >late; sh -c "while :; do echo y; done >sub/flood" & sleep 1; exit 5'
is 'a busy background process on the share' "$status" 5
is 'what was written last is there' "$(cat "$s/late")" unflushed
run -m $m -s "$tmp/a,b=c d/sub" -- cat /share/n7
is 'another directory' "$out" 7

# --- origin cc ------------------------------------------------------------------------
cat >"$s/hello.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <math.h>
int main(int argc, char **argv)
{
    /* A map of a file on the share, shared and written through. */
    int fd = open("/share/map", O_RDWR | O_CREAT, 0644);
    char *p = (ftruncate(fd, 100), mmap(0, 100, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    const unsigned one = 1;
    if (p == MAP_FAILED)
        return 9;
    strcpy(p, "through a map");
    printf("hello %s %d %zu %g\n", argv[argc - 1], *(const char *)&one, sizeof(void *), sqrt(argc * 2.0));
    return 7;
}
END
sed -i 's/#include <stdio.h>/#include <stdio.h>\n#include <unistd.h>/' "$s/hello.c"
(cd "$s" && "$origin" cc -Wall -O2 hello.c -o hello -lm) >"$tmp/out" 2>"$tmp/err"
is 'origin cc' "$? $(cat "$tmp/out" "$tmp/err")" '0 '
(cd "$s" && "$origin" cc -static -pthread hello.c -o hello.static -lm && "$origin" cc -c hello.c -o hello.o) 2>"$tmp/err"
is 'origin cc -static, -c' "$? $(cat "$tmp/err")" '0 '
cat >"$s/numa.c" <<'END'
#include <numa.h>
#include <stdio.h>
int main(void)
{
    printf("%d %d\n", numa_available(), numa_max_node());
    return 0;
}
END
(cd "$s" && "$origin" cc numa.c -o numa -lnuma) 2>"$tmp/err"
is 'origin cc -lnuma' "$? $(cat "$tmp/err")" '0 '
run -m $m -s "$s" -- 'pwd; ./hello world; echo $?; mv map first; ./hello.static again; echo $?; ./numa'
is 'the share is the working directory' "$(printf '%s\n' "$out" | sed -n 1p)" /share
is 'the program runs: big-endian n64' "$(printf '%s\n' "$out" | sed -n 2,3p | xargs)" 'hello world 0 8 2 7'
is 'a shared map of the share reached the host' "$(head -c 13 "$s/first")" 'through a map'
is 'a static program runs' "$(printf '%s\n' "$out" | sed -n 4,5p | xargs)" 'hello again 0 8 2 7'
is 'libnuma in the guest' "$(printf '%s\n' "$out" | sed -n 6p)" '0 0'
"$origin" cc "$s/nonexistent.c" >"$tmp/out" 2>&1
ok 'origin cc fails when gcc does' test $? -ne 0
finish
