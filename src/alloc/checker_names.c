/*
 * The heap checker under the names of gperftools: class HeapLeakChecker, as declared in heap_checker.h, implemented in C.
 *
 * Names are those of the Itanium C++ ABI for 64 bits: constructors and destructors have two (of the whole object, and of a base). In
 * a program that is linked with libtcmalloc, this library's functions replace those that start the other checker.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "alloc/checker.h"
#include "alloc/heap_checker.h"
#include "alloc/real.h"

#define NAMED(name) __asm__(name) __attribute__((visibility("default")))
#define ALSO(name)  __attribute__((alias(name)))

/* ---- static functions ---- */

bool cxx_is_active(void) NAMED("_ZN15HeapLeakChecker8IsActiveEv");
bool cxx_is_active(void)
{
	return strobe_leak_check_is_active();
}

struct leak_check *cxx_global_checker(void) NAMED("_ZN15HeapLeakChecker13GlobalCheckerEv");
struct leak_check *cxx_global_checker(void)
{
	return checker_whole();
}

int cxx_no_global_leaks(void) NAMED("_ZN15HeapLeakChecker13NoGlobalLeaksEv");
int cxx_no_global_leaks(void)
{
	return strobe_leak_check_all();
}

void cxx_cancel_global_check(void) NAMED("_ZN15HeapLeakChecker17CancelGlobalCheckEv");
void cxx_cancel_global_check(void)
{
	checker_cancel();
}

void cxx_ignore(const void *ptr) NAMED("_ZN15HeapLeakChecker14DoIgnoreObjectEPKv");
void cxx_ignore(const void *ptr)
{
	checker_ignore(ptr, true);
}

void cxx_unignore(const void *ptr) NAMED("_ZN15HeapLeakChecker14UnIgnoreObjectEPKv");
void cxx_unignore(const void *ptr)
{
	checker_ignore(ptr, false);
}

/* ---- a checker ---- */

void cxx_create(struct leak_check *c, const char *name) NAMED("_ZN15HeapLeakCheckerC1EPKc");
void cxx_create(struct leak_check *c, const char *name)
{
	bool is_active = strobe_leak_check_is_active();
	size_t n = strlen(name) + 1;
	char *copy = is_active ? real.malloc(n) : NULL;
	strobe_leak_check_begin((struct strobe_leak_check *)c, copy ? memcpy(copy, name, n) : "");
	if (!is_active)
		checker_say("Heap checker is not active, hence checker \"%s\" will do nothing!\n"
			    "To activate set the HEAPCHECK environment variable.\n", name);
}
void cxx_create_base(struct leak_check *c, const char *name) NAMED("_ZN15HeapLeakCheckerC2EPKc") ALSO("_ZN15HeapLeakCheckerC1EPKc");

void cxx_destroy(struct leak_check *c) NAMED("_ZN15HeapLeakCheckerD1Ev");
void cxx_destroy(struct leak_check *c)
{
	if (c->is_active && !c->is_done)
		checker_say("strobe: HeapLeakChecker \"%s\" ends without a call of NoLeaks()\n", c->name);
	if (*c->name)
		real.free((char *)(uintptr_t)c->name);
	c->name = "";
}
void cxx_destroy_base(struct leak_check *c) NAMED("_ZN15HeapLeakCheckerD2Ev") ALSO("_ZN15HeapLeakCheckerD1Ev");

/* how: whether to resolve symbols, which is always done. Only the first byte is valid, since some are bool. */
int cxx_do_no_leaks(struct leak_check *c, int how) NAMED("_ZN15HeapLeakChecker9DoNoLeaksENS_15ShouldSymbolizeE");
int cxx_do_no_leaks(struct leak_check *c, int how)
{
	(void)how;
	return checker_check_caller(c, NULL, NULL);
}

ssize_t cxx_bytes_leaked(const struct leak_check *c) NAMED("_ZNK15HeapLeakChecker11BytesLeakedEv");
ssize_t cxx_bytes_leaked(const struct leak_check *c)
{
	return c->bytes;
}

ssize_t cxx_objects_leaked(const struct leak_check *c) NAMED("_ZNK15HeapLeakChecker13ObjectsLeakedEv");
ssize_t cxx_objects_leaked(const struct leak_check *c)
{
	return c->objects;
}

/* ---- a disabler, a cleaner ---- */

void cxx_disable(void *disabler) NAMED("_ZN15HeapLeakChecker8DisablerC1Ev");
void cxx_disable(void *disabler)
{
	(void)disabler;
	strobe_leaks_disable();
}
void cxx_disable_base(void *disabler) NAMED("_ZN15HeapLeakChecker8DisablerC2Ev") ALSO("_ZN15HeapLeakChecker8DisablerC1Ev");

void cxx_enable(void *disabler) NAMED("_ZN15HeapLeakChecker8DisablerD1Ev");
void cxx_enable(void *disabler)
{
	(void)disabler;
	strobe_leaks_enable();
}
void cxx_enable_base(void *disabler) NAMED("_ZN15HeapLeakChecker8DisablerD2Ev") ALSO("_ZN15HeapLeakChecker8DisablerD1Ev");

void cxx_clean_up(void *cleaner, void (*function)(void)) NAMED("_ZN11HeapCleanerC1EPFvvE");
void cxx_clean_up(void *cleaner, void (*function)(void))
{
	(void)cleaner;
	checker_add_cleanup(function);
}
void cxx_clean_up_base(void *cleaner, void (*function)(void)) NAMED("_ZN11HeapCleanerC2EPFvvE") ALSO("_ZN11HeapCleanerC1EPFvvE");

void cxx_run_cleanups(void) NAMED("_ZN11HeapCleaner15RunHeapCleanupsEv");
void cxx_run_cleanups(void)
{
	checker_run_cleanups();
}

/* ---- functions that start the checker of libtcmalloc ---- */

#define NOTHING(function, name)            \
	void function(void) NAMED(name);   \
	void function(void)                \
	{                                  \
	}
NOTHING(tcmalloc_first_allocation, "MallocHook_InitAtFirstAllocation_HeapLeakChecker")
NOTHING(tcmalloc_before_constructors, "_Z34HeapLeakChecker_BeforeConstructorsv")
NOTHING(tcmalloc_start, "_Z33HeapLeakChecker_InternalInitStartv")
NOTHING(tcmalloc_run_cleanups, "_Z31HeapLeakChecker_RunHeapCleanupsv")
NOTHING(tcmalloc_after_destructors, "_Z32HeapLeakChecker_AfterDestructorsv")
