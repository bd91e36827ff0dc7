#include "exchange/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "exchange/readers/readers.h"
#include "packing/gzip.h"

/* Data that is larger than this when decompressed is refused in every format. */
#define UNPACKED_MAX ((size_t)4 << 30)
/*
 * So is data that packs better than this: text and profiles are known to reach 35 times. A bomb is stopped before it has filled the
 * memory. Small files have no such limit.
 */
#define UNPACKED_TIMES   64
#define UNPACKED_ALLOWED ((size_t)64 << 20)

static const char *const no_suffix[] = { NULL };

const struct exchange_format exchange_formats[] = {
	{ "gperftools", "a CPU profile of gperftools, or of its kind for Java", no_suffix,
	  gperftools_cpu_probe, gperftools_cpu_read, NULL },
	{ "legacy", "a text profile of gperftools, Go or Java: heap, contention, threads, counts", no_suffix, legacy_text_probe,
	  legacy_text_read, NULL },
	{ "heap", "the text of gperftools' heap profiles", (const char *const[]){ ".heap", NULL }, NULL, NULL, heap_text_write },
	{ "pprof", "profile.proto packed with gzip, as pprof reads and writes it",
	  (const char *const[]){ ".pb.gz", ".pprof", ".prof", NULL }, pprof_probe, pprof_read, pprof_write, pprof_read_value },
	{ "pprof-raw", "profile.proto, not packed", (const char *const[]){ ".pb", NULL }, NULL, pprof_read, pprof_write_raw,
	  pprof_read_value },
	{ "speedscope", "speedscope's JSON", (const char *const[]){ ".speedscope.json", ".speedscope", NULL }, speedscope_probe,
	  speedscope_read, speedscope_write },
	{ "firefox", "the Firefox Profiler's processed JSON", (const char *const[]){ ".firefox.json", NULL }, firefox_probe,
	  firefox_read, firefox_write },
	{ "chrome-trace", "trace events of Chrome and Perfetto", (const char *const[]){ ".trace.json", ".perfetto.json", NULL },
	  chrome_trace_probe, chrome_trace_read, chrome_trace_write },
	{ "cpuprofile", "a CPU profile of V8 (node --cpu-prof)", no_suffix, cpuprofile_probe, cpuprofile_read, NULL },
	{ "callgrind", "costs of lines and calls, of Valgrind's callgrind", no_suffix, callgrind_probe, callgrind_read, NULL },
	{ "csv", "rows as CSV", (const char *const[]){ ".csv", NULL }, csv_probe, csv_read, csv_write },
	{ "json", "rows as JSON", (const char *const[]){ ".json", NULL }, profile_json_probe, profile_json_read,
	  profile_json_write },
	{ "perf-script", "the text of perf script", (const char *const[]){ NULL }, script_probe, script_read, NULL },
	{ "perf-trace", "lines of perf trace or strobe trace: time in system calls", no_suffix, perf_trace_probe, perf_trace_read, NULL },
	{ "strace", "lines of strace -T: time in system calls", no_suffix, strace_probe, strace_read, NULL },
	{ "folded", "folded stacks, a line each", (const char *const[]){ ".folded", ".collapsed", NULL }, folded_probe,
	  folded_read, NULL },
};
const size_t exchange_formats_nr = sizeof(exchange_formats) / sizeof(*exchange_formats);

const struct exchange_format *exchange_find(const char *name)
{
	for (size_t i = 0; i < exchange_formats_nr; i++)
		if (!strcmp(exchange_formats[i].name, name))
			return &exchange_formats[i];
	return NULL;
}

const struct exchange_format *exchange_by_path(const char *path)
{
	for (size_t i = 0; i < exchange_formats_nr; i++) {
		const struct exchange_format *f = &exchange_formats[i];
		for (const char *const *s = f->suffixes; f->write && *s; s++)
			if (text_has_suffix(path, *s))
				return f;
	}
	return NULL;
}

const struct exchange_format *exchange_probe(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < exchange_formats_nr; i++) {
		const struct exchange_format *f = &exchange_formats[i];
		if (f->read && f->probe && f->probe(p, n))
			return f;
	}
	return NULL;
}

static struct strobe_error *read_unpacked(struct exchange_bytes *b, const struct exchange_format *format, const char *value,
					  struct profile **ret)
{
	if (!b->n)
		return error_create(ERROR_FORMAT, "it is empty");
	if (!format)
		format = exchange_probe(b->p, b->n);
	if (!format)
		return error_create(ERROR_UNSUPPORTED, "unknown profile format");
	return format->read_value ? format->read_value(b, value, ret) : format->read(b->p, b->n, ret);
}

void exchange_bytes_free(struct exchange_bytes *b)
{
	free(b->owned);
	*b = (struct exchange_bytes){};
}

struct strobe_error *exchange_unpack(const uint8_t *p, size_t n, const char *name, struct exchange_bytes *ret)
{
	size_t most = n < UNPACKED_MAX / UNPACKED_TIMES ? n * UNPACKED_TIMES : UNPACKED_MAX;
	*ret = (struct exchange_bytes){ .p = p, .n = n };
	if (!gzip_is(p, n))
		return NULL;
	if (most < UNPACKED_ALLOWED)
		most = UNPACKED_ALLOWED;
	struct strobe_error *err = gzip_unpack(p, n, most, name, &ret->owned, &ret->n);
	ret->p = ret->owned;
	if (!error_is(err, ERROR_LIMIT))
		return err;
	error_destroy(err);
	return error_create(ERROR_LIMIT, "%s: %zu KB that decompress to more than %zu MB are unlikely to be a profile; if it is one, "
			    "decompress it first (gzip -d)", name, n >> 10, most >> 20);
}

struct strobe_error *exchange_read_bytes(struct exchange_bytes *b, const char *name, const struct exchange_format *format,
					 const char *value, struct profile **ret)
{
	*ret = NULL;
	struct strobe_error *err = read_unpacked(b, format, value, ret);
	exchange_bytes_free(b);
	return error_prefix(err, "cannot read %s", name);
}

struct strobe_error *exchange_read_value(const uint8_t *p, size_t n, const char *name, const struct exchange_format *format,
					 const char *value, struct profile **ret)
{
	struct exchange_bytes b;
	*ret = NULL;
	TRY(exchange_unpack(p, n, name, &b));
	return exchange_read_bytes(&b, name, format, value, ret);
}

struct strobe_error *exchange_read(const uint8_t *p, size_t n, const char *name, const struct exchange_format *format,
				   struct profile **ret)
{
	return exchange_read_value(p, n, name, format, NULL, ret);
}
