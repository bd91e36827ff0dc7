/*
 * The heap checker: leaks of a part of the program or of all of it, by the class and the environment of gperftools (heap_checker.h).
 *
 * HEAPCHECK is minimal, normal, strict, draconian, as-is or local. What the check needs besides, strobe reads of the environment
 * (heap/check.h). Where leaks are found at the end the exit status is another.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Has the size and the place of HeapLeakChecker. */
struct leak_check {
	void *unused;
	const char *name;
	uint64_t since; /* record_moment(); what is older is of no interest */
	bool is_done, has_since;
	ssize_t bytes, objects;
	bool is_active;
};

/* Of the environment; true where every allocation is to be counted from the beginning. */
bool checker_set_up(void);
/* Whether the whole program is checked at its end. */
bool checker_is_whole(void);
/* Just before main(), after the constructors of the program: registers the check at its end. */
void checker_begin_main(void);
/* After the destructors of the program. Does not return where leaks were found. */
void checker_finish(void);

/*
 * Looks for leaks since the check began: 0 where there are some. What the stack holds above `stack` counts as reached. 1 also where that
 * is not possible: why is printed.
 */
int checker_check(struct leak_check *c, size_t *ret_objects, size_t *ret_bytes, const void *stack);
/* The same from the frame of the caller on. */
int checker_check_caller(struct leak_check *c, size_t *ret_objects, size_t *ret_bytes);
/* Of the whole program; NULL where that is not checked. */
struct leak_check *checker_whole(void);
void checker_cancel(void);
/* The block that an address lies in. */
void checker_ignore(const void *ptr, bool is_ignored);
/* Called once, before the check at the end. */
void checker_add_cleanup(void (*function)(void));
void checker_run_cleanups(void);
/* To standard error. */
void checker_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
