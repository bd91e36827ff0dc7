/*
 * Any bytes as a profile of another program; what is read is written again and read once more, copied as it is, and shown
 * with its labels: it must stay the same.
 */
#include <stdint.h>
#include <stdlib.h>

#include "exchange/exchange.h"
#include "exchange/pprof_copy.h"
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
		show(p);
	}
	error_destroy(err);
	profile_destroy(p);
	return 0;
}
