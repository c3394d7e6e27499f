// SPDX-License-Identifier: GPL-2.0-or-later
/* Code and objects of a profile.  Interface: resolve.h. */
#include "resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "allocation.h"
#include "kernel_locks.h"
#include "kernel_object.h"
#include "ranges.h"
#include "source_words.h"

#define SHARE     "/share/"
#define CODE_LINE 64 /* bytes */

/* What the kernel maps into each program, and into those of the ABI n32 */
#define VDSO     "[vdso]"
#define VDSO_N32 "[vdso-n32]"

#define PER_CPU "[per-CPU "

/* A mapped file of an address space, or a section of a module of the kernel. */
struct mapped {
    const struct map *map;
    bool loaded;
    struct image *image; /* NULL: not found, or no ELF file */
    const char *name;    /* what code of it is called */
    const char *section; /* NULL: not of a module */
    uint64_t base;       /* of its addresses in memory */
};

/* A file in an address space. */
struct placed {
    const struct map *low; /* its lowest mapping */
    uint64_t base;
    bool known; /* is base? */
    bool code;  /* is one of its mappings executable? */
};

struct space {
    GPtrArray *all;       /* struct mapped */
    struct ranges *shown; /* the same: of several in the course of time the last one */
    struct ranges *code;  /* the same, of those that may be executed */
    struct ranges
        *behind; /* the same: memory without contents behind the files; NULL: nobody asked */
    struct ranges *blocks; /* of the heap, the smallest one; NULL: nobody asked */
    GHashTable *parts;     /* path -> struct placed */
};

struct resolver {
    const struct profile *p;
    GHashTable *files;     /* guest path -> path on the host, from the list of the initramfs */
    GHashTable *images;    /* guest path -> struct image or NULL */
    GHashTable *opened;    /* the same by device and inode of the host: a file has many paths */
    GHashTable *spaces;    /* mm -> struct space */
    GHashTable *code_of;   /* address space and address -> number + 1 */
    GHashTable *object_of; /* keys as text -> number + 1 */
    GHashTable
        *variable_of;      /* mapping, address and name of a variable -> number of its object + 1 */
    GHashTable *member_of; /* use of the kernel's memory and offset -> number of its object + 1 */
    GPtrArray *codes, *objects;
    GPtrArray *places;  /* of codes, interned; NULL: nobody asked */
    GHashTable *differ; /* names of modules whose files are not what the guest loaded */
    bool sorted;        /* are the blocks of all spaces? */
    bool in_block;      /* who asked for a block of code is being looked up */
    char **libraries;   /* directories, NULL-ended */
    char **locks;       /* how functions begin that take the kernel's locks, NULL-ended */
    char **wrappers;    /* functions, NULL-ended */
    GHashTable *words;  /* path on the host -> struct words or NULL */
    GHashTable *hosts;  /* struct image -> path on the host */
    GHashTable *askers; /* call and path -> struct allocation */
    GHashTable *object_of_block;
    GHashTable *interrupts; /* call path -> 1: of a thread, 2: of an interrupt */
    GHashTable *outer;      /* code -> resolve_outer() + 1 */
    GHashTable *uses;       /* of the kernel's memory, for kernel_use() */
};

/* --- files -------------------------------------------------------------------------- */

/* The lines "file GUEST HOST MODE UID GID" of the list of the initramfs. */
static void read_list(struct resolver *r, const char *path)
{
    char *text, **line;

    if (!path)
        return;
    text = plain_text(path, 0, TEXT_MOST);
    if (!text) {
        if (errno != ENOENT)
            fprintf(stderr, "origin: %s: %s\n", path, plain_why(errno));
        return;
    }
    line = g_strsplit(text, "\n", -1);
    for (int i = 0; line[i]; i++) {
        char **word = g_strsplit(line[i], " ", 4);

        if (g_strv_length(word) == 4 && !strcmp(word[0], "file"))
            g_hash_table_insert(r->files, g_strdup(word[1]), g_strdup(word[2]));
        g_strfreev(word);
    }
    g_strfreev(line);
    g_free(text);
}

static char *if_there(char *path)
{
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return path;
    g_free(path);
    return NULL;
}

/* A module is the build's, or one that somebody loads from the share.  The guest chose its name. */
static char *module_path(const struct resolver *r, const char *module)
{
    const char *share = profile_run(r->p, "share"), *modules = profile_run(r->p, "modules");
    char *path = NULL;

    if (strchr(module, '/'))
        return NULL;
    if (modules)
        path = if_there(g_strdup_printf("%s/debug/%s.ko", modules, module));
    return path || !share ? path : if_there(g_strdup_printf("%s/%s.ko", share, module));
}

/* The kernel's build leaves the code that it maps into programs beside it, with its symbols. */
static char *vdso_path(const struct resolver *r, const char *file)
{
    const char *kernel = profile_run(r->p, "kernel");
    g_autofree char *dir = kernel ? g_path_get_dirname(kernel) : NULL;

    return dir ? if_there(g_strdup_printf("%s/arch/mips/vdso/%s", dir, file)) : NULL;
}

