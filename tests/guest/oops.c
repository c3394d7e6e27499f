// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel module that fails on purpose when it is loaded, to see that the launcher
 * notices: kind=oops dereferences NULL, kind=bug calls BUG(), kind=warn only warns.
 */
#include <linux/module.h>
#include <linux/string.h>

static char *kind = "";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "oops, bug or warn");

static int __init oops_init(void)
{
    if (!strcmp(kind, "oops"))
        *(volatile int *)NULL = 1;
    if (!strcmp(kind, "bug"))
        BUG();
    WARN_ON(!strcmp(kind, "warn"));
    return -EINVAL;
}
module_init(oops_init);

MODULE_DESCRIPTION("Goes wrong on purpose");
MODULE_LICENSE("GPL");
