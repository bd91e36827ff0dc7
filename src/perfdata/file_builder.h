/* Builds a perf.data file or stream for tests, in either byte order, from events, records and sections given by the test. */
#pragma once
#include "perfdata/reader.h"
#include "record/bytes_builder.h"

#define BUILD_EVENTS_MAX 4
#define BUILD_FEATURES_MAX 16

struct file_builder {
	bool swapped; /* not in the byte order of this machine */
	uint32_t attr_bytes; /* 0: 128 */
	struct {
		uint64_t config, sample_type, id;
	} events[BUILD_EVENTS_MAX];
	size_t events_nr;
	struct bytes_builder data;
	struct {
		uint32_t bit;
		struct bytes_builder bytes;
	} features[BUILD_FEATURES_MAX];
	size_t features_nr;
	bool v1, unfinished;
};

static inline struct file_builder build_file(bool swapped)
{
	return (struct file_builder){ .swapped = swapped, .data = { .swapped = swapped } };
}

/* A software event with sample_id_all. */
static inline void build_event(struct file_builder *f, uint64_t config, uint64_t sample_type, uint64_t id)
{
	f->events[f->events_nr].config = config;
	f->events[f->events_nr].sample_type = sample_type;
	f->events[f->events_nr++].id = id;
}

/* A section to be filled by the caller, in ascending order of bits. */
static inline struct bytes_builder *build_feature(struct file_builder *f, uint32_t bit)
{
	f->features[f->features_nr].bit = bit;
	f->features[f->features_nr].bytes = (struct bytes_builder){ .swapped = f->swapped };
	return &f->features[f->features_nr++].bytes;
}

