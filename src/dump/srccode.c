/* The source line that a sample fell on: where a task comes to another one than it was on before. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/lines.h"
#include "base/mem.h"
#include "dump/dumper_priv.h"

struct source_file {
	const char *path; /* the symbol room's */
	struct lines lines;
	bool missing;
};

/* Where a task was. */
struct source_place {
	const char *path;
	uint32_t line;
};

struct srccode {
	VEC(struct source_file *) files;
	struct idset by_path;
	VEC(struct source_place) places;
	struct u64map by_task; /* tid -> index in places */
};

static bool same_path(const void *table, uint32_t id, const void *key)
{
	return !strcmp(((const struct srccode *)table)->files.data[id]->path, key);
}

static struct source_file *file_of(struct srccode *c, const char *path)
{
	uint64_t hash = hash_bytes(path, strlen(path));
	uint32_t id = idset_find(&c->by_path, hash, same_path, c, path);
	if (id != IDSET_NONE)
		return c->files.data[id];
	struct source_file *f = xcalloc(1, sizeof(*f));
	f->path = path;
	struct strobe_error *err = lines_read(path, &f->lines);
	f->missing = err;
	error_destroy(err);
	idset_insert(&c->by_path, hash, (uint32_t)c->files.len);
	vec_push(&c->files, f);
	return f;
}

/* Whether the task is where it was; it is there from now on. */
static bool stays(struct srccode *c, uint32_t tid, const struct resolved_frame *f)
{
	bool is_new;
	uint64_t *at = u64map_put(&c->by_task, tid, &is_new);
	if (is_new) {
		*at = c->places.len;
		vec_push(&c->places, ((struct source_place){}));
	}
	struct source_place *p = &c->places.data[*at];
	bool same = p->line == f->line && p->path && !strcmp(p->path, f->file);
	*p = (struct source_place){ f->file, f->line };
	return same;
}

/* Tabs stay: what is after them would not be at its column of the source. */
static void put_code(struct out *out, const char *text, size_t n)
{
	for (const char *tab; (tab = memchr(text, '\t', n)); n -= (size_t)(tab + 1 - text), text = tab + 1) {
		out_text(out, text, (size_t)(tab - text));
		out_ch(out, '\t');
	}
	out_text(out, text, n);
}

const struct resolved_frame *dump_place(const struct resolved_sample *s)
{
	return s->chain_nr && !s->leaf.file ? &s->chain[0] : &s->leaf;
}

const char *dump_source_code(struct dumper *d, const struct resolved_frame *f, size_t *ret_bytes)
{
	if (!f->file || !f->line)
		return NULL;
	if (!d->srccode)
		d->srccode = xcalloc(1, sizeof(*d->srccode));
	struct source_file *file = file_of(d->srccode, f->file);
	return file->missing ? NULL : lines_get(&file->lines, f->line, ret_bytes);
}

void dump_srccode(struct dumper *d, struct out *out, const struct resolved_sample *s)
{
	const struct resolved_frame *f = dump_place(s);
	size_t n;
	const char *text = dump_source_code(d, f, &n);
	if (!text || stays(d->srccode, s->sample.tid, f))
		return;
	out_f(out, "|%-8u ", f->line);
	put_code(out, text, n);
	out_ch(out, '\n');
}

void dump_srccode_destroy(struct srccode *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->files.len; i++) {
		lines_deinit(&c->files.data[i]->lines);
		free(c->files.data[i]);
	}
	vec_deinit(&c->files);
	vec_deinit(&c->places);
	idset_deinit(&c->by_path);
	u64map_deinit(&c->by_task);
	free(c);
}
