/* Any bytes as a profile of another program; what is read is written again and read once more, and must stay the same. */
#include <stdint.h>
#include <stdlib.h>

#include "exchange/exchange.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	for (size_t i = 0; i < p->events.len; i++)
		if (again->events.data[i].value != p->events.data[i].value)
			abort();
	profile_destroy(again);
	error_destroy(out_close(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;
	struct strobe_error *err = exchange_read(data, size, "input", NULL, &p);
	if (!err)
		write_and_read(p);
	error_destroy(err);
	profile_destroy(p);
	return 0;
}
