# SPDX-License-Identifier: GPL-2.0-or-later
"""For run.sh: commands.py SOCKET SECONDS COMMAND...

Sends QMP commands one after the other and prints what each returns, as one
line of JSON.  A COMMAND is a name, NAME=HMP for human-monitor-command, or
"wait:EVENT", which waits for that event.  Exit status 1 if an answer does not
come within SECONDS, or is an error.
"""
import json
import sys

from qmp import Qmp


def main():
    machine, commands = Qmp(sys.argv[1], float(sys.argv[2])), sys.argv[3:]
    for command in commands:
        if command.startswith('wait:'):
            machine.wait(command[5:])
            answer = {'return': command}
        elif '=' in command:
            answer = machine.ask('human-monitor-command', **{'command-line': command.split('=', 1)[1]})
        else:
            answer = machine.ask(command)
        print(json.dumps(answer.get('return', answer)))
        if 'error' in answer:
            return 1
    return 0


try:
    sys.exit(main())
except (OSError, ValueError) as err:
    print('commands.py: %s' % err, file=sys.stderr)
    sys.exit(1)
