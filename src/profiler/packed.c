#include "profiler/packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/samples.h"

#define STORED_MOST  65535 /* maximum bytes of a stored block */
#define HEADER_WORDS 5
#define MESSAGE_MOST ((SAMPLES_DEPTH + 8) * 11)

enum { TEXT_EMPTY, TEXT_SAMPLES, TEXT_COUNT, TEXT_CPU, TEXT_NANOSECONDS, TEXT_FILES };
static const char *const texts[] = { "", "samples", "count", "cpu", "nanoseconds" };

/* ---- gzip ---- */

struct packer {
	int fd;
	bool failed;
	uint32_t crc, bytes, used;
	uint8_t block[STORED_MOST];
};

static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t n)
{
	for (crc = ~crc; n--; bytes++) {
		crc ^= *bytes;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static void write_bytes(struct packer *p, const uint8_t *bytes, size_t n)
{
	p->failed = p->failed || !samples_write(p->fd, bytes, n);
}

static void write_block(struct packer *p, bool is_last)
{
	uint32_t n = p->used;
	const uint8_t head[] = { is_last, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8) };
	write_bytes(p, head, sizeof(head));
	write_bytes(p, p->block, n);
	p->crc = crc_add(p->crc, p->block, n);
	p->bytes += n;
	p->used = 0;
}

static void put(struct packer *p, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	while (n) {
		size_t part = STORED_MOST - p->used < n ? STORED_MOST - p->used : n;
		memcpy(p->block + p->used, at, part);
		p->used += (uint32_t)part;
		at += part;
		n -= part;
		if (p->used == STORED_MOST)
			write_block(p, false);
	}
}

static void begin(struct packer *p)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	write_bytes(p, head, sizeof(head));
}

static void end(struct packer *p)
{
	write_block(p, true);
	uint8_t tail[8];
	for (unsigned i = 0; i < 4; i++) {
		tail[i] = (uint8_t)(p->crc >> 8 * i);
		tail[4 + i] = (uint8_t)(p->bytes >> 8 * i);
	}
	write_bytes(p, tail, sizeof(tail));
}

/* ---- messages ---- */

struct message {
	size_t n;
	uint8_t bytes[MESSAGE_MOST];
};

static void add_varint(struct message *m, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		m->bytes[m->n++] = (uint8_t)(v | 0x80);
	m->bytes[m->n++] = (uint8_t)v;
}

static void add_number(struct message *m, unsigned field, uint64_t v)
{
	add_varint(m, field << 3);
	add_varint(m, v);
}

static void put_number(struct packer *p, unsigned field, uint64_t v)
{
	struct message m = {};
	add_number(&m, field, v);
	put(p, m.bytes, m.n);
}

static void put_bytes(struct packer *p, unsigned field, const void *bytes, size_t n)
{
	struct message m = {};
	add_varint(&m, field << 3 | 2);
	add_varint(&m, n);
	put(p, m.bytes, m.n);
	put(p, bytes, n);
}

static void put_type(struct packer *p, unsigned field, unsigned type, unsigned unit)
{
	struct message m = {};
	add_number(&m, 1, type);
	add_number(&m, 2, unit);
	put_bytes(p, field, m.bytes, m.n);
}

/* ---- samples and their locations ---- */

/* The input. The words are records of a count, a depth and as many addresses, up to one with count 0; then lines of mappings. */
struct source {
	const uint64_t *words;
	size_t nr;
	const char *maps, *maps_end;
	uint64_t *addresses; /* unique and sorted: a location's ID is 1 + its index */
	size_t addresses_nr;
};

/* The record at an index, or NULL at the end. */
static const uint64_t *record_at(const struct source *s, size_t at)
{
	if (s->nr - at < 2 || !s->words[at] || s->words[at + 1] > SAMPLES_DEPTH || s->words[at + 1] > s->nr - at - 2)
		return NULL;
	return s->words + at;
}

