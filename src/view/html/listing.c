#include "view/html/listing.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"

#define CONTEXT 6           /* lines before the first that has code, and behind the last */
#define LINES_MAX 4000      /* of a file: a function is shorter; what is more is left out */

struct range {
	uint32_t first, last; /* 0: none */
};

static void widen(struct range *r, uint32_t line)
{
	if (!line)
		return;
	if (!r->first || line < r->first)
		r->first = line;
	if (line > r->last)
		r->last = line;
}

/* The lines of each file that instructions came from, by way of inlining too. */
static struct range *find_ranges(const struct listing *l)
{
	struct range *ranges = xcalloc(l->files.len + 1, sizeof(*ranges));
	for (size_t i = 0; i < l->places.len; i++) {
		const struct listing_place *p = &l->places.data[i];
		if (p->file != LISTING_NONE)
			widen(&ranges[p->file], p->line);
	}
	return ranges;
}

static void write_file(struct json *j, const struct listing_file *f, struct range r)
{
	size_t n = lines_count(&f->text);
	uint32_t first = r.first > CONTEXT ? r.first - CONTEXT : 1;
	json_object(j);
	json_key(j, "path");
	json_str(j, f->path);
	if (f->problem) {
		json_key(j, "problem");
		json_str(j, f->problem);
	}
	json_key(j, "first");
	json_u64(j, first);
	json_key(j, "lines");
	json_array(j);
	for (uint32_t line = first; r.first && line <= n && line <= r.last + CONTEXT && line - first < LINES_MAX; line++) {
		size_t bytes;
		const char *text = lines_get(&f->text, line, &bytes);
		json_str_n(j, text ? text : "", text ? bytes : 0);
	}
	json_end(j);
	json_end(j);
}

static void write_insn(struct json *j, const struct listing *l, const struct listing_insn *insn)
{
	const struct listing_place *p = insn->place == LISTING_NONE ? NULL : &l->places.data[insn->place];
	json_array(j);
	json_hex(j, insn->addr);
	json_str(j, insn->text ? insn->text : "(bad)");
	json_i64(j, p && p->file != LISTING_NONE ? (int64_t)p->file : -1);
	json_u64(j, p ? p->line : 0);
	json_i64(j, insn->target_insn == LISTING_NONE ? -1 : (int64_t)insn->target_insn);
	json_end(j);
}

void view_html_listing(const struct listing *l, struct out *out)
{
	struct range *ranges = find_ranges(l);
	struct json j;
	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "files");
	json_array(&j);
	for (size_t i = 0; i < l->files.len; i++)
		write_file(&j, &l->files.data[i], ranges[i]);
	json_end(&j);
	json_key(&j, "insns");
	json_array(&j);
	for (size_t i = 0; i < l->insns.len; i++)
		write_insn(&j, l, &l->insns.data[i]);
	json_end(&j);
	json_end(&j);
	free(ranges);
}