/* Where the host has the guest's file @path; NULL: nowhere. */
static char *host_path(const struct resolver *r, const char *path)
{
    const char *share = profile_run(r->p, "share");
    char name[64];

    if (!strcmp(path, "[kernel]"))
        return g_strdup(profile_run(r->p, "kernel"));
    if (!strcmp(path, VDSO))
        return vdso_path(r, "vdso.so.dbg.raw");
    if (!strcmp(path, VDSO_N32))
        return vdso_path(r, "vdso-n32.so.dbg.raw");
    if (sscanf(path, "[module %63[^]]]", name) == 1)
        return module_path(r, name);
    if (strstr(path, "/../"))
        return NULL; /* a guest's own paths have none */
    if (share && g_str_has_prefix(path, SHARE))
        return g_build_filename(share, path + strlen(SHARE), NULL);
    return g_strdup(g_hash_table_lookup(r->files, path));
}

/* @ours: nobody needs to be told what it lacks. */
static struct image *open_file(struct resolver *r, const char *host, bool ours)
{
    g_autofree char *key = NULL;
    struct image *image;
    struct stat st;
    gpointer known;

    if (stat(host, &st) == 0)
        key = g_strdup_printf("%" PRIx64 "/%" PRIx64, (uint64_t)st.st_dev, (uint64_t)st.st_ino);
    if (key && g_hash_table_lookup_extended(r->opened, key, NULL, &known))
        return known;
    image = image_open(host);
    if (!image)
        fprintf(stderr, "origin: %s: %s\n", host,
                errno == ENOEXEC ? "not an ELF file" : g_strerror(errno));
    else if (image_lacks(image) && !ours)
        fprintf(stderr, "origin: %s: %s\n", host, image_lacks(image));
    if (image)
        g_hash_table_insert(r->hosts, image, g_strdup(host));
    if (key)
        g_hash_table_insert(r->opened, g_steal_pointer(&key), image);
    return image;
}

static struct image *open_image(struct resolver *r, const char *path)
{
    g_autofree char *host = NULL;
    struct image *image = NULL;
    gpointer known;

    if (g_hash_table_lookup_extended(r->images, path, NULL, &known))
        return known;
    host = host_path(r, path);
    if (host)
        image = open_file(r, host, g_hash_table_contains(r->files, path));
    else
        fprintf(stderr, "origin: %s: not on this host; its code and data have no names\n", path);
    g_hash_table_insert(r->images, g_strdup(path), image);
    return image;
}

/* --- address spaces ------------------------------------------------------------------- */

static struct space *space_of(const struct resolver *r, uint64_t mm)
{
    return g_hash_table_lookup(r->spaces, GSIZE_TO_POINTER(mm));
}

static struct space *new_space(struct resolver *r, uint64_t mm)
{
    struct space *s = g_new0(struct space, 1);

    s->all = g_ptr_array_new();
    s->shown = ranges_new();
    s->code = ranges_new();
    s->parts = g_hash_table_new(text_hash, g_str_equal);
    g_hash_table_insert(r->spaces, GSIZE_TO_POINTER(mm), s);
    return s;
}

static void add_map(struct resolver *r, const struct map *map)
{
    struct space *s = space_of(r, map->mm);
    struct mapped *m = g_new0(struct mapped, 1);
    char module[64], section[64];
    struct placed *part;

    m->map = map;
    m->name = map->path;
    if (sscanf(map->path, "[module %63[^] ] %63[^]]]", module, section) == 2) {
        m->name = g_strdup_printf("[module %s]", module);
        m->section = g_strdup(section);
    }
    s = s ? s : new_space(r, map->mm);
    g_ptr_array_add(s->all, m);
    ranges_add(s->shown, map->start, map->end, map->last, m);
    if (map->executable)
        ranges_add(s->code, map->start, map->end, map->last, m);
    part = g_hash_table_lookup(s->parts, map->path);
    if (!part) {
        part = g_new0(struct placed, 1);
        part->low = map;
        g_hash_table_insert(s->parts, map->path, part);
    }
    if (map->start < part->low->start)
        part->low = map;
    part->code |= map->executable;
}

/* A file that is mapped without code is data, whatever it has in it. */
static bool has_code(const struct resolver *r, const struct mapped *m)
{
    const struct placed *part = g_hash_table_lookup(space_of(r, m->map->mm)->parts, m->map->path);

    return part->code;
}

/*
 * Where the file of @m begins in memory.  A page of the file may be mapped twice, as the
 * end of the code and the start of the data, so the lowest mapping decides.
 */
static uint64_t base_of(struct resolver *r, const struct mapped *m)
{
    struct placed *part = g_hash_table_lookup(space_of(r, m->map->mm)->parts, m->map->path);
    uint64_t at;

    if (!part->known && !image_is_fixed(m->image))
        part->base = part->low->start - (image_address(m->image, part->low->offset, &at) ? at : 0);
    part->known = true;
    return part->base;
}

/* Where the section of a module begins in memory.  False: the file is not what the guest loaded. */
static bool place_section(struct resolver *r, struct mapped *m)
{
    uint64_t at, size;

    if (image_section(m->image, m->section, &at, &size) && size <= m->map->end - m->map->start) {
        m->base = m->map->start - at;
        return true;
    }
    if (g_hash_table_add(r->differ, (gpointer)m->name))
        fprintf(stderr, "origin: %s: its file on this host is another one; it has no names\n",
                m->name);
    return false;
}

