#include "unwind/kept_table.h"

#include <inttypes.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/user_cache.h"
#include "unwind/cfi_priv.h"

/* The tables of less code are compiled in half a millisecond. */
#define FRAMES_MIN ((uint64_t)64 << 10)
#define CODE_MIN   ((uint64_t)256 << 10) /* some of it may have to be analysed */
/* All that is kept together, as found by one in so many that are added: to look through the folder takes longer than to add one. */
#define FOLDER_MAX    ((uint64_t)256 << 20)
#define FOLDER_CHECKS 16

#define FOLDER	"tables"
#define MAGIC	"strobeUT"
#define VERSION 1

/* The key of a cached table. */
struct kept_key {
	char magic[8];
	uint32_t version, rule_bytes;
	uint64_t program; /* the build of strobe: others may compile different tables */
	struct filemap_identity file, debug; /* debug: all 0 without such a file */
};

/* Rows, pages, rules, saves and expressions follow. */
struct kept_head {
	uint64_t base;
	uint32_t rows_nr, pages_nr, rules_nr, saves_nr, exprs_nr, functions;
	uint32_t is_64bit, swap;
};

struct kept_expr {
	uint32_t section, n; /* section: of the source */
	uint64_t offset;
};

/* ---- as bytes ---- */

/* Expressions are borrowed from sections. */
static struct kept_expr place_of(const struct unwind_expr *e, const struct unwind_source *from)
{
	for (uint32_t i = 0; i < from->frames_nr; i++) {
		const struct object_frames *f = &from->frames[i];
		if (e->bytes >= f->bytes && e->bytes < f->bytes + f->n)
			return (struct kept_expr){ i, e->n, (uint64_t)(e->bytes - f->bytes) };
	}
	return (struct kept_expr){}; /* an empty one */
}

/* Checks the invariants on which look-ups rely. */
static bool are_rows_right(const struct unwind_table *t)
{
	uint32_t before = 1, wrong = t->rows[0];
	for (uint32_t i = 0; i <= t->pages_nr; i++) {
		if (t->pages[i] < before)
			return false;
		before = t->pages[i];
	}
	for (uint32_t i = 0; i < t->rows_nr; i++)
		wrong |= (t->rows[i] & (UNWIND_RULES_MAX - 1)) >= t->rules_nr;
	wrong |= t->rows[t->rows_nr - 1] & (UNWIND_RULES_MAX - 1);
	return !wrong && before == t->rows_nr;
}

static bool is_rule_right(const struct unwind_table *t, const struct unwind_rule *r)
{
	return r->kind <= UNWIND_CFA_EXPR && r->reg < UNWIND_REGS && r->ra < UNWIND_REGS && r->saves_nr <= UNWIND_REGS &&
	       r->saves <= t->saves_nr && r->saves_nr <= t->saves_nr - r->saves &&
	       (r->kind != UNWIND_CFA_EXPR || (uint32_t)r->value < t->exprs_nr);
}

static bool is_save_right(const struct unwind_table *t, const struct unwind_save *s)
{
	bool is_expr = s->kind == UNWIND_SAVE_EXPR || s->kind == UNWIND_SAVE_VALUE_EXPR;
	return s->kind <= UNWIND_SAVE_UNDEFINED && s->reg < UNWIND_REGS && s->base < UNWIND_REGS &&
	       (!is_expr || (uint32_t)s->value < t->exprs_nr);
}

static bool are_rules_right(const struct unwind_table *t)
{
	if (t->rules[0].kind != UNWIND_CFA_NONE || t->rules[0].flags || t->rules[0].saves_nr)
		return false;
	for (uint32_t i = 0; i < t->saves_nr; i++)
		if (!is_save_right(t, &t->saves[i]))
			return false;
	for (uint32_t i = 0; i < t->rules_nr; i++) {
		if (!is_rule_right(t, &t->rules[i]))
			return false;
		t->rules[i].flags &= UNWIND_SIGNAL | UNWIND_END | UNWIND_ANALYSED;
		unwind_table_mark_plain(t, &t->rules[i]);
	}
	return true;
}

static bool find_expr(const struct kept_expr *e, const struct unwind_source *from, struct unwind_expr *ret)
{
	*ret = (struct unwind_expr){};
	if (!e->n)
		return true;
	if (e->section >= from->frames_nr)
		return false;
	const struct object_frames *f = &from->frames[e->section];
	*ret = (struct unwind_expr){ f->bytes + e->offset, e->n };
	return e->offset <= f->n && e->n <= f->n - e->offset;
}

static void *take(struct cursor *c, size_t n, size_t bytes_each)
{
	void *taken = xcalloc(n + 1, bytes_each);
	memcpy(taken, c->at, n * bytes_each);
	cursor_skip(c, n * bytes_each);
	return taken;
}

static uint64_t bytes_of(const struct kept_head *h)
{
	return sizeof(*h) + (uint64_t)h->rows_nr * sizeof(uint32_t) + ((uint64_t)h->pages_nr + 1) * sizeof(uint32_t) +
	       (uint64_t)h->rules_nr * sizeof(struct unwind_rule) + (uint64_t)h->saves_nr * sizeof(struct unwind_save) +
	       (uint64_t)h->exprs_nr * sizeof(struct kept_expr);
}

