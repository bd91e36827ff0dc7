#include "profiler/packed.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc/pprof_file.h"
#include "profiler/samples.h"

#define HEADER_WORDS 5

/* The words are records of a count, a depth and as many addresses, up to one with count 0; then lines of mappings. */
static const uint64_t *record_at(const uint64_t *words, size_t nr, size_t at)
{
	if (nr - at < 2 || !words[at] || words[at + 1] > SAMPLES_DEPTH || words[at + 1] > nr - at - 2)
		return NULL;
	return words + at;
}

static bool next(const struct pprof_source *s, size_t *at, struct pprof_sample *ret)
{
	const uint64_t *r = record_at(s->words, s->nr, *at);
	if (!r)
		return false;
	ret->values[0] = r[0];
	ret->values[1] = r[0] * s->period;
	ret->depth = (unsigned)r[1];
	/* A return address is after the call. */
	for (unsigned i = 0; i < ret->depth; i++)
		ret->frames[i] = r[2 + i] - (i && r[2 + i]);
	*at += 2 + r[1];
	return true;
}

static const char *mappings(const uint64_t *words, size_t nr)
{
	size_t at = 0;
	for (const uint64_t *r; (r = record_at(words, nr, at));)
		at += 2 + r[1];
	return (const char *)(words + (nr - at < 3 ? nr : at + 3));
}

bool packed_write(int from, int to, struct timespec start, uint64_t duration_ns)
{
	static const struct pprof_type types[] = { { "samples", "count" }, { "cpu", "nanoseconds" } };
	struct stat st;
	if (fstat(from, &st) || st.st_size < (off_t)(HEADER_WORDS * sizeof(uint64_t)))
		return false;
	size_t n = (size_t)st.st_size;
	const uint64_t *words = mmap(NULL, n, PROT_READ, MAP_PRIVATE, from, 0);
	if (words == MAP_FAILED)
		return false;
	struct pprof_source s = {
		.types = types,
		.types_nr = 2,
		.period_type = types[1],
		.period = words[3] * 1000,
		.time_ns = (uint64_t)start.tv_sec * 1000000000 + (uint64_t)start.tv_nsec,
		.duration_ns = duration_ns,
		.words = words + HEADER_WORDS,
		.nr = n / sizeof(uint64_t) - HEADER_WORDS,
		.maps_end = (const char *)words + n,
		.next = next,
	};
	s.maps = mappings(s.words, s.nr);
	bool works = !pprof_file_write(to, &s);
	munmap((void *)(uintptr_t)words, n);
	return works;
}
