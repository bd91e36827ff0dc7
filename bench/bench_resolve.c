/*
 * How long reading, aggregating and resolving a recording takes, and what it holds in memory.
 *
 *	bench_resolve [-k KEY[,KEY…]] [-t THREADS] [-r REPEATS] [-c | -s] [-n] [-i] [-u] FILE
 *
 * -c only counts, -s streams as `script` does, -n without call chains, -i with inlined functions. -u prints
 * only what unwinding and looking up names took, in milliseconds. Not installed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perfdata/reader.h"
#include "resolve/resolve.h"

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print_memory(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "RssAnon", 7) || !strncmp(line, "VmHWM", 5))
			fputs(line, stdout);
	if (f)
		fclose(f);
}

static void die(struct strobe_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "bench_resolve: %s\n", err->message);
	error_destroy(err);
}

static void print_found(const struct profile *p, const struct resolve_times *t)
{
	if (!p || !p->events.len)
		return;
	printf("  walk %.4f unwind %.4f names %.4f join %.4f", (double)t->walk_ns / 1e9, (double)t->sample_ns / 1e9,
	       (double)t->name_ns / 1e9, (double)t->join_ns / 1e9);
	printf("  rows %zu stacks %zu frames %zu functions %zu samples %llu value %llu", p->rows.len, p->stacks.len, p->frames.len,
	       p->functions.len, (unsigned long long)p->events.data[0].samples, (unsigned long long)p->events.data[0].value);
}

struct seen {
	uint64_t samples, frames, check;
};

static struct strobe_error *see(void *ctx, const struct resolved_sample *s)
{
	struct seen *seen = ctx;
	seen->samples++;
	seen->frames += s->chain_nr;
	for (uint32_t i = 0; i < s->chain_nr; i++)
		seen->check += s->chain[i].addr;
	return NULL;
}

struct settings {
	struct resolve_options resolve;
	const char *keys[16];
	int repeats;
	bool count, stream, only_unwinding;
};

/* Whether the options are valid, and followed by a file. */
static bool parse(int argc, char **argv, struct settings *s)
{
	struct resolve_options *o = &s->resolve;
	int c;
	while ((c = getopt(argc, argv, "k:t:r:csniu")) != -1) {
		if (c == 'k')
			for (char *k = strtok(optarg, ","); k && o->label_keys_nr < 16; k = strtok(NULL, ","))
				s->keys[o->label_keys_nr++] = k;
		else if (c == 't')
			o->threads = (unsigned)atoi(optarg);
		else if (c == 'r')
			s->repeats = atoi(optarg);
		else if (c == 'c')
			s->count = true;
		else if (c == 's')
			s->stream = true;
		else if (c == 'n')
			o->with_chains = false;
		else if (c == 'i')
			o->with_inlines = true;
		else if (c == 'u')
			s->only_unwinding = true;
		else
			return false;
	}
	return optind < argc;
}

int main(int argc, char **argv)
{
	struct settings s = { .resolve = { .with_chains = true }, .repeats = 1 };
	s.resolve.label_keys = s.keys;
	if (!parse(argc, argv, &s))
		return 2;
	for (int i = 0; i < s.repeats; i++) {
		double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
		struct record_source *source = NULL;
		struct strobe_error *err = reader_open(argv[optind], (struct reader_options){ .force = true }, &source);
		if (err) {
			die(err);
			return 1;
		}
		double opened = seconds(CLOCK_MONOTONIC);
		struct resolver *r = resolver_create(source, (struct symbols_options){}, s.resolve);
		struct profile *p = NULL;
		struct seen seen = { 0 };
		if (s.count)
			die(resolve_count(r));
		else if (s.stream)
			die(resolve_stream(r, (struct resolve_callbacks){ .sample = see, .ctx = &seen }));
		else
			die(resolve_aggregate(r, &p));
		double end = seconds(CLOCK_MONOTONIC);
		const struct resolve_times *times = &resolver_stats(r)->times;
		if (s.only_unwinding) {
			printf("%.2f ms\n", (double)(times->sample_ns + times->name_ns) / 1e6);
		} else {
			printf("open %.4f work %.4f wall %.4f cpu %.4f s", opened - wall, end - opened, end - wall,
			       seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
			print_found(p, times);
			if (s.stream)
				printf("  samples %llu frames %llu check %llx", (unsigned long long)seen.samples,
				       (unsigned long long)seen.frames, (unsigned long long)seen.check);
			putchar('\n');
			if (i == s.repeats - 1)
				print_memory();
		}
		profile_destroy(p);
		resolver_destroy(r);
		source_destroy(source);
	}
	return 0;
}
