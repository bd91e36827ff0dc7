#include "profiler/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUCKETS      1024
#define WAYS         4
#define BUFFER_WORDS 32768

struct record {
	uint64_t count, depth, frames[SAMPLES_DEPTH];
};

struct samples {
	int fd;
	bool failed;
	size_t used; /* in words of the buffer */
	uint64_t hashes[BUCKETS][WAYS];
	struct record records[BUCKETS][WAYS];
	uint64_t buffer[BUFFER_WORDS];
};

bool samples_write(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n) {
		ssize_t done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

static void write_buffer(struct samples *s)
{
	s->failed = s->failed || !samples_write(s->fd, s->buffer, s->used * sizeof(*s->buffer));
	s->used = 0;
}

static void put(struct samples *s, const uint64_t *words, size_t n)
{
	if (s->used + n > BUFFER_WORDS)
		write_buffer(s);
	memcpy(s->buffer + s->used, words, n * sizeof(*words));
	s->used += n;
}

struct samples *samples_open(int fd, uint64_t period_us)
{
	const uint64_t header[] = { 0, 3, 0, period_us, 0 };
	struct samples *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	s->fd = fd;
	put(s, header, sizeof(header) / sizeof(*header));
	return s;
}

static void put_record(struct samples *s, struct record *r)
{
	if (r->count)
		put(s, &r->count, r->depth + 2);
	r->count = 0;
}

void samples_add(struct samples *s, uint64_t hash, const uint64_t *frames, unsigned depth)
{
	uint64_t bucket = hash % BUCKETS;
	unsigned least = 0;
	depth = depth < SAMPLES_DEPTH ? depth : SAMPLES_DEPTH;
	for (unsigned way = 0; way < WAYS; way++) {
		struct record *r = &s->records[bucket][way];
		if (r->count && s->hashes[bucket][way] == hash && r->depth == depth) {
			r->count++;
			return;
		}
		if (r->count < s->records[bucket][least].count)
			least = way;
	}
	struct record *r = &s->records[bucket][least];
	put_record(s, r);
	s->hashes[bucket][least] = hash;
	r->count = 1;
	r->depth = depth;
	memcpy(r->frames, frames, depth * sizeof(*frames));
}

void samples_flush(struct samples *s)
{
	for (unsigned bucket = 0; bucket < BUCKETS; bucket++)
		for (unsigned way = 0; way < WAYS; way++)
			put_record(s, &s->records[bucket][way]);
	write_buffer(s);
}

bool samples_write_mappings(int fd)
{
	char bytes[4096];
	bool works = true;
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	for (ssize_t n; works && maps >= 0 && (n = read(maps, bytes, sizeof(bytes))) > 0;)
		works = samples_write(fd, bytes, (size_t)n);
	if (maps >= 0)
		close(maps);
	return works;
}

void samples_abandon(struct samples *s)
{
	close(s->fd);
	munmap(s, sizeof(*s));
}

bool samples_close(struct samples *s)
{
	const uint64_t end[] = { 0, 1, 0 };
	samples_flush(s);
	put(s, end, sizeof(end) / sizeof(*end));
	write_buffer(s);
	bool failed = s->failed || !samples_write_mappings(s->fd);
	failed |= close(s->fd) != 0;
	munmap(s, sizeof(*s));
	return !failed;
}