/* Images are opened when an address of theirs is wanted. */
static void load(struct resolver *r, struct mapped *m)
{
    if (m->loaded)
        return;
    m->loaded = true;
    m->base = m->map->start;
    if (g_str_has_prefix(m->name, PER_CPU)) {
        /* Each processor's copy of the same variables */
        m->name = "[kernel]";
        m->image = open_image(r, m->name);
        m->base = m->map->start - m->map->offset;
        return;
    }
    if (!strcmp(m->name, VDSO))
        m->image = open_image(r, m->map->start >> 32 ? VDSO : VDSO_N32);
    else if ((*m->name == '/' && has_code(r, m)) || !strcmp(m->name, "[kernel]") || m->section)
        m->image = open_image(r, m->name);
    if (m->image && !m->section)
        m->base = base_of(r, m);
    else if (m->image && !place_section(r, m))
        m->image = NULL;
}

/* The mapping of @address; of several in the course of time the last one. */
static struct mapped *find_map(struct resolver *r, uint64_t mm, uint64_t address)
{
    struct space *s = space_of(r, mm);
    struct mapped *m = s ? ranges_at(s->shown, address) : NULL;

    if (m)
        load(r, m);
    return m;
}

/*
 * The mapping of @pc, which was executed.  A module's data may lie where another module's code for
 * initialisation was, which has been freed.
 */
static struct mapped *find_code(struct resolver *r, uint64_t mm, uint64_t pc)
{
    struct space *s = space_of(r, mm);
    struct mapped *m = s ? ranges_at(s->code, pc) : NULL;

    if (!m)
        return find_map(r, mm, pc);
    load(r, m);
    return m;
}

/* The file behind whose mappings @address is, in memory without contents (.bss); NULL: none. */
static struct mapped *find_behind(struct resolver *r, uint64_t mm, uint64_t address)
{
    struct space *s = space_of(r, mm);

    if (!s)
        return NULL;
    if (!s->behind) {
        s->behind = ranges_new();
        for (guint i = 0; i < s->all->len; i++) {
            struct mapped *m = s->all->pdata[i];

            load(r, m);
            if (m->image && !m->section) /* the first one counts */
                ranges_add(s->behind, m->map->end, m->base + image_end(m->image), s->all->len - i,
                           m);
        }
    }
    return ranges_at(s->behind, address);
}

static uint64_t space_number(const struct thread *who, uint64_t address)
{
    return is_kernel(address) ? 0 : who ? who->mm : UNKNOWN;
}

/* --- code ------------------------------------------------------------------------------ */

static int intern(GHashTable *known, GPtrArray *all, gpointer key, gpointer thing)
{
    g_ptr_array_add(all, thing);
    g_hash_table_insert(known, key, GINT_TO_POINTER((int)all->len));
    return (int)all->len - 1;
}

/* Each exception has its vector (R10000 User's Manual, chapter 17). */
static const char *vector_name(uint64_t offset)
{
    return offset < 0x100 ? "[TLB refill]" : offset < 0x180 ? "[cache error]" : "[exception]";
}

/* Blocks of the heap by address space, the smallest one last. */
static void sort_blocks(struct resolver *r)
{
    for (guint i = r->p->blocks->len; i-- > 0;) { /* of the same size the first one */
        struct block *b = AT(r->p->blocks, struct block, i);
        struct space *s = space_of(r, b->mm);

        if (!s)
            continue;
        s->blocks = s->blocks ? s->blocks : ranges_new();
        ranges_add(s->blocks, b->address, b->address + MIN(b->bytes, UINT64_MAX - b->address),
                   UINT64_MAX - b->bytes, b);
    }
    r->sorted = true;
}

/* The smallest block of the heap that code is in, NULL: none. */
static const struct block *block_of(struct resolver *r, const struct mapped *m, uint64_t pc)
{
    if (!r->sorted)
        sort_blocks(r);
    return ranges_at(space_of(r, m->map->mm)->blocks, pc);
}

static char *block_name(struct resolver *r, const struct thread *who, const struct block *b,
                        char **where);

/*
 * Code that the program made, in memory of no file.  It is told apart by who asked for the
 * memory, unless that is such code itself.
 */
static void name_made_code(struct resolver *r, const struct thread *who, struct mapped *m,
                           uint64_t pc, struct code *c)
{
    const struct block *b = r->in_block ? NULL : block_of(r, m, pc);

    c->function = "[generated code]";
    if (b) {
        g_autofree char *where = NULL, *name = NULL;

        r->in_block = true;
        name = block_name(r, who, b, &where);
        r->in_block = false;
        c->image = g_strdup_printf("%s%s%s", name, *where ? ", " : "", where);
    } else if (*m->name != '[')
        c->image = "[anonymous]";
}

/* Code that no symbol names. */
static void name_code(struct resolver *r, const struct thread *who, struct mapped *m, uint64_t pc,
                      struct code *c)
{
    uint64_t at = m ? pc - m->base : pc;

    if (pc == UNKNOWN) {
        c->function = "[not known]";
        c->image = "?";
    } else if (m && !strcmp(m->name, "[vectors]"))
        c->function = vector_name(at);
    else if (m && !strcmp(m->name, "[prom]"))
        c->function = "[boot PROM]";
    else if (m && m->map->mm && !m->image && *m->name != '/' && strcmp(m->name, VDSO))
        name_made_code(r, who, m, pc, c);
    else if (m && m->image && m->map->mm)
        c->function = "[no symbol]"; /* where its functions begin is not known either */
    else
        c->function = g_strdup_printf("0x%" PRIx64, at);
}

