/*
 * Runs strobe as a child of the program: sends it one text and receives one.
 *
 * Transparent to the program: no handlers of fork() run, no SIGCHLD is sent, and wait(2) does not return the child. The child may
 * trace the program (prctl(2), PR_SET_PTRACER) until it ends, and does not inherit environment variables of profiling libraries.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* arguments: after "strobe", ends with NULL. False if it could not be started or gave no answer; the answer is NUL-terminated. */
bool helper_run(const char *const *arguments, const char *request, char *ret_answer, size_t answer_bytes);
