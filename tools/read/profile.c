/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by function, line or instruction; see profile.h. */
#define _GNU_SOURCE
#include "profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SN_IMAGE
#include "image.h"

#define OBJDUMP BINUTILS "objdump"
#endif

/* Instructions that are at most this far apart are disassembled together. */
#define RUN_GAP 4096

/* Where samples are: first each sample, later all that are told by the same text. */
struct place {
    const struct collate_object *o;
    struct collate_image *image;    /* null: unknown code at address `at` */
    uint64_t at;                    /* offset in the image's file */
    uint64_t address;               /* the same as the file's headers have it */
    bool kernel;                    /* the thread was in the kernel, which it entered there */
    char *function, *source, *insn; /* null: not asked for, or not known */
    size_t n;                       /* samples */
};

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

static void free_texts(struct place *p)
{
    free(p->function);
    free(p->source);
    free(p->insn);
}

static int compare_addresses(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int d = (x->image > y->image) - (x->image < y->image);

    d = d ? d : (x->at > y->at) - (x->at < y->at);
    d = d ? d : (x->o > y->o) - (x->o < y->o);
    return d ? d : (int)x->kernel - (int)y->kernel;
}

static int compare_texts(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int d = strcmp(x->o->label, y->o->label);

    d = d ? d : (int)x->kernel - (int)y->kernel;
    d = d ? d : (x->image > y->image) - (x->image < y->image);
    d = d ? d : strcmp(or_empty(x->function), or_empty(y->function));
    d = d ? d : strcmp(or_empty(x->source), or_empty(y->source));
    return d || !x->insn ? d : (x->at > y->at) - (x->at < y->at);
}

static int compare_counts(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int d = atoi(x->o->label + 1) - atoi(y->o->label + 1);

    d = d ? d : (x->n < y->n) - (x->n > y->n);
    return d ? d : compare_texts(a, b);
}

/* Adds up neighbours that are the same; how many are left. */
static size_t add_up(struct place *p, size_t n, int (*compare)(const void *, const void *))
{
    size_t k = 0;

    qsort(p, n, sizeof(*p), compare);
    for (size_t i = 1; i < n; i++) {
        if (compare(&p[k], &p[i]) == 0) {
            p[k].n += p[i].n;
            free_texts(&p[i]);
        } else {
            p[++k] = p[i];
        }
    }
    return n ? k + 1 : 0;
}

/* --- lines and instructions --- */

#ifdef SN_IMAGE

/* Inlined functions that are told; of more, the outermost are left out. */
#define MOST_FRAMES 16

/*
 * The function of a place becomes "OUTER > INNER" with the functions that are inlined there; the
 * source is that of the innermost. Without a source line both stay unknown, as they were.
 */
static void take_frames(struct place *p, const struct frame *f, int n)
{
    const char *base = f[0].file ? strrchr(f[0].file, '/') : NULL;
    size_t length;
    FILE *chain;

    if (!f[0].file || !f[0].line) {
        return;
    }
    if (asprintf(&p->source, "%s:%d", base ? base + 1 : f[0].file, f[0].line) < 0) {
        p->source = NULL;
    }
    free(p->function);
    p->function = NULL;
    chain = open_memstream(&p->function, &length);
    for (int i = n - 1; chain && i >= 0; i--) {
        fprintf(chain, "%s%s", or_empty(f[i].function), i ? " > " : "");
    }
    if (chain) {
        fclose(chain);
    }
}

/* Source lines of n places in the file; a file that cannot be read has none. */
static void find_lines(struct place *p, size_t n, const char *path)
{
    struct image *image = image_open(path);
    struct frame f[MOST_FRAMES];

    for (size_t i = 0; image && i < n; i++) {
        int frames = image_frames(image, p[i].address, f, MOST_FRAMES);

        if (frames) {
            take_frames(&p[i], f, frames);
        }
    }
    if (image) {
        image_close(image);
    }
}

/* Appends a word to a command of the shell. */
static void put_word(FILE *f, const char *word)
{
    fputs(" '", f);
    for (; *word; word++) {
        fputs(*word == '\'' ? "'\\''" : (char[]){ *word, 0 }, f);
    }
    putc('\'', f);
}

/*
 * What the cross compiler's objdump prints about the addresses from `from` to `to`, as a string to
 * be freed; empty if it cannot read the file. Null: it cannot be run.
 */
static char *disassembly(const char *path, uint64_t from, uint64_t to)
{
    char *command = NULL, *text = NULL, buf[4096];
    size_t length;
    FILE *f = open_memstream(&command, &length), *pipe;
    int status;

    if (!f) {
        return NULL;
    }
    fprintf(f, OBJDUMP " -d --no-show-raw-insn --start-address=%#llx --stop-address=%#llx",
            (unsigned long long)from, (unsigned long long)to);
    put_word(f, path);
    fprintf(f, " 2>/dev/null");
    fclose(f);
    fflush(NULL);
    pipe = popen(command, "r");
    free(command);
    f = pipe ? open_memstream(&text, &length) : NULL;
    while (f && (length = fread(buf, 1, sizeof(buf), pipe)) > 0) {
        fwrite(buf, 1, length, f);
    }
    if (f) {
        fclose(f);
    }
    status = pipe ? pclose(pipe) : -1;
    if (status < 0 || (WIFEXITED(status) && WEXITSTATUS(status) >= 126)) {
        free(text);
        return NULL;
    }
    return text;
}

