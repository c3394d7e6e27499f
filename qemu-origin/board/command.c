/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The start of the command; see command.h. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "system/mp-time.h"
#include "profile/kernel.h"
#include "profile/threads.h"
#include "origin.h"
#include "command.h"

static struct {
    const char *name;
    const MIPSR10KMemOps *ops, *off; /* of what is behind */
    MIPSR10KMemOps own, own_off;
    NotifierList begins;
    bool begun;
} command = { .begins = NOTIFIER_LIST_INITIALIZER(command.begins) };

void origin_command_add_notifier(Notifier *n)
{
    notifier_list_add(&command.begins, n);
}

static void look(CPUMIPSState *env)
{
    if (!command.begun && guest_enters(env_cpu(env), command.name)) {
        BQL_LOCK_GUARD();
        command.begun = true;
        notifier_list_notify(&command.begins, NULL);
    }
}

static void command_mode(CPUMIPSState *env)
{
    look(env);
    if (command.ops->mode) {
        command.ops->mode(env);
    }
}

static void command_mode_off(CPUMIPSState *env)
{
    look(env);
    if (command.off->mode) {
        command.off->mode(env);
    }
}

void origin_command_open(OriginMachineState *m)
{
    if (!mp_time_enabled()) {
        error_report(
            "origin2000: remedy and command need machine time (-icount "
            "mode=mp)");
        exit(1);
    }
    if (!m->profile_dir) {
        guest_open(m, m->profile_kernel);
        guest_threads_init();
    }
    if (!guest_known()) {
        error_report("origin2000: remedy and command: which thread runs is not "
                     "known (profile-kernel=FILE)");
        exit(1);
    }
}

void origin_command_attach(OriginMachineState *m, const MIPSR10KMemOps **ops,
                           const MIPSR10KMemOps **off)
{
    command.name = m->command;
    command.ops = *ops;
    command.off = *off;
    command.own = **ops;
    command.own.mode = command_mode;
    command.own_off = **off;
    command.own_off.mode = command_mode_off;
    *ops = &command.own;
    *off = &command.own_off;
}
