#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive console: a shell on a terminal, its keys, the ways to leave it, and the state of the terminal afterwards.
. "$(dirname "$0")/../lib.sh"

# session SCRIPT [OPTION]: drives `origin run` on a pseudo terminal. SCRIPT is Python that uses expect(TEXT) and send(TEXT). It leaves
# the launcher's status on the last line of $tmp/session.
session() {
    python3 - "$origin" "$@" >"$tmp/session" 2>&1 <<'END'
import os, pty, re, select, signal, struct, sys, termios, time, fcntl
origin, script, *options = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm-test"
    os.execv(origin, [origin, "run", "-m", "origin200", *options])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
before = termios.tcgetattr(fd)
seen = b""
def read(limit):
    global seen
    if select.select([fd], [], [], limit)[0]:
        try:
            seen += os.read(fd, 65536)
        except OSError:
            return False
    return True
def expect(text, limit=60):
    global seen
    end = time.time() + limit
    while not re.search(text.encode(), seen):
        if time.time() > end or not read(1):
            print("saw no %r in %r" % (text, seen[-2000:]))
            os.kill(pid, signal.SIGKILL)
            sys.exit(1)
    seen = seen[re.search(text.encode(), seen).end():]
def send(text):
    os.write(fd, text.encode("latin-1"))
def status(limit=60):
    end = time.time() + limit
    while time.time() < end:
        read(0.1)
        p, w = os.waitpid(pid, os.WNOHANG)
        if p:
            return os.waitstatus_to_exitcode(w)
    print("it does not end")
    os.kill(pid, signal.SIGKILL)
    sys.exit(1)
def raw():
    return not termios.tcgetattr(fd)[3] & termios.ICANON
exec(script)
print("tty", "same" if termios.tcgetattr(fd) == before else "changed")
END
    tail -n 2 "$tmp/session"
}

prompt="expect(r'origin200:~# ')"
is 'a shell that computes, sees the terminal, leaves by exit' "$(session "
$prompt
assert raw()
send('echo \$((6*7)) \$TERM \$(tty) \$(id -u)\r')
expect(r'\n42 xterm-test /dev/(ttyS0|console) 0\r')
send('stty size\r'); expect(r'\n33 101\r')
send('sleep 1000000000 & kill %1; echo job-\$?\r'); expect(r'job-0')
send('echo r\$((1+1))y; sleep 100000\r'); expect(r'\nr2y'); send('\x03'); $prompt
send('exit\r')
print('status', status())")" 'status 0
tty same'
is 'a terminal shows three lines and the prompt, and nothing of the boot' "$(session "
def terse():
    end = time.time() + 60
    while not seen.endswith(b':~# ') and time.time() < end:
        read(1)
    # Lines of progress, and what wipes them out.
    return re.sub(r'\r *\r|origin: origin200 boots, [^\r]*', '', seen.decode())
lines = terse().split('\r\n')
print(len(lines), '|'.join(lines))
send('dmesg | head -n 1\r'); expect(r'Linux version'); $prompt
send('exit\r')
status()" | head -n 1)" '4 origin200: an SGI Origin 2000 with 2 processors of 180 MHz and 1 nodes|try: `topology`, `snbench -h 1 -l 3 bw-read`, `dmesg`|leave: exit, or Ctrl-A x; Ctrl-A h shows the keys|origin200:~# '
is 'messages of the kernel stay out of the line that is typed' "$(session "
$prompt
send('echo \"<6>t\$((1+1))ld\" >/dev/kmsg; dmesg | grep -c t2l; echo e\$((1+1))e\r')
end = time.time() + 60
while b'\ne2e' not in seen and time.time() < end:
    read(1)
print(b't2ld\r' in seen, b'\n1\r\ne2e' in seen)
send('exit\r')
status()" | head -n 1)" 'False True'
is 'Ctrl-Z stops, history goes back, Tab completes' "$(session "
$prompt
send('sh -c \"echo r\\\$((1+1))y; exec sleep 100000\"\r'); expect(r'\nr2y'); send('\x1a'); expect(r'Stopped'); $prompt
send('kill %1; fg\r'); $prompt
send('echo h\$((2+1))s\r'); expect(r'\nh3s\r'); $prompt
send('\x1b[A\r'); expect(r'\nh3s\r'); $prompt
send('wc -c /etc/host\t\r'); expect(r'\n[0-9]+ /etc/hosts\r'); $prompt
send('exit\r')
print('status', status())")" 'status 0
tty same'
# Keys that end a program come while the shell starts and does not handle them yet.
for key in 'x03' 'x1c'; do
    is "\\$key while the shell starts does not end the machine" "$(session "
expect('the keys')
for i in range(1000):
    if b':~# ' in seen:
        break
    send('\\$key')
    read(0.001)
end = time.time() + 60
while not seen.endswith(b'# ') and time.time() < end:
    read(0.2)
# A key that comes while the shell reads /etc/profile ends the reading, so the prompt may be another one.
send('\x15echo r\$((1+1))y\r'); expect(r'\nr2y'); expect(r'# ')
send('exit\r')
print(i < 1000, 'status', status())")" 'True status 0
tty same'
done
# A kept boot is over before anybody can press a key, and so is one of a small machine.
is 'Ctrl-C during the boot ends it' "$(session "
expect('stinger boots')
send('\x03')
print('status', status())" --boot=cold -m stinger)" 'status -2
tty same'
is 'Ctrl-A x leaves' "$(session "
$prompt
send('\x01x')
print('status', status())")" 'status 0
tty same'
is 'poweroff leaves' "$(session "
$prompt
send('poweroff\r')
print('status', status())")" 'status 0
tty same'
is 'Ctrl-A Ctrl-A is Ctrl-A, Ctrl-A h is help, Ctrl-D leaves' "$(session "
$prompt
send('echo r\$((1+1))y; od -An -tx1 -N1; echo\r'); expect(r'\nr2y'); send('\x01\x01\r'); expect(r'01')
send('\x01h'); expect(r'Ctrl-A x')
send('\recho r\$((1+2))y\r'); expect(r'\nr3y'); $prompt
send('\x04')
print('status', status())")" 'status 0
tty same'
is 'SIGTERM restores the terminal' "$(session "
$prompt
os.kill(pid, signal.SIGTERM)
print('status', status())")" 'status -15
tty same'
is 'a new size of the terminal arrives' "$(session "
$prompt
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 44, 122, 0, 0))
send('until [ \"\$(stty size)\" = \"44 122\" ]; do sleep 0.1; done; echo s\$((1+1))e\r'); expect(r'\ns2e\r')
send('exit\r')
print('status', status())")" 'status 0
tty same'

printf 'echo $((40 + 2)) >/tmp/x\ncat /tmp/x\n' | "$origin" run -m origin200 -t 100 >"$tmp/out" 2>"$tmp/err"
is 'a script on stdin ends by itself' $? 0
like 'and has run' "$(tr -d '\r' <"$tmp/out")" '^42$'
finish
