#include "view/html/listing.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/vector.h"

#define CONTEXT 6      /* lines shown before and after one with code */
#define LINES_MAX 4000 /* per file; functions are usually shorter, the rest is left out */

/* A source line of instructions, including inlined ones. */
struct used_line {
	uint32_t file, line;
};

typedef VEC(struct used_line) used_lines_t;

static int compare_lines(const void *a, const void *b)
{
	const struct used_line *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void find_used(const struct listing *l, used_lines_t *used)
{
	for (size_t i = 0; i < l->places.len; i++) {
		const struct listing_place *p = &l->places.data[i];
		struct used_line line = { .file = p->file, .line = p->line };
		if (p->file != LISTING_NONE && p->line)
			vec_push(used, line);
	}
	if (used->len)
		qsort(used->data, used->len, sizeof(*used->data), compare_lines);
}

/* The lines around the used ones; 0 stands for a line between them, of which headers have thousands. */
static void write_lines(struct json *j, const struct listing_file *f, const struct used_line *used, size_t nr)
{
	size_t n = lines_count(&f->text), next = 0;
	uint32_t first = nr && used[0].line > CONTEXT ? used[0].line - CONTEXT : 1;
	json_key(j, "first");
	json_u64(j, first);
	json_key(j, "lines");
	json_array(j);
	for (uint32_t line = first; line <= n && line - first < LINES_MAX; line++) {
		size_t bytes;
		while (next < nr && line > used[next].line && line - used[next].line > CONTEXT)
			next++;
		if (next == nr)
			break;
		if (used[next].line > line && used[next].line - line > CONTEXT) {
			json_u64(j, 0);
			continue;
		}
		const char *text = lines_get(&f->text, line, &bytes);
		json_str_n(j, text ? text : "", text ? bytes : 0);
	}
	json_end(j);
}

static void write_file(struct json *j, const struct listing_file *f, const struct used_line *used, size_t nr)
{
	json_object(j);
	json_key(j, "path");
	json_str(j, f->path);
	if (f->problem) {
		json_key(j, "problem");
		json_str(j, f->problem);
	}
	write_lines(j, f, used, nr);
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
	used_lines_t used = {};
	struct json j;
	find_used(l, &used);
	json_init(&j, out, false);
	json_object(&j);
	json_key(&j, "files");
	json_array(&j);
	for (size_t i = 0, from = 0; i < l->files.len; i++) {
		size_t to = from;
		while (to < used.len && used.data[to].file == i)
			to++;
		write_file(&j, &l->files.data[i], used.data + from, to - from);
		from = to;
	}
	json_end(&j);
	json_key(&j, "insns");
	json_array(&j);
	for (size_t i = 0; i < l->insns.len; i++)
		write_insn(&j, l, &l->insns.data[i]);
	json_end(&j);
	json_end(&j);
	vec_deinit(&used);
}
