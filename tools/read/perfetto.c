// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A time line in Perfetto's format (perfetto.proto), for ui.perfetto.dev and its trace processor.  Interface: timeline.h.
 *
 * A trace is a sequence of packets, so each is written as a trace of one packet.  Tracks: the machine is a process with
 * number 0, which Perfetto keeps for idle threads, so it and the counters are tracks with names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfetto.pb-c.h>
#include "timeline.h"

#define SEQUENCE 1

/* Known tracks; the number of one is its index + 1. */
static char **track;
static size_t tracks;

static void put(TracePacket *packet)
{
    Trace trace = TRACE__INIT;
    uint8_t *bytes;
    size_t n;

    packet->has_trusted_packet_sequence_id = 1;
    packet->trusted_packet_sequence_id = SEQUENCE;
    trace.n_packet = 1;
    trace.packet = &packet;
    n = trace__get_packed_size(&trace);
    bytes = malloc(n);
    if (!bytes) {
        fprintf(stderr, "sndump: out of memory\n");
        exit(1);
    }
    trace__pack(&trace, bytes);
    fwrite(bytes, 1, n, stdout);
    free(bytes);
}

/* The number of the track `key`; *is_new: this is the first call for it. */
static uint64_t number(const char *key, int *is_new)
{
    for (size_t i = 0; i < tracks; i++) {
        if (strcmp(track[i], key) == 0) {
            *is_new = 0;
            return i + 1;
        }
    }
    track = realloc(track, (tracks + 1) * sizeof(*track));
    if (!track || !(track[tracks] = strdup(key))) {
        fprintf(stderr, "sndump: out of memory\n");
        exit(1);
    }
    *is_new = 1;
    return ++tracks;
}

static void describe(TrackDescriptor *d, uint64_t uuid)
{
    TracePacket packet = TRACE_PACKET__INIT;

    d->has_uuid = 1;
    d->uuid = uuid;
    packet.track_descriptor = d;
    put(&packet);
}

static void event(TrackEvent__Type type, uint64_t uuid, int64_t at, const char *name, double v)
{
    TracePacket packet = TRACE_PACKET__INIT;
    TrackEvent e = TRACK_EVENT__INIT;

    e.has_type = 1;
    e.type = type;
    e.has_track_uuid = 1;
    e.track_uuid = uuid;
    e.name = (char *)name;
    e.has_double_counter_value = type == TRACK_EVENT__TYPE__TYPE_COUNTER;
    e.double_counter_value = v;
    packet.has_timestamp = 1;
    packet.timestamp = (uint64_t)at;
    packet.track_event = &e;
    put(&packet);
}

static uint64_t thread_track(int pid, int tid, const char *name)
{
    char key[40];
    int is_new;
    uint64_t uuid;

    snprintf(key, sizeof(key), "thread %d %d", pid, tid);
    uuid = number(key, &is_new);
    if (is_new) {
        TrackDescriptor d = TRACK_DESCRIPTOR__INIT;
        ThreadDescriptor t = THREAD_DESCRIPTOR__INIT;

        t.has_pid = t.has_tid = 1;
        t.pid = pid;
        t.tid = tid;
        t.thread_name = (char *)name;
        d.thread = &t;
        describe(&d, uuid);
    }
    return uuid;
}

static void thread(int pid, int tid, const char *name)
{
    thread_track(pid, tid, name);
}

static void counter(const char *object, const char *metric, int pid, int64_t at, double v)
{
    char key[128];
    int is_new;
    uint64_t uuid;

    (void)pid;
    snprintf(key, sizeof(key), "%s %s", object, metric);
    uuid = number(key, &is_new);
    if (is_new) {
        TrackDescriptor d = TRACK_DESCRIPTOR__INIT;
        CounterDescriptor unit = COUNTER_DESCRIPTOR__INIT;

        d.name = key;
        d.counter = &unit;
        describe(&d, uuid);
    }
    event(TRACK_EVENT__TYPE__TYPE_COUNTER, uuid, at, NULL, v);
}

static void slice(int pid, int tid, const char *name, int64_t from, int64_t to)
{
    uint64_t uuid = thread_track(pid, tid, NULL);

    event(TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, uuid, from, name, 0);
    event(TRACK_EVENT__TYPE__TYPE_SLICE_END, uuid, to, NULL, 0);
}

static void nothing(void)
{
}

const struct timeline timeline_perfetto = { nothing, thread, counter, slice, nothing };
