/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page migration interrupt, and the thread of each node that answers it.
 *
 *   refcnt_irq_init()  refcnt_irq_exit()   for all nodes
 *   refcnt_irq_begin()  refcnt_irq_end()   the thread of one node
 */
#ifndef _REFCNT_IRQ_H
#define _REFCNT_IRQ_H

struct refcnt_node;

/* After all nodes have begun; from then on interrupts come.  -EBUSY, -ENOMEM */
int refcnt_irq_init(void);
void refcnt_irq_exit(void);

int refcnt_irq_begin(struct refcnt_node *n);
/* After refcnt_irq_exit(). */
void refcnt_irq_end(struct refcnt_node *n);

#endif
