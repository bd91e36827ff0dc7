/*
 * A request of the heap checker of libstrobe_alloc.so (alloc/checker.h): the leaks of the requesting process, in the format of
 * gperftools' heap checker, and their profile in a file. The text is a message on the program's standard error, not a table: other
 * commands read the profile.
 *
 * The request is lines of a key and a value: name, tid, stack, threads, globals, since. The answer is "leaks OBJECTS BYTES". Further
 * settings are gperftools' environment variables: HEAP_CHECK_MAX_LEAKS, HEAP_CHECK_IDENTIFY_LEAKS, HEAP_CHECK_TEST_POINTER_ALIGNMENT,
 * HEAP_CHECK_POINTER_SOURCE_ALIGNMENT, HEAP_CHECK_MAX_POINTER_OFFSET, HEAP_CHECK_DUMP_DIRECTORY.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"
#include "session/host.h"

struct heap_check_job {
	const struct session_host *host;
	uint32_t pid;
	const char *request;
	struct strobe_error *(*write_file)(const char *path, struct strobe_error *(*write)(void *ctx, struct out *out), void *ctx);
	struct out *text, *answer;
};

/* ERROR_FORMAT if the request is invalid. */
struct strobe_error *heap_check_run(const struct heap_check_job *job) _must_check_;
