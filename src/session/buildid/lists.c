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

static void put_entry(struct out *out, const char *hex, const char *path)
{
	out_f(out, "%s ", hex);
	out_text_str(out, path);
	out_ch(out, '\n');
}

static bool list_entry(void *ctx, const struct buildid_cache_entry *e)
{
	put_entry(ctx, e->hex, e->path);
	return true;
}

void buildid_cache_text(const char *dir, struct out *out)
{
	buildid_cache_each(dir, list_entry, out);
}

void recorded_files_missing_text(const struct recorded_files *files, const char *dir, struct out *out)
{
	for (size_t i = 0; i < files->list.len; i++) {
		const struct recorded_file *f = &files->list.data[i];
		char hex[BUILDID_HEX_MAX];
		buildid_hex(f->build_id, f->build_id_len, hex);
		if (f->build_id_len && !buildid_cache_has(dir, hex))
			put_entry(out, hex, f->path ? f->path : "");
	}
}
