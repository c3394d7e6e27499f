# SPDX-License-Identifier: GPL-2.0-or-later
"""For run.sh: qmp.py SOCKET SECONDS COMMAND...

Sends QMP commands one after the other and prints what each returns, as one
line of JSON.  A COMMAND is a name, NAME=HMP for human-monitor-command, or
"wait:EVENT", which waits for that event.  Exit status 1 if an answer does not
come within SECONDS, or is an error.
"""
import json
import socket
import sys
import time


def main():
    path, seconds, commands = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    sock = socket.socket(socket.AF_UNIX)
    for _ in range(100):
        try:
            sock.connect(path)
            break
        except OSError:
            time.sleep(0.1)
    sock.settimeout(seconds)
    stream = sock.makefile('rw')
    stream.readline()
    seen = []

    def ask(request):
        stream.write(json.dumps(request) + '\n')
        stream.flush()
        while True:
            answer = json.loads(stream.readline())
            if 'event' in answer:
                seen.append(answer['event'])
                continue
            return answer

    ask({'execute': 'qmp_capabilities'})
    for command in commands:
        if command.startswith('wait:'):
            while command[5:] not in seen:
                answer = json.loads(stream.readline())
                seen.append(answer.get('event'))
            answer = {'return': command}
        elif '=' in command:
            answer = ask({'execute': 'human-monitor-command', 'arguments':
                          {'command-line': command.split('=', 1)[1]}})
        else:
            answer = ask({'execute': command})
        print(json.dumps(answer.get('return', answer)))
        if 'error' in answer:
            return 1
    return 0


try:
    sys.exit(main())
except (OSError, ValueError) as err:
    print('qmp.py: %s' % err, file=sys.stderr)
    sys.exit(1)
