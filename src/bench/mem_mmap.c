/*
 * mem mmap: map memory, write to each page, unmap; pages are populated by the first write or by mmap(2).
 *
 * The time includes all three steps, in each thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/mem.h"
#include "bench/tasks.h"

#define TASKS_MAX (1 << 16)

struct way {
	const char *name, *summary;
	int flags;
};

static const struct way ways[] = {
	{ "demand", "Demand loaded mmap()", 0 },
	{ "populate", "Eagerly populated mmap()", MAP_POPULATE },
	{},
};

struct mapper {
	const struct bench_settings *s;
	const struct way *way;
	uint64_t bytes, page_bytes, loops, ns, cycles;
} THREAD_OWN;

/* Writes a byte of each page; with a seed, at a random offset in each. */
static void touch(uint8_t *pages, uint64_t bytes, uint64_t page_bytes, uint64_t seed)
{
	uint64_t state = seed;
	for (uint64_t at = 0; at < bytes; at += page_bytes) {
		uint64_t within = 0;
		if (seed) {
			state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth's MMIX */
			within = (state >> 33) % page_bytes;
		}
		*(volatile uint8_t *)(pages + at + within) = 1;
	}
}

static struct strobe_error *map_once(const struct mapper *m)
{
	uint8_t *pages;
	TRY(mem_map(m->bytes, m->page_bytes, m->way->flags, &pages));
	touch(pages, m->bytes, m->page_bytes, m->s->seed);
	munmap(pages, m->bytes);
	return NULL;
}

static struct strobe_error *map_repeatedly(struct mapper *m, int cycles)
{
	uint64_t from = cycles >= 0 ? mem_read_cycles(cycles) : 0, start_ns = bench_clock_ns();
	for (uint64_t i = 0; i < m->loops; i++)
		TRY(map_once(m));
	m->ns = bench_clock_ns() - start_ns;
	m->cycles = cycles >= 0 ? mem_read_cycles(cycles) - from : 0;
	return NULL;
}

static int run_mapper(void *arg)
{
	struct mapper *m = arg;
	int cycles = -1;
	struct strobe_error *err = m->s->cycles ? mem_open_cycles(&cycles) : NULL;
	err = err ? err : map_repeatedly(m, cycles);
	if (cycles >= 0)
		close(cycles);
	int e = err ? (err->errnum ? err->errnum : EIO) : 0;
	error_destroy(err);
	return e;
}

static struct strobe_error *run_all(struct mapper *mappers, uint64_t n)
{
	struct bench_tasks t;
	uint64_t ns;
	TRY(bench_tasks_init(&t, true));
	struct strobe_error *err = NULL;
	for (uint64_t i = 0; i < n && !err; i++)
		err = bench_task_start(&t, run_mapper, &mappers[i], -1);
	err = err ? err : bench_tasks_run(&t, &ns);
	bench_tasks_end(&t);
	return err;
}

static void put(struct bench_report *r, const struct mapper *mappers, uint64_t n)
{
	struct stats rates = {}, cycles = {};
	char spread[48] = "";
	const struct way *way = mappers->way;
	double bytes = (double)mappers->bytes * (double)mappers->loops;
	for (uint64_t i = 0; i < n; i++) {
		stats_add(&rates, bench_per_second(mappers[i].bytes * mappers[i].loops, mappers[i].ns));
		stats_add(&cycles, (double)mappers[i].cycles / bytes);
	}
	bool has_cycles = mappers->s->cycles;
	if (n > 1)
		snprintf(spread, sizeof(spread), "/thread\t( +- %6.2f%% )", bench_error_percent(has_cycles ? &cycles : &rates));
	if (has_cycles) {
		bench_text(r, " %14f cycles/byte%s\n", cycles.mean, spread);
		bench_simple(r, "%f\n", cycles.mean);
		bench_figure(r, way->name, "cycles", "cycles/byte", cycles.mean);
	} else {
		mem_put_rate(r, rates.mean, spread);
	}
	bench_figure(r, way->name, "rate", "B/s", rates.mean);
}

static struct strobe_error *measure(struct bench_report *r, const struct way *way, const struct bench_settings *s, uint64_t n)
{
	uint64_t page = s->page_bytes ? s->page_bytes : MEM_PAGE_BYTES, bytes = s->bytes ? s->bytes : MEM_DEFAULT_BYTES;
	if (bytes > INT64_MAX - page)
		return error_create(ERROR_USAGE, "a size of %" PRIu64 " bytes is too large", bytes);
	bytes = (bytes + page - 1) / page * page;
	bench_line(r, "# function '%s' (%s)\n", way->name, way->summary);
	bench_text(r, "# Copying %s bytes ...\n\n", s->size ? s->size : MEM_DEFAULT_SIZE);
	struct mapper *mappers = xcalloc_apart(n, sizeof(*mappers));
	for (uint64_t i = 0; i < n; i++)
		mappers[i] = (struct mapper){ .s = s, .way = way, .bytes = bytes, .page_bytes = page, .loops = s->loops ? s->loops : 1 };
	struct strobe_error *err = run_all(mappers, n);
	if (!err)
		put(r, mappers, n);
	free(mappers);
	return err;
}

/* Reports the reason once, as a full error; threads return an errno. */
static struct strobe_error *check_cycles(void)
{
	int fd;
	TRY(mem_open_cycles(&fd));
	close(fd);
	return NULL;
}

struct strobe_error *bench_mmap(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t threads = s->tasks ? s->tasks : 1, found = 0;
	bool is_all = !s->function || !strcmp(s->function, "all");
	if (threads > TASKS_MAX)
		return error_create(ERROR_USAGE, "-t: at most %d threads", TASKS_MAX);
	if (s->function && !strcmp(s->function, "help")) {
		bench_line(r, "Available functions:\n");
		for (const struct way *way = ways; way->name; way++)
			bench_line(r, "\t%s ... %s\n", way->name, way->summary);
		return NULL;
	}
	if (s->cycles)
		TRY(check_cycles());
	bench_setting(r, "bytes", s->bytes ? s->bytes : MEM_DEFAULT_BYTES);
	bench_setting(r, "loops", s->loops ? s->loops : 1);
	bench_setting(r, "threads", threads);
	for (const struct way *way = ways; way->name; way++)
		if (is_all || !strcmp(s->function, way->name)) {
			TRY(measure(r, way, s, threads));
			found++;
		}
	return found ? NULL : error_create(ERROR_USAGE, "unknown function '%s': expected demand, populate", s->function);
}
