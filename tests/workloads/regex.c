/*
 * Regular expressions that PCRE2 compiles, in stacks of known shape: regex [MILLISECONDS [LIBRARY]]. Half of the time the compiled
 * code itself runs, half of it a function that it calls; both below inner(), outer() and main(). PCRE2 is declared here and loaded when the
 * program runs: what it was built with has no headers of it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIBRARY	     "libpcre2-8.so.0"
#define JIT_COMPLETE 1
#define UNLIMITED    100000000

static volatile unsigned long sink;
static void *(*compile)(const char *pattern, size_t bytes, uint32_t options, int *error, size_t *at, void *context);
static int (*jit_compile)(void *code, uint32_t options);
static void *(*match_data)(const void *code, void *context);
static int (*match)(const void *code, const char *subject, size_t bytes, size_t start, uint32_t options, void *data, void *context);
static void *(*match_context)(void *context);
static int (*set_callout)(void *context, int (*call)(void *block, void *data), void *data);
static int (*set_match_limit)(void *context, uint32_t limit);

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noipa)) static int callback(void *block, void *data)
{
	(void)block;
	(void)data;
	for (int i = 0; i < 20000; i++)
		sink += (unsigned long)i * sink;
	return 0;
}

__attribute__((noipa)) static int inner(const void *code, const char *subject, void *data, void *context)
{
	int found = match(code, subject, strlen(subject), 0, 0, data, context);
	sink += (unsigned long)found;
	return found;
}

__attribute__((noipa)) static int outer(const void *code, const char *subject, void *data, void *context)
{
	int found = inner(code, subject, data, context);
	sink += (unsigned long)found;
	return found;
}

static void *load(void *library, const char *name)
{
	void *at = dlsym(library, name);
	if (!at) {
		fprintf(stderr, "no %s in the library\n", name);
		exit(77);
	}
	return at;
}

static void run(const char *pattern, const char *subject, double seconds)
{
	int error;
	size_t at;
	void *code = compile(pattern, strlen(pattern), 0, &error, &at, NULL), *context = match_context(NULL), *data;
	if (!code || jit_compile(code, JIT_COMPLETE)) {
		fprintf(stderr, "the library compiles nothing\n");
		exit(77);
	}
	data = match_data(code, NULL);
	set_callout(context, callback, NULL);
	set_match_limit(context, UNLIMITED);
	for (double end = now() + seconds; now() < end;)
		outer(code, subject, data, context);
}

int main(int argc, char **argv)
{
	/* lookaheads, recursion, groups and alternatives: calls within the compiled code, and words on its stack */
	static const char nested[] = "^(?:(?=([ab(]+)*)(\\((?:[^()]|(?2))*\\)|a|b|(?:ab?)*?))*c$";
	static const char called[] = "(?:x(?C1)y)+z";
	static char subject[2048];
	double seconds = argc > 1 ? atof(argv[1]) / 1000 : 1;
	void *library = dlopen(argc > 2 ? argv[2] : LIBRARY, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 77;
	}
	compile = load(library, "pcre2_compile_8");
	jit_compile = load(library, "pcre2_jit_compile_8");
	match_data = load(library, "pcre2_match_data_create_from_pattern_8");
	match = load(library, "pcre2_match_8");
	match_context = load(library, "pcre2_match_context_create_8");
	set_callout = load(library, "pcre2_set_callout_8");
	set_match_limit = load(library, "pcre2_set_match_limit_8");
	for (size_t i = 0; i + 1 < sizeof(subject); i++)
		subject[i] = "ab(a(b)a)"[i % 9];
	run(nested, subject, seconds / 2);
	run(called, "xyxyxyxyxyz", seconds / 2);
	return 0;
}
