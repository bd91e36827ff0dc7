#include "heap/report.h"

#include "base/json.h"
#include "heap/table.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

/* in text; data has all */
#define LEAKS_MOST     50
#define PROCESSES_MOST 20

struct writer {
	struct out *out;
	struct json json;
	enum table_format format;
	unsigned nr;
};

static void write_table(struct writer *w, const char *key, struct table *t)
{
	if (w->format != TABLE_AS_JSON && w->nr)
		out_ch(w->out, '\n');
	if (w->format == TABLE_AS_JSON) {
		json_key(&w->json, key);
		json_object(&w->json);
		table_json_members(&w->json, t);
		json_end(&w->json);
	} else if (w->format == TABLE_AS_CSV) {
		table_csv(w->out, t, ",");
	} else {
		table_text(w->out, t, NULL);
	}
	w->nr++;
	table_deinit(t);
}

static void write_tables(struct writer *w, const struct heap *h, const struct heap_report *r)
{
	struct table t;
	bool is_text = r->format == TABLE_AS_TEXT;
	heap_processes_table(&t, h, is_text ? PROCESSES_MOST : UINT32_MAX);
	write_table(w, "processes", &t);
	if (r->functions) {
		heap_functions_table(&t, h, r->is_live, (unsigned)r->functions);
		write_table(w, "functions", &t);
	}
	if (r->sizes) {
		heap_sizes_table(&t, h);
		write_table(w, "sizes", &t);
	}
	if (r->growth) {
		heap_growth_table(&t, h, is_text ? PROCESSES_MOST : UINT32_MAX);
		write_table(w, "growth", &t);
	}
	if (h->knows_leaks && (h->leak_objects || r->format == TABLE_AS_JSON)) {
		heap_leaks_table(&t, h, is_text ? LEAKS_MOST : UINT32_MAX);
		write_table(w, "leaks", &t);
	}
}

void heap_report_write(struct out *out, const struct heap *h, const struct heap_report *r)
{
	struct writer w = { .out = out, .format = r->format };
	if (r->format != TABLE_AS_JSON) {
		write_tables(&w, h, r);
		return;
	}
	json_init(&w.json, out, true);
	json_object(&w.json);
	json_format(&w.json, "strobe-heap", 1);
	write_tables(&w, h, r);
	json_end(&w.json);
	out_ch(out, '\n');
}
