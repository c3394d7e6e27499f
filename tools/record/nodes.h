/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace file of nodes and router ports, whose counters the sampling library (libsnpc) samples. */
#ifndef RECORD_NODES_H
#define RECORD_NODES_H

#include "session.h"

struct nodes {
    struct session *session;
    struct snt_file file;
    struct sn_sampler *sampler; /* NULL: no node or port is sampled */
    bool file_failed;           /* and an error line said so */
};

/* Makes the file and starts sampling. -1: an error line is on stderr, and there is no file. */
int nodes_begin(struct nodes *n, struct session *s);

/* Takes over the samples since the last call; without a sampler it does nothing. */
void nodes_poll(struct nodes *n);
void nodes_flush(struct nodes *n);
void nodes_end(struct nodes *n);

#endif