static bool is_library(const struct resolver *r, const char *file)
{
    for (int i = 0; file && r->libraries[i]; i++) {
        size_t n = strlen(r->libraries[i]);

        if (n && !strncmp(file, r->libraries[i], n) && (file[n] == '/' || file[n - 1] == '/'))
            return true;
    }
    return false;
}

/* The innermost frame of the program's own files; 0 if none is. */
static int own_frame(const struct resolver *r, const struct code *c)
{
    for (int i = 0; i < c->frames; i++)
        if (c->frame[i].file && !is_library(r, c->frame[i].file))
            return i;
    return 0;
}

static struct code *new_code(struct resolver *r, const struct thread *who, struct mapped *m,
                             uint64_t pc)
{
    struct code *c = g_new0(struct code, 1);
    uint64_t at = m ? pc - m->base : pc;

    c->image = m ? m->name : is_kernel(pc) ? "[kernel]" : "?";
    if (m && m->image) {
        /* A fetch is known by the line's first byte, its function by the first one that begins there. */
        if (pc % CODE_LINE == 0)
            at = image_code(m->image, at, CODE_LINE);
        /* The kernel has so much code that its inlined functions would take the report's time. */
        c->frames = m->map->mm ? image_frames(m->image, at, c->frame, FRAMES)
                               : image_line(m->image, at, &c->frame[0]);
        c->function = image_function(m->image, at, NULL);
        c->of = m->image;
        c->at = at;
        if (c->frames) {
            c->own = own_frame(r, c);
            c->file = c->frame[c->own].file;
            c->line = c->frame[c->own].line;
            if (!c->function)
                c->function = c->frame[c->frames - 1].function;
        }
    }
    if (!c->function)
        name_code(r, who, m, pc, c);
    if (!c->frames)
        c->frame[c->frames++] = (struct frame){ .function = c->function };
    return c;
}

int resolve_code(struct resolver *r, const struct thread *who, uint64_t pc)
{
    uint64_t mm = pc == UNKNOWN ? 0 : space_number(who, pc);
    const struct numbers key = { { mm, pc } };
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->code_of, &key));

    if (known)
        return known - 1;
    return intern(r->code_of, r->codes, g_memdup2(&key, sizeof(key)),
                  new_code(r, who, find_code(r, mm, pc), pc));
}

const char *resolve_code_place(struct resolver *r, int code)
{
    g_autofree char *place = NULL;

    if ((int)r->places->len <= code)
        g_ptr_array_set_size(r->places, code + 1);
    if (!r->places->pdata[code]) {
        place = code_place(code_at(r, code));
        r->places->pdata[code] = (gpointer)g_intern_string(place);
    }
    return r->places->pdata[code];
}

const struct code *code_at(const struct resolver *r, int code)
{
    return r->codes->pdata[code];
}

#define CALLS 256 /* of a path, that are looked at */

/* Is the kernel's outermost call on @path the one that handles an interrupt? */
static bool is_interrupt(struct resolver *r, uint64_t path)
{
    uint64_t pc = 0;

    for (int i = 0; path && i < CALLS; i++) {
        const struct call *c = g_hash_table_lookup(r->p->call_by_path, GSIZE_TO_POINTER(path));

        if (!c || !is_kernel(c->pc))
            break;
        pc = c->pc;
        path = c->parent;
    }
    return pc &&
           g_str_has_suffix(code_at(r, resolve_code(r, NULL, pc - 8))->function, "handle_int");
}

const char *resolve_mode(struct resolver *r, const struct miss *m)
{
    gpointer path = GSIZE_TO_POINTER(m->path);
    int known;

    if (m->mode != STATES)
        return state_name[m->mode];
    if (m->pc == UNKNOWN)
        return "-";
    if (!is_kernel(m->pc))
        return "user";
    known = GPOINTER_TO_INT(g_hash_table_lookup(r->interrupts, path));
    if (!known) {
        known = is_interrupt(r, m->path) ? 2 : 1;
        g_hash_table_insert(r->interrupts, path, GINT_TO_POINTER(known));
    }
    return known == 2 ? "interrupt" : "kernel";
}

/* Is it a function of the kernel that takes or gives back a lock? */
static bool is_of_lock(const struct resolver *r, const char *function)
{
    for (int i = 0; r->locks[i]; i++)
        if (kernel_lock_begins(function, r->locks[i]))
            return true;
    return false;
}

bool resolve_is_queue(const struct object *o)
{
    static const char *const queues[] = { KERNEL_LOCK_QUEUES };

    for (size_t i = 0; i < G_N_ELEMENTS(queues); i++)
        if (o->kernel && o->kind == OBJECT_STATIC && !strcmp(o->name, queues[i]))
            return true;
    return false;
}

bool resolve_is_lock(const struct resolver *r, int code)
{
    const struct code *c = code_at(r, code);

    return !strcmp(c->image, "[kernel]") && is_of_lock(r, c->function);
}

/*
 * The kernel's function that is called at @pc, if it is another one than @callee: then it has jumped there at its end,
 * and the path lacks it.  -1: it is not, or not known.
 */
