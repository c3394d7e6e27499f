// SPDX-License-Identifier: GPL-2.0-or-later
/* What --follow names.  Interface: follow.h. */
#include "follow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "image.h"
#include "messages.h"
#include "profiling.h"

#define LINE  128u
#define LINES 64u /* SN_FOLLOW_LINES of the model */

static bool number(const char *s, int base, uint64_t *v)
{
    char *end;

    errno = 0;
    *v = strtoull(s, &end, base);
    return *s >= '0' && *s <= '9' && !*end && !errno;
}

/* HOTTEST[:N] */
static bool hottest(struct options *opt, const char *s)
{
    uint64_t n = 1;

    if (strncmp(s, "HOTTEST", 7) || (s[7] && s[7] != ':'))
        return false;
    if (s[7] && (!number(s + 8, 10, &n) || n < 1 || n > LINES))
        die(EXIT_USAGE, MSG_FOLLOW_HOTTEST, s, LINES);
    opt->follow_lines = xasprintf("hottest:%" PRIu64, n);
    return true;
}

/* The program's file on the host: that before a colon, or the command's.  Free it. */
static char *program_of(struct options *opt, const char *what, const char **name)
{
    const char *colon = strchr(what, ':'), *word = opt->argc ? opt->argv[0] : "";
    char *guest, *path;

    *name = colon ? colon + 1 : what;
    guest = colon ? strndup(what, (size_t)(colon - what)) : strndup(word, strcspn(word, " \t\n"));
    if (!guest)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    word = !strncmp(guest, "/share/", 7) ? guest + 7 : guest;
    if (!opt->share || *word == '/' || !*word)
        die(EXIT_USAGE, MSG_FOLLOW_PROGRAM, *name);
    path = xasprintf("%s/%s", opt->share, word);
    if (access(path, R_OK) < 0)
        die(EXIT_MACHINE, MSG_FOLLOW_FILE, path, strerror(errno));
    if (colon) {
        word = strrchr(guest, '/') ? strrchr(guest, '/') + 1 : guest;
        opt->follow_comm = xasprintf("%.15s", word);
    }
    free(guest);
    return path;
}

/* NAME or NAME+OFFSET of a program that is linked to fixed addresses */
static void variable(struct options *opt)
{
    const char *given;
    char *path = program_of(opt, opt->follow, &given), *name = strdup(given);
    char *plus = name ? strchr(name, '+') : NULL;
    struct image *m = image_open(path);
    uint64_t address, bytes = 0, offset = 0;
    struct variable v;

    if (!m)
        die(EXIT_MACHINE, MSG_FOLLOW_FILE, path,
            errno == ENOEXEC ? "no program of the guest" : strerror(errno));
    if (plus) {
        *plus = '\0';
        if (!number(plus + 1, 0, &offset))
            die(EXIT_USAGE, MSG_FOLLOW_OFFSET, given);
    }
    if (!name || !image_symbol(m, name, &address))
        die(EXIT_USAGE, MSG_FOLLOW_NAME, path, name ? name : "");
    if (!image_is_fixed(m))
        die(EXIT_USAGE, MSG_FOLLOW_PIE, path);
    if (image_variable(m, address, &v) && v.address == address)
        bytes = v.size;
    if (bytes && offset >= bytes)
        die(EXIT_USAGE, MSG_FOLLOW_BEYOND, given, bytes);
    address += offset;
    bytes = plus || !bytes ? 1 : bytes;
    if ((address + bytes - 1) / LINE - address / LINE >= LINES)
        die(EXIT_USAGE, MSG_FOLLOW_LARGE, given, (address + bytes - 1) / LINE - address / LINE + 1,
            LINES);
    opt->follow_lines = xasprintf("%" PRIx64 "-%" PRIx64, address, address + bytes - 1);
    image_close(m);
    free(name);
    free(path);
}

void follow_resolve(struct options *opt)
{
    bool physical = !strncmp(opt->follow, "phys:", 5);
    const char *s = opt->follow + (physical ? 5 : 0);
    uint64_t address;

    opt->follow_comm = profiling_comm(opt);
    if (hottest(opt, opt->follow))
        return;
    if (number(s, 0, &address))
        opt->follow_lines =
            xasprintf("%s%" PRIx64 "-%" PRIx64, physical ? "phys:" : "", address, address);
    else if (physical || (*s >= '0' && *s <= '9'))
        die(EXIT_USAGE, MSG_FOLLOW_ADDRESS, opt->follow);
    else
        variable(opt);
}