/* A return address is after the call; subtracts one. */
static uint64_t address_of(const uint64_t *record, unsigned i)
{
	return record[2 + i] - (i && record[2 + i]);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static bool find_addresses(struct source *s)
{
	size_t at = HEADER_WORDS, nr = 0, unique = 0;
	const uint64_t *r;
	s->addresses = malloc((s->nr + 1) * sizeof(*s->addresses));
	if (!s->addresses)
		return false;
	for (; (r = record_at(s, at)); at += 2 + r[1])
		for (unsigned i = 0; i < r[1]; i++)
			s->addresses[nr++] = address_of(r, i);
	s->maps = (const char *)(s->words + (s->nr - at < 3 ? s->nr : at + 3));
	qsort(s->addresses, nr, sizeof(*s->addresses), by_number);
	for (size_t i = 0; i < nr; i++)
		if (!unique || s->addresses[i] != s->addresses[unique - 1])
			s->addresses[unique++] = s->addresses[i];
	s->addresses_nr = unique;
	return true;
}

static uint64_t location_of(const struct source *s, uint64_t address)
{
	const uint64_t *found = bsearch(&address, s->addresses, s->addresses_nr, sizeof(*s->addresses), by_number);
	return found ? 1 + (uint64_t)(found - s->addresses) : 0;
}

static void put_samples(struct packer *p, const struct source *s, uint64_t period_ns)
{
	const uint64_t *r;
	for (size_t at = HEADER_WORDS; (r = record_at(s, at)); at += 2 + r[1]) {
		struct message m = {};
		for (unsigned i = 0; i < r[1]; i++)
			add_number(&m, 1, location_of(s, address_of(r, i)));
		add_number(&m, 2, r[0]);
		add_number(&m, 2, r[0] * period_ns);
		put_bytes(p, 2, m.bytes, m.n);
	}
}

/* ---- mappings ---- */

struct map {
	unsigned long long start, end, offset;
	const char *path;
	size_t path_n;
};

/* The next mapping of code with a name; false: none left. */
static bool next_map(const char **at, const char *end, struct map *ret)
{
	while (*at < end) {
		char line[512], rights[8] = "";
		const char *begin = *at, *newline = memchr(begin, '\n', (size_t)(end - begin));
		const char *line_end = newline ? newline : end;
		size_t n = (size_t)(line_end - begin);
		int path = 0;
		*at = newline ? newline + 1 : end;
		snprintf(line, sizeof(line), "%.*s", n < sizeof(line) ? (int)n : (int)sizeof(line) - 1, begin);
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &ret->start, &ret->end, rights, &ret->offset, &path) < 4 || !path)
			continue;
		ret->path = begin + path;
		ret->path_n = (size_t)path < n ? n - (size_t)path : 0;
		if (strchr(rights, 'x') && ret->path_n)
			return true;
	}
	return false;
}

static void put_mappings(struct packer *p, const struct source *s)
{
	const char *at = s->maps;
	struct map map;
	for (unsigned i = 0; next_map(&at, s->maps_end, &map); i++) {
		struct message m = {};
		add_number(&m, 1, i + 1);
		add_number(&m, 2, map.start);
		add_number(&m, 3, map.end);
		add_number(&m, 4, map.offset);
		add_number(&m, 5, TEXT_FILES + i);
		put_bytes(p, 3, m.bytes, m.n);
	}
}

/* Both are sorted by address. */
static void put_locations(struct packer *p, const struct source *s)
{
	const char *at = s->maps;
	struct map map = {};
	bool is_left = true;
	unsigned number = 0;
	for (size_t i = 0; i < s->addresses_nr; i++) {
		struct message m = {};
		while (is_left && s->addresses[i] >= map.end)
			number += is_left = next_map(&at, s->maps_end, &map);
		add_number(&m, 1, i + 1);
		if (is_left && s->addresses[i] >= map.start)
			add_number(&m, 2, number);
		add_number(&m, 3, s->addresses[i]);
		put_bytes(p, 4, m.bytes, m.n);
	}
}

static void put_texts(struct packer *p, const struct source *s)
{
	const char *at = s->maps;
	struct map map;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		put_bytes(p, 6, texts[i], strlen(texts[i]));
	while (next_map(&at, s->maps_end, &map))
		put_bytes(p, 6, map.path, map.path_n);
}

/* ---- the whole ---- */

bool packed_is_name(const char *name)
{
	static const char end_of_name[] = ".pb.gz";
	size_t n = strlen(name), end_n = sizeof(end_of_name) - 1;
	return n > end_n && !strcmp(name + n - end_n, end_of_name);
}

static bool write_source(const struct source *s, int to, struct timespec start, uint64_t duration_ns)
{
	struct packer *p = calloc(1, sizeof(*p));
	uint64_t period_ns = s->words[3] * 1000;
	if (!p)
		return false;
	p->fd = to;
	begin(p);
	put_type(p, 1, TEXT_SAMPLES, TEXT_COUNT);
	put_type(p, 1, TEXT_CPU, TEXT_NANOSECONDS);
	put_samples(p, s, period_ns);
	put_mappings(p, s);
	put_locations(p, s);
	put_texts(p, s);
	put_number(p, 9, (uint64_t)start.tv_sec * 1000000000 + (uint64_t)start.tv_nsec);
	put_number(p, 10, duration_ns);
	put_type(p, 11, TEXT_CPU, TEXT_NANOSECONDS);
	put_number(p, 12, period_ns);
	end(p);
	bool works = !p->failed;
	free(p);
	return works;
}

bool packed_write(int from, int to, struct timespec start, uint64_t duration_ns)
{
	struct stat st;
	if (fstat(from, &st) || st.st_size < (off_t)(HEADER_WORDS * sizeof(uint64_t)))
		return false;
	size_t n = (size_t)st.st_size;
	const void *bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, from, 0);
	if (bytes == MAP_FAILED)
		return false;
	struct source s = { .words = bytes, .nr = n / sizeof(uint64_t), .maps_end = (const char *)bytes + n };
	bool works = find_addresses(&s) && write_source(&s, to, start, duration_ns);
	free(s.addresses);
	munmap((void *)(uintptr_t)bytes, n);
	return works;
}
