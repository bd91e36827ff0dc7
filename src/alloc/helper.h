/*
 * strobe as a child of the program: one text to it, one back.
 *
 * The program does not notice: no handlers of fork() run, no SIGCHLD comes, and wait(2) does not see it. It may trace the program
 * (prctl(2), PR_SET_PTRACER) until it ends, and does not inherit what loads or directs libraries of profilers.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* arguments: after "strobe", ends with NULL. False where it could not be started or gave no answer; the answer ends with 0. */
bool helper_run(const char *const *arguments, const char *request, char *ret_answer, size_t answer_bytes);
