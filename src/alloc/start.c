/*
 * Calls a function just before main(): the constructors of the program have run by then, and functions registered with atexit() run
 * before its destructors. The C library's start code calls main(); here a wrapper is inserted if needed.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "alloc/checker.h"
#include "alloc/record.h"

#define EXPORT __attribute__((visibility("default")))

typedef int (*main_fn)(int argc, char **argv, char **envp);
typedef int (*start_fn)(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack);

static main_fn program_main;

static int begin_main(int argc, char **argv, char **envp)
{
	checker_begin_main();
	return program_main(argc, argv, envp);
}

/* musl passes six arguments; the last one is then undefined. */
EXPORT int __libc_start_main(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
			     void *stack);
int __libc_start_main(main_fn main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack)
{
	start_fn start;
	*(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
	(void)record_begin();
	program_main = main;
	return start(checker_is_whole() ? begin_main : main, argc, argv, init, fini, rtld_fini, stack);
}