/* Copied before it is checked, since a file may change while it is read. */
struct unwind_table *kept_table_read(const void *bytes, size_t n, const struct unwind_source *from)
{
	struct kept_head h;
	struct kept_expr e;
	struct cursor c = cursor_make(bytes, n, false);
	if (n < sizeof(h))
		return NULL;
	memcpy(&h, bytes, sizeof(h));
	cursor_skip(&c, sizeof(h));
	if (bytes_of(&h) != n || !h.rows_nr || !h.pages_nr || !h.rules_nr || h.is_64bit != from->is_64bit || h.swap != from->swap)
		return NULL;
	struct unwind_table *t = xcalloc(1, sizeof(*t));
	*t = (struct unwind_table){
		.base = h.base, .rows_nr = h.rows_nr, .pages_nr = h.pages_nr, .rules_nr = h.rules_nr, .saves_nr = h.saves_nr,
		.exprs_nr = h.exprs_nr, .functions = h.functions, .is_64bit = h.is_64bit, .swap = h.swap,
	};
	t->rows = take(&c, h.rows_nr, sizeof(*t->rows));
	t->pages = take(&c, (size_t)h.pages_nr + 1, sizeof(*t->pages));
	t->rules = take(&c, h.rules_nr, sizeof(*t->rules));
	t->saves = take(&c, h.saves_nr, sizeof(*t->saves));
	t->exprs = xcalloc((size_t)h.exprs_nr + 1, sizeof(*t->exprs));
	bool is_right = are_rows_right(t) && are_rules_right(t);
	for (uint32_t i = 0; i < h.exprs_nr; i++) {
		memcpy(&e, c.at + i * sizeof(e), sizeof(e));
		is_right &= find_expr(&e, from, &t->exprs[i]);
	}
	if (is_right)
		return t;
	unwind_table_destroy(t);
	return NULL;
}

/* ---- the cache ---- */

/* Of the first object, which is the program. */
static int find_build(struct dl_phdr_info *program, size_t bytes, void *ret)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	for (unsigned i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &program->dlpi_phdr[i];
		const void *notes = (const void *)(program->dlpi_addr + p->p_vaddr);
		size_t n = p->p_type == PT_NOTE ? object_build_id_in_notes(notes, p->p_memsz, false, id) : 0;
		if (n)
			*(uint64_t *)ret = hash_bytes(id, n);
	}
	return 1;
}

/* By its build ID; 0: it has none. */
static uint64_t our_program(void)
{
	uint64_t build = 0;
	dl_iterate_phdr(find_build, &build);
	return build;
}

static struct kept_key key_of(const struct object *o, const struct object *debug)
{
	struct kept_key k = {
		.magic = MAGIC, .version = VERSION, .rule_bytes = sizeof(struct unwind_rule), .program = our_program(),
		.file = object_identity(o),
	};
	if (debug)
		k.debug = object_identity(debug);
	return k;
}

/* Clocks of files tick in milliseconds: one that was changed just now may change once more within the same tick. */
static bool is_settled(const struct filemap_identity *file)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return file->inode && file->changed_ns / NS_PER_S + 2 < (uint64_t)now.tv_sec;
}

static bool is_worthwhile(const struct unwind_source *from, const struct kept_key *k, bool has_debug)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < from->frames_nr; i++)
		bytes += from->frames[i].n;
	bool is_large = bytes >= FRAMES_MIN || (from->to > from->from && from->to - from->from >= CODE_MIN);
	return is_large && k->program && is_settled(&k->file) && (!has_debug || is_settled(&k->debug));
}

static struct unwind_table *load(const char *name, const struct kept_key *k, const struct unwind_source *from)
{
	struct filemap map;
	if (!user_cache_map(name, &map))
		return NULL;
	struct unwind_table *t = NULL;
	if (map.bytes > sizeof(*k) && !memcmp(map.data, k, sizeof(*k)))
		t = kept_table_read(map.data + sizeof(*k), map.bytes - sizeof(*k), from);
	filemap_close(&map);
	return t;
}

static void save(const char *name, struct kept_key *k, const struct unwind_table *t, const struct unwind_source *from)
{
	struct kept_head h = {
		.base = t->base, .rows_nr = t->rows_nr, .pages_nr = t->pages_nr, .rules_nr = t->rules_nr, .saves_nr = t->saves_nr,
		.exprs_nr = t->exprs_nr, .functions = t->functions, .is_64bit = t->is_64bit, .swap = t->swap,
	};
	_cleanup_free_ struct kept_expr *exprs = xcalloc((size_t)t->exprs_nr + 1, sizeof(*exprs));
	for (uint32_t i = 0; i < t->exprs_nr; i++)
		exprs[i] = place_of(&t->exprs[i], from);
	struct iovec v[] = {
		{ k, sizeof(*k) },
		{ &h, sizeof(h) },
		{ t->rows, t->rows_nr * sizeof(*t->rows) },
		{ t->pages, ((size_t)t->pages_nr + 1) * sizeof(*t->pages) },
		{ t->rules, t->rules_nr * sizeof(*t->rules) },
		{ t->saves, t->saves_nr * sizeof(*t->saves) },
		{ exprs, t->exprs_nr * sizeof(*exprs) },
	};
	user_cache_save(name, v, sizeof(v) / sizeof(*v));
	if (k->file.inode % FOLDER_CHECKS == 0)
		user_cache_trim(FOLDER, FOLDER_MAX);
}

struct unwind_table *unwind_table_of_kept(struct object *o, struct object *debug)
{
	struct object_frames frames[UNWIND_SECTIONS_MAX];
	struct unwind_source from = unwind_source_of(o, debug, frames);
	struct kept_key k = key_of(o, debug);
	if (!is_worthwhile(&from, &k, debug != NULL))
		return unwind_table_build(&from);
	_cleanup_free_ char *name = xasprintf(FOLDER "/%" PRIx64 "-%" PRIx64 "-%" PRIx64, k.file.device, k.file.inode, k.program);
	struct unwind_table *t = load(name, &k, &from);
	if (t)
		return t;
	t = unwind_table_build(&from);
	if (t)
		save(name, &k, t, &from);
	return t;
}
