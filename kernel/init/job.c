// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The job, which the machine gives in parts.  Interface: process1.h; include/guest/protocol.h
 * has their form.
 */
#include "process1.h"

/* PREF 31, 0($4); the compiler does not know the hint. */
#define ASK (0x33u << 26 | 4u << 21 | 31u << 16)
/* Machine time between two questions. */
#define ASK_AGAIN_US 100
/* An interrupt after the store can push the block's page out of the TLB: there is no answer then. */
#define TRIES 8

static struct {
	uint32_t word;
	char data[JOB_PART - JOB_PART_HEAD];
} part __attribute__((aligned(JOB_PART)));
static uint32_t at; /* of the part's bytes, those that were used */

static void ask(void)
{
	register void *to __asm__("$4") = &part;

	*(volatile uint32_t *)&part.word = 0;
	__asm__ volatile(".word %1" ::"r"(to), "i"(ASK) : "memory");
	at = 0;
}

bool job_begin(void)
{
	int tries = TRIES;

	for (ask(); part.word == JOB_NOT_YET || (!part.word && --tries); ask())
		if (part.word)
			sys_sleep_us(ASK_AGAIN_US);
	return part.word;
}

void job_read(void *to, size_t n)
{
	char *p = to;

	while (n) {
		uint32_t left = part.word ? part.word - 1 - at : 0;
		size_t some = left < n ? left : n;

		if (part.word == 1) { /* the job is over too soon */
			complain("the job is too short", "");
			stop_machine();
		}
		memcpy(p, part.data + at, some);
		at += (uint32_t)some;
		p += some;
		n -= some;
		if (n)
			ask();
	}
}

int job_file(size_t n)
{
	static const char path[] = "/.stdin";
	static char buf[65536];
	int fd, file = (int)sys_open(path, O_WRONLY | O_CREAT | O_TRUNC);

	while (n) {
		size_t some = n < sizeof(buf) ? n : sizeof(buf);

		job_read(buf, some);
		write_all(file, buf, some);
		n -= some;
	}
	sys_close(file);
	fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC);
	sys(unlinkat, AT_FDCWD, path, 0);
	return fd;
}