static int jumped(struct resolver *r, uint64_t pc, const char *callee)
{
    const struct mapped *m = find_code(r, 0, pc);
    const unsigned char *b =
        m && m->image && !m->section ? image_bytes(m->image, pc - m->base, 4) : NULL;
    uint32_t insn =
        b ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : 0;
    int code;

    if (insn >> 26 != 3) /* JAL */
        return -1;
    code = resolve_code(r, NULL, (pc & ~UINT64_C(0xfffffff)) | (insn & 0x3ffffff) << 2);
    return strcmp(code_at(r, code)->function, callee) ? code : -1;
}

int resolve_taker(struct resolver *r, const struct miss *m, const char **lock)
{
    const char *function = code_at(r, m->code)->function, *callee = function;
    uint64_t path = m->path;

    *lock = NULL;
    if (!is_kernel(m->pc) || !is_of_lock(r, function))
        return m->code;
    for (int i = 0; path && i < CALLS; i++) {
        const struct call *c = g_hash_table_lookup(r->p->call_by_path, GSIZE_TO_POINTER(path));
        int code;

        if (!c || !is_kernel(c->pc))
            break;
        /* The call is two instructions before where it returns to. */
        code = jumped(r, c->pc - 8, callee);
        if (code < 0 || is_of_lock(r, code_at(r, code)->function))
            code = resolve_code(r, NULL, c->pc - 8);
        callee = code_at(r, code)->function;
        if (!is_of_lock(r, callee)) {
            *lock = function;
            return code;
        }
        path = c->parent;
    }
    return m->code;
}

static bool is_header(const char *file)
{
    return g_str_has_suffix(file, ".h");
}

int resolve_outer(struct resolver *r, int code)
{
    const struct code *c = code_at(r, code);
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->outer, GINT_TO_POINTER(code + 1)));
    struct code *more;

    if (known)
        return known - 1;
    known = code + 1;
    if (c->of && c->file && !strcmp(c->image, "[kernel]") && is_header(c->file)) {
        more = g_memdup2(c, sizeof(*c));
        more->frames = image_frames(c->of, c->at, more->frame, FRAMES);
        for (more->own = 0; more->own < more->frames; more->own++)
            if (more->frame[more->own].file && !is_header(more->frame[more->own].file))
                break;
        if (more->own < more->frames) {
            more->file = more->frame[more->own].file;
            more->line = more->frame[more->own].line;
            g_ptr_array_add(r->codes, more);
            known = (int)r->codes->len;
        } else
            g_free(more);
    }
    g_hash_table_insert(r->outer, GINT_TO_POINTER(code + 1), GINT_TO_POINTER(known));
    return known - 1;
}

bool resolve_own(const struct resolver *r, int code)
{
    const struct code *c = code_at(r, code);

    return c->file && !is_library(r, c->file);
}

/* --- objects ---------------------------------------------------------------------------- */

static char *decl_place(const struct variable *v)
{
    g_autofree char *file = v->file ? g_path_get_basename(v->file) : NULL;

    return file ? g_strdup_printf("%s:%d", file, v->line) : g_strdup("");
}

static struct object *new_object(enum object_kind kind, char *name, uint64_t bytes)
{
    struct object *o = g_new0(struct object, 1);

    o->kind = kind;
    o->name = name;
    o->bytes = bytes;
    o->type = g_strdup("");
    o->where = g_strdup("");
    return o;
}

/* A static variable: of the file that is mapped there, or whose memory without contents (.bss) is. */
static bool find_static(struct resolver *r, uint64_t mm, uint64_t address, struct mapped **in,
                        struct variable *v)
{
    struct mapped *m = find_map(r, mm, address);

    if (m && m->section && m->map->executable)
        return false; /* code that was freed; the address is another's now */
    if (m && m->image) {
        *in = m;
        return image_variable(m->image, address - m->base, v);
    }
    if (is_kernel(address) || (m && m->name && *m->name && strcmp(m->name, "[heap]")))
        return false;
    m = find_behind(r, mm, address);
    if (!m)
        return false;
    *in = m;
    return image_variable(m->image, address - m->base, v);
}

/* Is @b a stack that the C library made for a thread? */
static bool is_stack(struct resolver *r, const struct thread *who, const struct block *b)
{
    const struct code *site = code_at(r, resolve_code(r, who, b->pc));
    int code = -1;
    const struct call *c;

    if (strcmp(b->how, "mmap"))
        return false;
    if (strstr(site->function, "pthread_create"))
        return true;
    c = g_hash_table_lookup(r->p->call_by_path, GSIZE_TO_POINTER(b->path));
    if (c)
        code = resolve_code(r, who, c->pc);
    return code >= 0 && strstr(code_at(r, code)->function, "pthread_create");
}

/* --- what allocation.h asks --------------------------------------------------------------- */

static const struct code *ask_code(void *r, const struct thread *who, uint64_t pc)
{
    return code_at(r, resolve_code(r, who, pc));
}

static bool ask_library(void *r, const char *file)
{
    return is_library(r, file);
}

/* The words of a program's source, unless that is newer than the program. */
static const struct words *ask_words(void *resolver, const struct image *program, const char *file)
{
    struct resolver *r = resolver;
    const char *host = g_hash_table_lookup(r->hosts, program);
    g_autofree char *path = resolve_source(r, file);
    struct words *w;
    struct stat source, made;
    gpointer known;

    if (!path || !host || stat(path, &source) || stat(host, &made) ||
        source.st_mtime > made.st_mtime)
        return NULL;
    if (g_hash_table_lookup_extended(r->words, path, NULL, &known))
        return known;
    w = words_read(path);
    g_hash_table_insert(r->words, g_steal_pointer(&path), w);
    return w;
}