/* TID | TIME | ID, the sample type most calls of build_event() use. */
static inline void build_sample(struct file_builder *f, uint32_t pid, uint64_t time, uint64_t id)
{
	bytes_begin(&f->data, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u32(&f->data, pid);
	bytes_u32(&f->data, pid);
	bytes_u64(&f->data, time);
	bytes_u64(&f->data, id);
	bytes_end(&f->data);
}

/* IP | TID | TIME | CPU | PERIOD: events whose records the functions below build, of tasks with one thread. */
#define BUILD_PERIODIC (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* The trailer of other records by sample_id_all. last: the CPU, or for TID | TIME | ID the ID. */
static inline void build_trailer(struct file_builder *f, uint32_t pid, uint64_t time, uint32_t cpu)
{
	bytes_u32(&f->data, pid);
	bytes_u32(&f->data, pid);
	bytes_u64(&f->data, time);
	bytes_u32(&f->data, cpu);
	bytes_u32(&f->data, 0);
}

static inline void build_task(struct file_builder *f, uint32_t pid, const char *comm, uint64_t time, uint32_t cpu)
{
	bytes_begin(&f->data, PERF_RECORD_COMM, 0);
	bytes_u32(&f->data, pid);
	bytes_u32(&f->data, pid);
	bytes_string(&f->data, comm);
	build_trailer(f, pid, time, cpu);
	bytes_end(&f->data);
}

/* A page of code. */
static inline void build_map(struct file_builder *f, uint32_t pid, uint64_t start, const char *path, uint64_t time)
{
	bytes_begin(&f->data, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	bytes_u32(&f->data, pid);
	bytes_u32(&f->data, pid);
	bytes_u64(&f->data, start);
	bytes_u64(&f->data, 0x1000);
	bytes_u64(&f->data, 0);
	bytes_string(&f->data, path);
	build_trailer(f, pid, time, 0);
	bytes_end(&f->data);
}

static inline void build_periodic(struct file_builder *f, uint64_t ip, uint32_t pid, uint64_t time, uint32_t cpu, uint64_t period)
{
	bytes_begin(&f->data, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u64(&f->data, ip);
	build_trailer(f, pid, time, cpu);
	bytes_u64(&f->data, period);
	bytes_end(&f->data);
}

static inline void build_attr(const struct file_builder *f, size_t i, struct bytes_builder *b)
{
	uint32_t size = f->attr_bytes ? f->attr_bytes : 128;
	size_t end = b->bytes.len + size;

	bytes_u32(b, PERF_TYPE_SOFTWARE);
	bytes_u32(b, size);
	bytes_u64(b, f->events[i].config);
	bytes_u64(b, 1);
	bytes_u64(b, f->events[i].sample_type);
	bytes_u64(b, 0);
	/* sample_id_all is the 19th of the bit-fields, exclude_guest the 21st */
	bytes_u64(b, bytes_flag(b, 18) | bytes_flag(b, 20));
	while (b->bytes.len < end)
		bytes_raw(b, "", 1);
}

/* The file's bytes; free with bytes_deinit(). */
static inline struct bytes_builder build_finish(const struct file_builder *f)
{
	struct bytes_builder b = { .swapped = f->swapped };
	uint64_t attr = (f->attr_bytes ? f->attr_bytes : 128) + 16, ids = 104, attrs = ids + f->events_nr * 8;
	uint64_t data = attrs + f->events_nr * attr, end = data + f->data.bytes.len, bits[4] = {};

	for (size_t i = 0; i < f->features_nr; i++)
		bits[f->features[i].bit / 64] |= 1ull << f->features[i].bit % 64;
	if (f->v1)
		bytes_raw(&b, "PERFFILE", 8);
	else
		bytes_raw(&b, bytes_are_big(&b) ? "2ELIFREP" : "PERFILE2", 8);
	bytes_u64(&b, 104);
	bytes_u64(&b, attr);
	bytes_u64(&b, attrs);
	bytes_u64(&b, f->events_nr * attr);
	bytes_u64(&b, data);
	bytes_u64(&b, f->unfinished ? 0 : f->data.bytes.len);
	bytes_u64(&b, 0);
	bytes_u64(&b, 0);
	for (size_t i = 0; i < 4; i++)
		bytes_u64(&b, f->unfinished ? 0 : bits[i]);
	for (size_t i = 0; i < f->events_nr; i++)
		bytes_u64(&b, f->events[i].id);
	for (size_t i = 0; i < f->events_nr; i++) {
		build_attr(f, i, &b);
		bytes_u64(&b, ids + i * 8);
		bytes_u64(&b, 8);
	}
	bytes_raw(&b, f->data.bytes.data, f->data.bytes.len);
	uint64_t at = end + f->features_nr * 16;
	for (size_t i = 0; i < f->features_nr && !f->unfinished; i++) {
		bytes_u64(&b, at);
		bytes_u64(&b, f->features[i].bytes.bytes.len);
		at += f->features[i].bytes.bytes.len;
	}
	for (size_t i = 0; i < f->features_nr && !f->unfinished; i++)
		bytes_raw(&b, f->features[i].bytes.bytes.data, f->features[i].bytes.bytes.len);
	return b;
}

/* The same data in the pipe form. */
static inline struct bytes_builder build_stream(const struct file_builder *f)
{
	struct bytes_builder b = { .swapped = f->swapped };

	bytes_raw(&b, bytes_are_big(&b) ? "2ELIFREP" : "PERFILE2", 8);
	bytes_u64(&b, 16);
	for (size_t i = 0; i < f->features_nr; i++) {
		bytes_begin(&b, RECORD_HEADER_FEATURE, 0);
		bytes_u64(&b, f->features[i].bit);
		bytes_raw(&b, f->features[i].bytes.bytes.data, f->features[i].bytes.bytes.len);
		bytes_end(&b);
	}
	for (size_t i = 0; i < f->events_nr; i++) {
		bytes_begin(&b, RECORD_HEADER_ATTR, 0);
		build_attr(f, i, &b);
		bytes_u64(&b, f->events[i].id);
		bytes_end(&b);
	}
	bytes_raw(&b, f->data.bytes.data, f->data.bytes.len);
	return b;
}

static inline void build_deinit(struct file_builder *f)
{
	bytes_deinit(&f->data);
	for (size_t i = 0; i < f->features_nr; i++)
		bytes_deinit(&f->features[i].bytes);
}
