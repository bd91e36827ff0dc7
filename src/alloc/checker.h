/*
 * The heap checker: finds leaks of a part of the program or the whole, with the class and the environment of gperftools (heap_checker.h).
 *
 * HEAPCHECK is minimal, normal, strict, draconian, as-is or local. Other variables are read by strobe (heap/check.h). Leaks found at
 * the end change the exit status.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The storage of a HeapLeakChecker, with its size. */
struct leak_check {
	void *unused;
	const char *name;
	uint64_t since; /* record_moment(); older blocks are ignored */
	bool is_done, has_since;
	ssize_t bytes, objects;
	bool is_active;
};

/* Reads the environment; true if every allocation must be counted from the beginning. */
bool checker_set_up(void);
/* Whether the whole program is checked at its end. */
bool checker_is_whole(void);
/* Just before main(), after the constructors of the program: registers the check at its end. */
void checker_begin_main(void);
/* After the destructors of the program. Does not return if leaks were found. */
void checker_finish(void);

/*
 * Looks for leaks since the check began: 0 if there are any. Blocks that the stack above `stack` points to are reached. Also returns
 * 1 if the check is not possible, and prints the reason.
 */
int checker_check(struct leak_check *c, size_t *ret_objects, size_t *ret_bytes, const void *stack);
/* The same, with the stack from the caller's frame on. */
int checker_check_caller(struct leak_check *c, size_t *ret_objects, size_t *ret_bytes);
/* The check of the whole program; NULL: none. */
struct leak_check *checker_whole(void);
void checker_cancel(void);
/* Sets whether the block that contains ptr is ignored. */
void checker_ignore(const void *ptr, bool is_ignored);
/* Called once, before the check at the end. */
void checker_add_cleanup(void (*function)(void));
void checker_run_cleanups(void);
/* Prints to standard error. */
void checker_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
