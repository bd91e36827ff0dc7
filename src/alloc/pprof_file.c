#include "alloc/pprof_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STORED_MOST  65535 /* maximum bytes of a stored block */
#define MESSAGE_MOST ((PPROF_FRAMES_MOST + 8) * 11)

/* ---- gzip ---- */

struct packer {
	int fd, error; /* error: errno of the first failure */
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
	while (n && !p->error) {
		ssize_t done = write(p->fd, bytes, n);
		if (done < 0 && errno != EINTR)
			p->error = errno;
		if (done > 0) {
			bytes += done;
			n -= (size_t)done;
		}
	}
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

/* ---- texts ---- */

struct texts {
	unsigned nr;
	const char *all[2 * PPROF_VALUES_MOST + 3];
};

/* Its number, by value; a new one if there is none. */
static unsigned text_of(struct texts *x, const char *text)
{
	for (unsigned i = 0; i < x->nr; i++)
		if (!strcmp(x->all[i], text))
			return i;
	x->all[x->nr] = text;
	return x->nr++;
}

static void put_type(struct packer *p, unsigned field, const struct pprof_type *t, struct texts *x)
{
	struct message m = {};
	add_number(&m, 1, text_of(x, t->name));
	add_number(&m, 2, text_of(x, t->unit));
	put_bytes(p, field, m.bytes, m.n);
}

/* ---- samples and their locations ---- */

struct writing {
	const struct pprof_source *source;
	struct texts texts;
	uint64_t *addresses; /* unique and sorted: a location's ID is 1 + its index */
	size_t addresses_nr, bytes;
	struct packer packer;
};

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Apart from the heap, which may be what is profiled. */
static void *map(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* Samples that are counted while this is written are left out. */
static bool find_addresses(struct writing *w)
{
	struct pprof_sample sample;
	size_t most = 0, nr = 0, unique = 0;
	for (size_t at = 0; w->source->next(w->source, &at, &sample);)
		most += sample.depth;
	w->bytes = (most + 1) * sizeof(*w->addresses);
	w->addresses = map(w->bytes);
	if (!w->addresses)
		return false;
	for (size_t at = 0; w->source->next(w->source, &at, &sample) && nr + sample.depth <= most;)
		for (unsigned i = 0; i < sample.depth; i++)
			w->addresses[nr++] = sample.frames[i];
	qsort(w->addresses, nr, sizeof(*w->addresses), by_number);
	for (size_t i = 0; i < nr; i++)
		if (!unique || w->addresses[i] != w->addresses[unique - 1])
			w->addresses[unique++] = w->addresses[i];
	w->addresses_nr = unique;
	return true;
}

static uint64_t location_of(const struct writing *w, uint64_t address)
{
	const uint64_t *found = bsearch(&address, w->addresses, w->addresses_nr, sizeof(*w->addresses), by_number);
	return found ? 1 + (uint64_t)(found - w->addresses) : 0;
}

static void put_samples(struct packer *p, const struct writing *w)
{
	struct pprof_sample sample;
	for (size_t at = 0; w->source->next(w->source, &at, &sample);) {
		struct message m = {};
		bool is_known = true;
		for (unsigned i = 0; i < sample.depth; i++) {
			uint64_t location = location_of(w, sample.frames[i]);
			is_known = is_known && location;
			add_number(&m, 1, location);
		}
		for (unsigned i = 0; i < w->source->types_nr; i++)
			add_number(&m, 2, sample.values[i]);
		if (is_known)
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

static void put_mappings(struct packer *p, const struct writing *w)
{
	const char *at = w->source->maps;
	struct map map;
	for (unsigned i = 0; next_map(&at, w->source->maps_end, &map); i++) {
		struct message m = {};
		add_number(&m, 1, i + 1);
		add_number(&m, 2, map.start);
		add_number(&m, 3, map.end);
		add_number(&m, 4, map.offset);
		add_number(&m, 5, w->texts.nr + i);
		put_bytes(p, 3, m.bytes, m.n);
	}
}

/* Both are sorted by address. */
static void put_locations(struct packer *p, const struct writing *w)
{
	const char *at = w->source->maps;
	struct map map = {};
	bool is_left = true;
	unsigned number = 0;
	for (size_t i = 0; i < w->addresses_nr; i++) {
		struct message m = {};
		while (is_left && w->addresses[i] >= map.end)
			number += is_left = next_map(&at, w->source->maps_end, &map);
		add_number(&m, 1, i + 1);
		if (is_left && w->addresses[i] >= map.start)
			add_number(&m, 2, number);
		add_number(&m, 3, w->addresses[i]);
		put_bytes(p, 4, m.bytes, m.n);
	}
}

static void put_texts(struct packer *p, const struct writing *w)
{
	const char *at = w->source->maps;
	struct map map;
	for (unsigned i = 0; i < w->texts.nr; i++)
		put_bytes(p, 6, w->texts.all[i], strlen(w->texts.all[i]));
	while (next_map(&at, w->source->maps_end, &map))
		put_bytes(p, 6, map.path, map.path_n);
}

/* ---- the whole ---- */

bool pprof_file_is_name(const char *name)
{
	static const char end_of_name[] = ".pb.gz";
	size_t n = strlen(name), end_n = sizeof(end_of_name) - 1;
	return n > end_n && !strcmp(name + n - end_n, end_of_name);
}

static void write_source(struct writing *w)
{
	const struct pprof_source *s = w->source;
	struct packer *p = &w->packer;
	begin(p);
	text_of(&w->texts, "");
	for (unsigned i = 0; i < s->types_nr; i++)
		put_type(p, 1, &s->types[i], &w->texts);
	put_type(p, 11, &s->period_type, &w->texts);
	put_number(p, 12, s->period);
	put_samples(p, w);
	put_mappings(p, w);
	put_locations(p, w);
	put_texts(p, w);
	if (s->time_ns)
		put_number(p, 9, s->time_ns);
	if (s->duration_ns)
		put_number(p, 10, s->duration_ns);
	end(p);
}

int pprof_file_write(int fd, const struct pprof_source *s)
{
	struct writing *w = map(sizeof(*w));
	if (!w)
		return ENOMEM;
	w->source = s;
	w->packer.fd = fd;
	if (find_addresses(w))
		write_source(w);
	else
		w->packer.error = ENOMEM;
	int error = w->packer.error;
	if (w->addresses)
		munmap(w->addresses, w->bytes);
	munmap(w, sizeof(*w));
	return error;
}
