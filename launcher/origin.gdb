# SPDX-License-Identifier: GPL-2.0-or-later
# Commands that `origin gdb` adds.
define tick
    monitor qom-get /machine tick
end
document tick
Print machine time in ticks, as the debugged kernel is stopped: a value for --break-at of a later run.
end