/* Who asked for a block; what many blocks have in common is looked up once. */
static const struct allocation *asker(struct resolver *r, const struct thread *who,
                                      const struct block *b, bool *first)
{
    g_autofree char *key =
        g_strdup_printf("%" PRIx64 "/%" PRIx64 "/%" PRIx64, b->mm, b->pc, b->path);
    struct allocation *a = g_hash_table_lookup(r->askers, key);

    *first = !a;
    if (!a) {
        a = g_new0(struct allocation, 1);
        allocation_find(
            &(struct asked){ r, ask_code, ask_library, ask_words, r->p->call_by_path, r->wrappers },
            who, b, a);
        g_hash_table_insert(r->askers, g_steal_pointer(&key), a);
    }
    return a;
}

/* The file that a block of mmap() is a mapping of; NULL: it is none. */
static const char *file_of(struct resolver *r, const struct block *b)
{
    const struct mapped *in = !strcmp(b->how, "mmap") ? find_map(r, b->mm, b->address) : NULL;

    return in && *in->name == '/' ? in->name : NULL;
}

/* What a block is called, and in @where the place that asked for it.  Free both. */
static char *block_name(struct resolver *r, const struct thread *who, const struct block *b,
                        char **where)
{
    const struct allocation *a;
    const char *file;
    g_autofree char *function = NULL;
    bool first;

    if (is_stack(r, who, b)) {
        *where = g_strdup("");
        return g_strdup("stack of a thread");
    }
    a = asker(r, who, b, &first);
    *where = frame_place(a->code, a->frame);
    function = name_short(frame_function(a->code, a->frame));
    file = file_of(r, b);
    if (file)
        return g_strdup_printf("%s() of %s in %s", b->how, file, function);
    if (a->library)
        return g_strdup_printf("block of %s() by %s in %s", b->how, a->library, function);
    return g_strdup_printf("block of %s() in %s", b->how, function);
}

static int new_stack(struct resolver *r, const struct block *b)
{
    g_autofree char *key = g_strdup_printf("stack/%" PRIu64 "/%" PRIx64, b->mm, b->address);
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->object_of, key));

    return known ? known - 1
                 : intern(r->object_of, r->objects, g_steal_pointer(&key),
                          new_object(OBJECT_STACK, g_strdup("stack of a thread"), b->bytes));
}

/* Blocks that one place asked for, of one type, are one object. */
static int new_block(struct resolver *r, const struct thread *who, const struct block *b)
{
    bool first;
    const struct allocation *a = asker(r, who, b, &first);
    g_autofree char *where = NULL, *name = block_name(r, who, b, &where), *key = NULL;
    char type[128] = "";
    struct object *o;
    int known;

    if (a->type)
        image_type_name(a->image, a->type, type, sizeof(type));
    key = g_strdup_printf("heap/%s/%s/%s", name, where, type);
    known = GPOINTER_TO_INT(g_hash_table_lookup(r->object_of, key));
    if (known) {
        o = r->objects->pdata[known - 1];
        o->paths += first;
        return known - 1;
    }
    o = new_object(OBJECT_HEAP, g_steal_pointer(&name), b->bytes);
    g_free(o->where);
    o->where = g_steal_pointer(&where);
    o->image = a->image;
    o->element = a->type;
    o->path = a->path;
    o->paths = 1;
    g_free(o->type);
    o->type = g_strdup(type);
    return intern(r->object_of, r->objects, g_steal_pointer(&key), o);
}

static int heap_object(struct resolver *r, const struct miss *m, const struct block *b)
{
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->object_of_block, b));

    if (!known) {
        known = 1 + (is_stack(r, m->who, b) ? new_stack(r, b) : new_block(r, m->who, b));
        g_hash_table_insert(r->object_of_block, (gpointer)b, GINT_TO_POINTER(known));
    }
    return known - 1;
}

static int new_static(struct resolver *r, struct mapped *in, const struct variable *v)
{
    char *key = g_strdup_printf("static/%s/%" PRIx64 "/%s", in->name, v->address, v->name);
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->object_of, key));
    char type[128];
    struct object *o;

    if (known) {
        g_free(key);
        return known - 1;
    }
    o = new_object(OBJECT_STATIC, g_strdup(v->name), v->size);
    image_type(in->image, v, type, sizeof(type));
    o->type = g_strdup(type);
    o->where = decl_place(v);
    o->image = in->image;
    o->element = image_element_type(in->image, image_variable_type(in->image, v));
    o->kernel = in->map->mm == 0;
    return intern(r->object_of, r->objects, key, o);
}

static int remember(GHashTable *known, const struct numbers *key, int object)
{
    g_hash_table_insert(known, g_memdup2(key, sizeof(*key)), GINT_TO_POINTER(object + 1));
    return object;
}

static int static_object(struct resolver *r, struct mapped *in, const struct variable *v)
{
    const struct numbers key = { { (uintptr_t)in, v->address, (uintptr_t)v->name } };
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->variable_of, &key));

    return known ? known - 1 : remember(r->variable_of, &key, new_static(r, in, v));
}

