// SPDX-License-Identifier: GPL-2.0-or-later
/* What --follow names, and the objects of other options.  Interface: follow.h. */
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
#include "near.h"
#include "observe/lines.h"
#include "profiling.h"

#define LINE 128u

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
    if (s[7] && (!number(s + 8, 10, &n) || n < 1 || n > SN_FOLLOW_LINES))
        die(EXIT_USAGE, MSG_FOLLOW_HOTTEST, s, SN_FOLLOW_LINES);
    opt->follow_lines = xasprintf("hottest:%" PRIu64, n);
    return true;
}

/*
 * The program's file on the host: that before a colon, or the command's.  Free it.  *@comm: the
 * name of the program before a colon, else as it was.
 */
static char *program_of(const struct options *opt, const char *option, const char *what,
                        const char **name, char **comm)
{
    const char *colon = strchr(what, ':'), *word = opt->argc ? opt->argv[0] : "";
    char *guest, *path;

    *name = colon ? colon + 1 : what;
    guest = colon ? strndup(what, (size_t)(colon - what)) : strndup(word, strcspn(word, " \t\n"));
    if (!guest)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    word = !strncmp(guest, "/share/", 7) ? guest + 7 : guest;
    if (!opt->share || *word == '/' || !*word)
        die(EXIT_USAGE, MSG_FOLLOW_PROGRAM, option, *name);
    path = xasprintf("%s/%s", opt->share, word);
    if (access(path, R_OK) < 0)
        die(EXIT_MACHINE, MSG_FOLLOW_FILE, option, path, strerror(errno));
    if (colon) {
        word = strrchr(guest, '/') ? strrchr(guest, '/') + 1 : guest;
        *comm = xasprintf("%.15s", word);
    }
    free(guest);
    return path;
}

/* NAME or NAME+OFFSET of a program that is linked to fixed addresses */
static void variable(const struct options *opt, const char *option, const char *what, char **comm,
                     uint64_t *low, uint64_t *high)
{
    const char *given;
    char *path = program_of(opt, option, what, &given, comm), *name = strdup(given);
    char *plus = name ? strchr(name, '+') : NULL;
    struct image *m = image_open(path);
    uint64_t address, bytes = 0, offset = 0;
    struct variable v;

    if (!m)
        die(EXIT_MACHINE, MSG_FOLLOW_FILE, option, path,
            errno == ENOEXEC ? "no program of the guest" : strerror(errno));
    if (plus) {
        *plus = '\0';
        if (!number(plus + 1, 0, &offset))
            die(EXIT_USAGE, MSG_FOLLOW_OFFSET, option, given);
    }
    if (!name)
        die(EXIT_MACHINE, MSG_NO_MEMORY);
    if (!image_symbol(m, name, &address)) {
        struct near near = { .wanted = name };

        image_names(m, false, near_see, &near);
        die(EXIT_USAGE, MSG_FOLLOW_NAME, option, path, name, near_text(&near));
    }
    if (!image_is_fixed(m))
        die(EXIT_USAGE, MSG_FOLLOW_PIE, option, path);
    if (image_variable(m, address, &v) && v.address == address)
        bytes = v.size;
    if (bytes && offset >= bytes)
        die(EXIT_USAGE, MSG_FOLLOW_BEYOND, option, given, bytes);
    *low = address + offset;
    *high = *low + (plus || !bytes ? 1 : bytes) - 1;
    image_close(m);
    free(name);
    free(path);
}

struct image *follow_image(const struct options *opt, const char *option)
{
    const char *name;
    char *path = program_of(opt, option, "", &name, NULL);
    struct image *m = image_open(path);

    if (!m)
        die(EXIT_MACHINE, MSG_FOLLOW_FILE, option, path,
            errno == ENOEXEC ? "no program of the guest" : strerror(errno));
    if (!image_is_fixed(m))
        die(EXIT_USAGE, MSG_FOLLOW_PIE, option, path);
    free(path);
    return m;
}

/* ADDRESS, or LOW-HIGH */
static bool addresses(const char *what, uint64_t *low, uint64_t *high)
{
    char *text = strdup(what), *minus = text ? strchr(text, '-') : NULL;
    bool good;

    if (minus)
        *minus = '\0';
    good = text && number(text, 0, low) && (!minus || number(minus + 1, 0, high));
    if (good && !minus)
        *high = *low;
    free(text);
    return good && *low <= *high;
}

void follow_object(const struct options *opt, const char *option, const char *what, char **comm,
                   uint64_t *low, uint64_t *high)
{
    if (addresses(what, low, high))
        return;
    if (*what >= '0' && *what <= '9')
        die(EXIT_USAGE, MSG_FOLLOW_ADDRESS, option, what);
    variable(opt, option, what, comm, low, high);
}

void follow_resolve(struct options *opt)
{
    bool physical = !strncmp(opt->follow, "phys:", 5);
    const char *s = opt->follow + (physical ? 5 : 0);
    uint64_t low, high;

    opt->follow_comm = profiling_comm(opt);
    if (hottest(opt, opt->follow))
        return;
    if (physical && !addresses(s, &low, &high))
        die(EXIT_USAGE, MSG_FOLLOW_ADDRESS, "--follow", opt->follow);
    if (!physical)
        follow_object(opt, "--follow", s, &opt->follow_comm, &low, &high);
    if (high / LINE - low / LINE >= SN_FOLLOW_LINES)
        die(EXIT_USAGE, MSG_FOLLOW_LARGE, opt->follow, high / LINE - low / LINE + 1,
            SN_FOLLOW_LINES);
    opt->follow_lines = xasprintf("%s%" PRIx64 "-%" PRIx64, physical ? "phys:" : "", low, high);
}
