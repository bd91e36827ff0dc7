/*
 * Any bytes as a profile of another program; what is read is written again and read once more, copied as it is, and shown
 * with its labels: it must stay the same. Sums over samples as they stand are those over rows.
 */
#include <stdint.h>
#include <stdlib.h>

#include "exchange/exchange.h"
#include "exchange/pprof_copy.h"
#include "exchange/pprof_stream.h"
#include "packing/gzip.h"
#include "view/text/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_totals(const struct profile *a, const struct profile *b)
{
	for (size_t i = 0; i < a->events.len; i++)
		if (a->events.data[i].value != b->events.data[i].value)
			abort();
}

static void copy_and_read(const struct profile *p, const uint8_t *data, size_t size)
{
	struct out packed, written;
	struct pprof_copy *copy;
	struct profile *again = NULL;
	size_t n;
	out_init_mem(&packed);
	out_init_mem(&written);
	error_destroy(gzip_pack(data, size, &packed));
	const char *bytes = out_mem(&packed, &n);
	struct strobe_error *err = pprof_copy_create((const uint8_t *)bytes, n, &copy);
	if (!err) {
		err = pprof_copy_write(copy, &written);
		pprof_copy_destroy(copy);
		bytes = out_mem(&written, &n);
	}
	if (!err)
		err = exchange_read((const uint8_t *)bytes, n, "copy", NULL, &again);
	if (!err)
		compare_totals(p, again);
	profile_destroy(again);
	error_destroy(err);
	error_destroy(out_close(&packed));
	error_destroy(out_close(&written));
}

static struct callgraph *sum(const struct profile *p, uint32_t event, const struct callgraph_samples *samples)
{
	struct callgraph *g = callgraph_create(p, (struct callgraph_options){ .event = event, .samples = samples });
	callgraph_recount(g);
	return g;
}

static void compare_sums(const struct profile *p, const struct pprof_stream *s, uint32_t event)
{
	struct callgraph *a = sum(p, event, NULL), *b = sum(pprof_stream_tables(s), event, pprof_stream_samples(s));
	if (a->total != b->total || a->total != pprof_stream_total(s) || a->nodes.len != b->nodes.len || a->edges.len != b->edges.len)
		abort();
	for (size_t i = 0; i < a->nodes.len; i++) {
		const struct callgraph_node *x = &a->nodes.data[i], *y = &b->nodes.data[i];
		if (x->flat != y->flat || x->cum != y->cum || x->in_nr != y->in_nr || x->out_nr != y->out_nr)
			abort();
	}
	callgraph_destroy(a);
	callgraph_destroy(b);
}

static void sum_as_it_stands(const struct profile *p, const uint8_t *data, size_t size)
{
	struct pprof_stream *s;
	uint32_t event;
	struct exchange_bytes bytes = { .p = data, .n = size };
	struct strobe_error *err = pprof_stream_create(&bytes, &s);
	if (!err)
		err = profile_choose_event(p, "", &event);
	if (!err)
		err = pprof_stream_sum(s, "");
	if (!err)
		compare_sums(p, s, event);
	pprof_stream_destroy(s);
	error_destroy(err);
}

static void show(const struct profile *p)
{
	struct out out;
	out_init_mem(&out);
	error_destroy(view_pprof_raw(p, &out));
	error_destroy(out_close(&out));
}

static void write_and_read(const struct profile *p)
{
	struct out out;
	struct profile *again;
	size_t n;
	out_init_mem(&out);
	error_destroy(pprof_write_raw(p, &out));
	const char *bytes = out_mem(&out, &n);
	if (pprof_read((const uint8_t *)bytes, n, &again))
		abort();
	compare_totals(p, again);
	profile_destroy(again);
	error_destroy(out_close(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;
	struct strobe_error *err = exchange_read(data, size, "input", NULL, &p);
	if (!err) {
		write_and_read(p);
		copy_and_read(p, data, size);
		sum_as_it_stands(p, data, size);
		show(p);
	}
	error_destroy(err);
	profile_destroy(p);
	return 0;
}