/* NULL: @m is not in a block of the kernel's. */
static const struct kernel_use *use_of(struct resolver *r, const struct miss *m)
{
    if (!m->block || !is_kernel(m->address))
        return NULL;
    return kernel_use(r->uses, open_image(r, "[kernel]"), m->block->how);
}

/* Where in a structure of the kernel a miss was. */
static bool kernel_leaf(struct resolver *r, const struct kernel_use *u, const struct miss *m,
                        struct leaf *leaf, uint64_t *begin)
{
    uint64_t offset;

    if (!u || !u->type || !u->stride || m->bytes != 1)
        return false;
    offset = (m->address - m->block->address) % u->stride;
    *begin = m->address - offset;
    return image_leaf(open_image(r, "[kernel]"), u->type, offset, leaf) && leaf->size;
}

/* A member of a structure of the kernel is an object, for it is what the kernel's developers speak of. */
static int new_member(struct resolver *r, const struct kernel_use *u, const struct miss *m)
{
    struct leaf leaf;
    uint64_t begin;
    g_autofree char *member =
        kernel_leaf(r, u, m, &leaf, &begin) ? kernel_member(leaf.name) : g_strdup("");
    char *name = g_strconcat(u->name, member, NULL), *key = g_strconcat("kernel/", name, NULL);
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->object_of, key));
    struct object *o;

    if (known) {
        g_free(name);
        g_free(key);
        return known - 1;
    }
    o = new_object(OBJECT_KERNEL, name, u->stride);
    g_free(o->where);
    o->where = g_strdup(u->where);
    o->kernel = true;
    o->image = u->type ? open_image(r, "[kernel]") : NULL;
    o->element = u->type;
    return intern(r->object_of, r->objects, key, o);
}

static int kernel_object(struct resolver *r, const struct kernel_use *u, const struct miss *m)
{
    uint64_t offset =
        u->stride && m->bytes == 1 ? (m->address - m->block->address) % u->stride : UNKNOWN;
    const struct numbers key = { { (uintptr_t)u, offset } };
    int known = GPOINTER_TO_INT(g_hash_table_lookup(r->member_of, &key));

    return known ? known - 1 : remember(r->member_of, &key, new_member(r, u, m));
}

/* What has no name of its own is called after its mapping. */
static int plain_object(struct resolver *r, const struct miss *m)
{
    struct mapped *in = find_map(r, space_number(m->who, m->address), m->address);
    bool data = in && *in->name && !(in->section && in->map->executable);
    enum object_kind kind = OBJECT_OTHER;
    struct object *o;
    char *name;
    int known;

    if (m->bytes == 0 || m->address == UNKNOWN)
        name = g_strdup("addresses that were merged");
    else if (is_word(m->kind, "fetch")) {
        kind = OBJECT_CODE;
        name = g_strdup_printf("code of %s", code_at(r, m->code)->image);
    } else if (in && m->who && !strcmp(in->name, "[stack]")) {
        kind = OBJECT_STACK;
        name = g_strdup_printf("stack of %s:%" PRIu64, m->who->comm, m->who->pid);
    } else if (data) {
        name = g_strdup_printf("data of %s", in->name);
    } else if (is_kernel(m->address)) {
        kind = OBJECT_KERNEL;
        name = g_strdup("memory of the kernel");
    } else
        name = g_strdup("memory without a name");
    known = GPOINTER_TO_INT(g_hash_table_lookup(r->object_of, name));
    if (known) {
        g_free(name);
        return known - 1;
    }
    o = new_object(kind, name, 0);
    o->kernel = is_kernel(m->address);
    return intern(r->object_of, r->objects, g_strdup(name), o);
}

static int find_object(struct resolver *r, const struct miss *m)
{
    uint64_t mm = space_number(m->who, m->address);
    const struct kernel_use *use;
    struct mapped *in;
    struct variable v;

    if (m->bytes == 0 || m->address == UNKNOWN || is_word(m->kind, "fetch"))
        return plain_object(r, m);
    use = use_of(r, m);
    if (use)
        return kernel_object(r, use, m);
    if (m->block)
        return heap_object(r, m, m->block);
    if (find_static(r, mm, m->address, &in, &v))
        return static_object(r, in, &v);
    return plain_object(r, m);
}

const struct object *object_at(const struct resolver *r, int object)
{
    return r->objects->pdata[object];
}

int object_count(const struct resolver *r)
{
    return (int)r->objects->len;
}

char *object_text(const struct object *o)
{
    const char *comma = *o->type && *o->where ? ", " : "";

    if (!*o->type && !*o->where)
        return g_strdup(o->name);
    return g_strdup_printf("%s (%s%s%s)", o->name, o->type, comma, o->where);
}

