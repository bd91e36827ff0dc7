/*
 * The same code at the same addresses of the same thread, but another function: first() and second() are in libraries, of which one takes
 * the other's place after dlclose(); before() and after() in two programs, of which one executes the other. The stacks of their waits are
 * equal to the last bit. Prints "NAME NS" for each: the time that its waits took. Exits with 3 if the places differ.
 *
 *	cc -shared -fPIC -DPART=first -o reloads-1.so reloads.c; -DPART=second -o reloads-2.so
 *	cc -DSTAGE=before -o reloads-1 reloads.c; -DSTAGE=after -o reloads-2; all in one folder: reloads-1
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <time.h>
#include <unistd.h>

#define HERE	  __attribute__((noinline, noclone))
#define AFTER	  asm volatile("") /* not a tail call */
#define ROUNDS	  50 /* more than waits that were once not summed up */
#define PERIOD_US 4000
#define NAME(s)	  #s
#define NAME_OF(s) NAME(s)

#ifdef PART

HERE void PART(void (*rest)(void))
{
	rest();
	AFTER;
}

#else

static long long waited_ns;
static uintptr_t frame;

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

HERE static void rest(void)
{
	long long at_ns = now_ns();
	frame = (uintptr_t)__builtin_frame_address(0);
	usleep(PERIOD_US);
	waited_ns += now_ns() - at_ns;
}

/* One return address for all. */
HERE static void measure(const char *name, void (*part)(void (*)(void)))
{
	waited_ns = 0;
	for (int i = 0; i < ROUNDS; i++)
		part(rest);
	printf("%s %lld\n", name, waited_ns);
	fflush(stdout);
}

HERE void STAGE(void (*part)(void))
{
	part();
	AFTER;
}

/* The path of this program or, with a suffix, of a library beside it. */
static char path[4096];

static const char *path_of(int number, const char *suffix)
{
	size_t n = strlen(path);
	n -= n > 3 && !strcmp(path + n - 3, ".so") ? 3 : 0;
	snprintf(path + n - 1, sizeof(path) - n + 1, "%d%s", number, suffix);
	return path;
}

static uintptr_t load(int number, const char *name)
{
	path_of(number, ".so");
	void *handle = dlopen(path, RTLD_NOW);
	void *part = handle ? dlsym(handle, name) : NULL;
	if (!part)
		exit(2);
	measure(name, (void (*)(void (*)(void)))part);
	dlclose(handle);
	return (uintptr_t)part;
}

/* Arguments of one length, so that the stack of the next program is where this one's is. */
static void execute(int number, uintptr_t place)
{
	char text[32];
	path_of(number, "");
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)place);
	execl(path, path, text, (char *)NULL);
	exit(2);
}

int main(int argc, char **argv)
{
	uintptr_t place = argc > 1 ? strtoull(argv[1], NULL, 16) : 0;
	snprintf(path, sizeof(path), "%s", argv[0]);
	if (argc < 2) {
		personality(ADDR_NO_RANDOMIZE);
		execute(1, 0);
	}
	if (!place && load(1, "first") != load(2, "second"))
		return 3;
	measure(NAME_OF(STAGE), STAGE);
	if (!place)
		execute(2, frame);
	return place == frame ? 0 : 3;
}

#endif
