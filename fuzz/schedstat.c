/* Any bytes as the kernel's counters of its scheduler: as /proc/schedstat has them, or as a recording with readings of them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/schedstat/schedstat_file.h"
#include "analysis/schedstat/schedstat_text.h"
#include "perfdata/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct schedstat *s)
{
	struct schedstat_view v = { .s = s, .other = s };
	struct out out;
	struct table t;
	error_destroy(schedstat_check(&v));
	out_init_mem(&out);
	schedstat_text(&out, &v);
	error_destroy(out_close(&out));
	schedstat_table(&t, &v);
	table_deinit(&t);
}

static struct strobe_error *read_recording(struct schedstat *s, const uint8_t *data, size_t size)
{
	struct record_source *source = NULL;
	static const sys_cpus all;
	TRY(reader_open_mem(data, size, &source));
	struct strobe_error *err = schedstat_read(source, &all, s);
	source_destroy(source);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schedstat s = {};
	bool is_text = size >= 7 && !memcmp(data, "version", 7);
	struct strobe_error *err = is_text ? schedstat_parse(&s, (const char *)data, size) : read_recording(&s, data, size);
	if (!err)
		show(&s);
	error_destroy(err);
	schedstat_deinit(&s);
	return 0;
}
