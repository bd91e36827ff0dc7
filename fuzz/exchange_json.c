/* Any bytes as the JSON of each viewer, and as rows; what is read is written in each and read once more. */
#include <stdint.h>
#include <stdlib.h>

#include "exchange/exchange.h"
#include "exchange/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct strobe_error *(*read_fn)(const uint8_t *p, size_t n, struct profile **ret);
typedef struct strobe_error *(*write_fn)(const struct profile *p, struct out *out);

static const struct {
	read_fn read;
	write_fn write;
} formats[] = {
	{ speedscope_read, speedscope_write },
	{ firefox_read, firefox_write },
	{ chrome_trace_read, chrome_trace_write },
	{ csv_read, csv_write },
	{ profile_json_read, profile_json_write },
};

static void write_and_read(const struct profile *p, read_fn read, write_fn write)
{
	struct out out;
	struct profile *again = NULL;
	size_t n;
	out_init_mem(&out);
	error_destroy(write(p, &out));
	const char *bytes = out_mem(&out, &n);
	if (read)
		error_destroy(read((const uint8_t *)bytes, n, &again));
	profile_destroy(again);
	error_destroy(out_close(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct profile *p;
		struct strobe_error *err = formats[i].read(data, size, &p);
		for (size_t k = 0; k < sizeof(formats) / sizeof(*formats) && !err; k++)
			write_and_read(p, formats[k].read, formats[k].write);
		error_destroy(err);
		profile_destroy(p);
	}
	struct profile *v8;
	struct strobe_error *err = cpuprofile_read(data, size, &v8);
	if (!err)
		profile_destroy(v8);
	error_destroy(err);
	(void)cpuprofile_probe(data, size);
	(void)speedscope_probe(data, size);
	(void)firefox_probe(data, size);
	(void)chrome_trace_probe(data, size);
	return 0;
}
