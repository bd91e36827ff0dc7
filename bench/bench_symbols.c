/*
 * How long it takes to read the symbols of a file and to find one: a new session each time, as at the start of a report.
 *
 *	bench_symbols [-r REPEATS] FILE
 *
 * Prints how many lookups were answered, then the times. Not installed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "machine/machine.h"
#include "object/object.h"
#include "symbol/symbol.h"

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The number of places in the code that have a name. */
static void print_found(const char *path, struct dso *d)
{
	struct object *debug, *o = dso_object(d, &debug);
	const struct object_section *text = o ? object_find_section(o, ".text") : NULL;
	unsigned found = 0, asked = 0;
	for (uint64_t at = 0; text && at < text->bytes; at += 64, asked++)
		found += dso_symbol(d, text->addr + at) != NULL;
	printf("%s: %u of %u places have a symbol\n", path, found, asked);
}

int main(int argc, char **argv)
{
	unsigned repeats = 10;
	for (int c; (c = getopt(argc, argv, "r:")) != -1;)
		if (c == 'r')
			repeats = (unsigned)atoi(optarg);
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: bench_symbols [-r REPEATS] FILE\n");
		return 1;
	}
	struct mapped_file file = { .kind = MAPPED_FILE, .path = argv[optind], .name = argv[optind] };
	for (unsigned r = 0; r < repeats; r++) {
		double from = now_ms();
		struct symbols *s = symbols_create(NULL, (struct symbols_options){});
		struct dso *d = symbols_dso(s, &file);
		dso_symbol(d, 0x100000);
		double ms = now_ms() - from;
		if (!r)
			print_found(argv[optind], d);
		printf("%.2f ms\n", ms);
		symbols_destroy(s);
	}
	return 0;
}