bool resolve_member(struct resolver *r, const struct miss *m, struct leaf *leaf, uint64_t *begin)
{
    const struct object *o = object_at(r, m->object);
    uint64_t size = o->element ? image_type_size(o->image, o->element) : 0, start, offset;
    struct mapped *in;
    struct variable v;

    if (o->kind == OBJECT_KERNEL)
        return kernel_leaf(r, use_of(r, m), m, leaf, begin);
    if (!size || m->bytes != 1 || !image_type_is_structure(o->image, o->element))
        return false;
    if (o->kind == OBJECT_HEAP && m->block && m->block->bytes >= size)
        start = m->block->address;
    else if (o->kind == OBJECT_STATIC &&
             find_static(r, space_number(m->who, m->address), m->address, &in, &v))
        start = in->base + v.address;
    else
        return false;
    offset = m->address - start;
    *begin = start;
    if (image_leaf(o->image, o->element, offset, leaf) && !leaf->size)
        return true; /* an array behind one structure */
    *begin = start + offset / size * size;
    return image_leaf(o->image, o->element, offset % size, leaf);
}

char *resolve_place(struct resolver *r, const struct miss *m)
{
    const struct object *o = object_at(r, m->object);
    uint64_t mm = space_number(m->who, m->address);
    struct mapped *in;
    struct variable v;
    struct leaf leaf;
    uint64_t begin;
    char text[256];

    if (o->kind == OBJECT_STATIC && find_static(r, mm, m->address, &in, &v)) {
        image_member(in->image, &v, m->address - in->base - v.address, text, sizeof(text));
        return g_strdup_printf("%s%s", o->name, text);
    }
    if (o->kind == OBJECT_KERNEL && resolve_member(r, m, &leaf, &begin))
        return g_strdup_printf("%s%s", use_of(r, m)->name, leaf.name);
    if (o->kind == OBJECT_HEAP && m->block && resolve_member(r, m, &leaf, &begin))
        return g_strdup_printf("%s%s", o->type, leaf.name);
    if (o->kind == OBJECT_HEAP && m->block)
        return g_strdup_printf("%s+%" PRIu64, o->name, m->address - m->block->address);
    return g_strdup(o->name);
}

/* --- the whole ----------------------------------------------------------------------------- */

struct resolver *resolver_new(const struct profile *p, const char *libraries, const char *wrappers,
                              const char *locks)
{
    struct resolver *r = g_new0(struct resolver, 1);

    r->p = p;
    r->libraries = g_strsplit(libraries, ":", -1);
    r->wrappers = g_strsplit(wrappers, ":", -1);
    r->locks = g_strsplit(locks ? locks : KERNEL_LOCK_PREFIXES, ":", -1);
    r->words = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    r->hosts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    r->askers = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    r->object_of_block = g_hash_table_new(NULL, NULL);
    r->interrupts = g_hash_table_new(number_hash, NULL);
    r->outer = g_hash_table_new(number_hash, NULL);
    r->uses = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    r->files = g_hash_table_new_full(text_hash, g_str_equal, g_free, g_free);
    r->images = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    r->opened = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    r->spaces = g_hash_table_new(number_hash, NULL);
    r->code_of = g_hash_table_new_full(numbers_hash, numbers_equal, g_free, NULL);
    r->variable_of = g_hash_table_new_full(numbers_hash, numbers_equal, g_free, NULL);
    r->member_of = g_hash_table_new_full(numbers_hash, numbers_equal, g_free, NULL);
    r->places = g_ptr_array_new();
    r->object_of = g_hash_table_new_full(text_hash, g_str_equal, g_free, NULL);
    r->differ = g_hash_table_new(text_hash, g_str_equal);
    r->codes = g_ptr_array_new();
    r->objects = g_ptr_array_new();
    read_list(r, profile_run(p, "initramfs_list"));
    for (guint i = 0; i < p->maps->len; i++)
        add_map(r, AT(p->maps, struct map, i));
    return r;
}

/* Does the row belong to the command?  Without a table of threads every row does. */
static bool is_ours(const struct profile *p, const struct thread *who)
{
    return who ? who->ours : p->threads->len == 0;
}

void resolve_miss(struct resolver *r, struct miss *m)
{
    m->code = resolve_code(r, m->who, m->pc);
    m->object = find_object(r, m);
}

void resolve_all(struct resolver *r, struct profile *p)
{
    for (guint i = 0; i < p->misses->len; i++) {
        struct miss *m = AT(p->misses, struct miss, i);

        if (!is_ours(p, m->who))
            continue;
        resolve_miss(r, m);
    }
    for (guint i = 0; i < p->stalls->len; i++) {
        struct stall *s = AT(p->stalls, struct stall, i);

        if (!is_ours(p, s->who))
            continue;
        s->code = resolve_code(r, s->who, s->pc);
        if (s->part == PART_TLB) {
            const struct miss at = { .who = s->who,
                                     .address = s->address,
                                     .bytes = s->bytes,
                                     .block = s->block,
                                     .kind = "",
                                     .code = s->code };

            s->object = find_object(r, &at);
        }
    }
    for (guint i = 0; i < p->computing->len; i++) {
        struct computing *c = AT(p->computing, struct computing, i);

        c->code = resolve_code(r, c->who, c->pc);
    }
}

char *resolve_source(const struct resolver *r, const char *file)
{
    const char *kernel = profile_run(r->p, "kernel");
    const char *up = strstr(file, "../src/");
    g_autofree char *dir = kernel ? g_path_get_dirname(kernel) : NULL;
    char *path;

    if (g_file_test(file, G_FILE_TEST_IS_REGULAR))
        return g_strdup(file);
    if (!dir || !up)
        return NULL;
    path = g_build_filename(dir, "linux", up + strlen("../src/"), NULL);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return path;
    g_free(path);
    return NULL;
}
