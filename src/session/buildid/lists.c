#include "session/buildid/lists.h"

#include <inttypes.h>

#include "object/buildid_cache.h"

#define BUILD_ID_COLUMNS 40 /* of a SHA-1 */

void recorded_files_table(const struct recorded_files *files, struct table *t)
{
	table_init(t, "strobe-buildid-list", 1);
	t->rows_key = "files";
	t->has_no_notes = true;
	t->layout = (struct table_layout){ .row = "", .gap = " ", .has_no_titles = true };
	size_t id = table_column(t, (struct table_column){ "build_id", NULL, TABLE_TEXT });
	size_t path = table_column(t, (struct table_column){ "path", NULL, TABLE_TEXT, .is_optional = true });
	for (size_t i = 0; i < files->list.len; i++) {
		const struct recorded_file *r = &files->list.data[i];
		char hex[BUILDID_HEX_MAX];
		buildid_hex(r->build_id, r->build_id_len, hex);
		table_row(t);
		table_show(t, id, "%-*s", BUILD_ID_COLUMNS, hex);
		if (*hex)
			table_set_text(t, id, hex);
		if (r->path)
			table_set_text(t, path, r->path);
	}
}

void kernel_maps_text(const struct kernel_maps *maps, struct out *out)
{
	for (size_t i = 0; i < maps->list.len; i++) {
		const struct kernel_map *m = &maps->list.data[i];
		out_f(out, "%s %16" PRIx64 " %16" PRIx64 " ", m->hex, m->start, m->end);
		out_text_str(out, m->name);
		out_ch(out, '\n');
	}
}

enum { CACHE_ID, CACHE_PATH };

/* IDs are not padded to one width, as in perf. */
static void cache_table_init(struct table *t)
{
	table_init(t, "strobe-buildid-cache", 1);
	t->rows_key = "files";
	t->has_no_notes = true;
	t->layout = (struct table_layout){ .row = "", .gap = " ", .has_no_titles = true };
	table_column(t, (struct table_column){ "build_id", NULL, TABLE_TEXT, .width = 1, .is_fixed = true });
	table_column(t, (struct table_column){ "path", NULL, TABLE_TEXT, .width = 1, .is_fixed = true });
}

static void put_entry(struct table *t, const char *hex, const char *path)
{
	table_row(t);
	table_set_text(t, CACHE_ID, hex);
	table_set_text(t, CACHE_PATH, path);
}

static bool list_entry(void *ctx, const struct buildid_cache_entry *e)
{
	put_entry(ctx, e->hex, e->path);
	return true;
}

void buildid_cache_table(const char *dir, struct table *t)
{
	cache_table_init(t);
	buildid_cache_each(dir, list_entry, t);
}

void recorded_files_missing_table(const struct recorded_files *files, const char *dir, struct table *t)
{
	cache_table_init(t);
	for (size_t i = 0; i < files->list.len; i++) {
		const struct recorded_file *f = &files->list.data[i];
		char hex[BUILDID_HEX_MAX];
		buildid_hex(f->build_id, f->build_id_len, hex);
		if (f->build_id_len && !buildid_cache_has(dir, hex))
			put_entry(t, hex, f->path ? f->path : "");
	}
}