/* The instructions of places [0, n), which lie close together. False: no objdump. */
static bool find_run(struct place *p, size_t n, const char *path)
{
    char *text = disassembly(path, p[0].address, p[n - 1].address + 4), *line, *save = NULL;
    size_t i = 0;

    for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        char *end, *insn;
        uint64_t address = strtoull(line, &end, 16);

        if (end == line || *end != ':' || !(insn = strchr(end, '\t'))) {
            continue;
        }
        while (i < n && p[i].address < address) {
            i++;
        }
        insn++;
        insn[strcspn(insn, "<")] = 0; /* the symbol that is nearest to a jump's target */
        for (end = insn; (end = strchr(end, '\t'));) {
            *end = ' ';
        }
        for (; i < n && p[i].address == address; i++) {
            p[i].insn = strdup(insn);
        }
    }
    free(text);
    return text;
}

static bool find_instructions(struct place *p, size_t n, const char *path)
{
    size_t first = 0;

    for (size_t i = 1; i <= n; i++) {
        if (i == n || p[i].address - p[i - 1].address > RUN_GAP) {
            if (!find_run(p + first, i - first, path)) {
                return false;
            }
            first = i;
        }
    }
    return true;
}

/* What the detail asks for, image by image. The places are sorted by address. */
static int find_details(struct collate *c, struct place *p, size_t n, enum profile_detail detail,
                        char *why, size_t size)
{
    char path[1024];

    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && p[k].image == p[i].image; k++) {}
        if (!p[i].image || !collate_image_path(c, p[i].image, path, sizeof(path))) {
            continue;
        }
        find_lines(p + i, k - i, path);
        if (detail == PROFILE_INSTRUCTIONS && !find_instructions(p + i, k - i, path)) {
            snprintf(why, size, OBJDUMP ": cannot be run");
            return -1;
        }
    }
    return 0;
}

#else

static int find_details(struct collate *c, struct place *p, size_t n, enum profile_detail detail,
                        char *why, size_t size)
{
    (void)c;
    (void)p;
    (void)n;
    (void)detail;
    snprintf(why, size,
             "the guest cannot find source lines: run sndump on the host "
             "(build/host/sndump)");
    return -1;
}

#endif

/* --- the table --- */

static void print_place(const struct place *p, size_t all, enum profile_detail detail)
{
    const char *base = p->image ? strrchr(p->image->path, '/') : NULL;
    const char *image = !p->image ? "-" : base ? base + 1 : p->image->path;

    printf("%-4s %8zu %7.2f  %-6s %-18s", p->o->label, p->n, 100.0 * (double)p->n / (double)all,
           p->kernel ? "kernel" : "user", image);
    if (detail != PROFILE_FUNCTIONS) {
        printf(" %-24s", p->source ? p->source : "-");
    }
    if (detail == PROFILE_INSTRUCTIONS) {
        printf(" %8llx  %-32s", (unsigned long long)p->address, p->insn ? p->insn : "-");
    }
    printf(" %s\n", p->function ? p->function : "-");
}

static void print_table(const struct place *p, size_t n, enum profile_detail detail)
{
    printf("%-4s %8s %7s  %-6s %-18s", "loc", "samples", "percent", "mode", "image");
    if (detail != PROFILE_FUNCTIONS) {
        printf(" %-24s", "line");
    }
    if (detail == PROFILE_INSTRUCTIONS) {
        printf(" %8s  %-32s", "address", "instruction");
    }
    printf(" function\n");
    for (size_t i = 0; i < n; i++) {
        size_t all = 0;

        for (size_t j = 0; j < n; j++) {
            all += p[j].o == p[i].o ? p[j].n : 0;
        }
        print_place(&p[i], all, detail);
    }
}

static void free_places(struct place *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free_texts(&p[i]);
    }
    free(p);
}

int profile_print(struct collate *c, const struct profile_sample *s, size_t n,
                  enum profile_detail detail, char *why, size_t size)
{
    struct place *p = calloc(n + 1, sizeof(*p));
    char text[512];
    int err = 0;

    if (!p) {
        snprintf(why, size, "out of memory");
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        const struct collate_sample *at = &s[i].o->sample[s[i].sample];
        struct collate_code code = collate_code(c, s[i].o, s[i].sample);

        p[i] = (struct place){ .o = s[i].o, .image = code.image, .n = 1 };
        p[i].kernel = at->flags & SNT_KERNEL;
        p[i].at = code.offset;
        p[i].address = code.address;
    }
    n = add_up(p, n, compare_addresses);
    for (size_t i = 0; i < n; i++) {
        p[i].function = strdup(collate_code_name(c, p[i].image, p[i].at, text, sizeof(text)));
    }
    if (detail != PROFILE_FUNCTIONS) {
        err = find_details(c, p, n, detail, why, size);
    }
    if (!err) {
        n = add_up(p, n, compare_texts);
        qsort(p, n, sizeof(*p), compare_counts);
        collate_preamble(c, NULL, 0, stdout, "");
        print_table(p, n, detail);
    }
    free_places(p, n);
    return err;
}
