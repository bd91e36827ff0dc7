/*
 * An error: a code for programs and one sentence for people.
 *
 * A fallible function returns struct strobe_error *, NULL on success. The sentence says what failed, on what, why, and
 * what to do next, without a trailing newline or full stop. Only cmd/ prints it. The receiver owns the error: it
 * returns it to its caller, or calls error_destroy(). An error belongs to the thread that has it.
 */
#pragma once
#include <stdarg.h>
#include <stdbool.h>

enum error_code {
	ERROR_OTHER,
	ERROR_IO,          /* errnum says more */
	ERROR_FORMAT,      /* invalid input */
	ERROR_TRUNCATED,   /* input ends early */
	ERROR_UNSUPPORTED, /* not supported by this build, kernel or machine */
	ERROR_PERMISSION,  /* the sentence names the setting */
	ERROR_NOT_FOUND,
	ERROR_USAGE,       /* what the user typed */
	ERROR_LIMIT,       /* a limit of strobe or of the system */
	ERROR_STOPPED,     /* a callback stopped it; not a failure */
};

struct strobe_error {
	enum error_code code;
	int errnum;      /* errno that caused it, or 0 */
	int exit_status; /* of a command that fails for this reason, if scripts distinguish it; 0: by code */
	const char *check; /* checks of `strobe doctor` with more information, separated by blanks; static; or NULL */
	char *message;
};

#define _must_check_ __attribute__((warn_unused_result))

struct strobe_error *error_create(enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull)) _must_check_;
/* ERROR_IO (or PERMISSION, NOT_FOUND by errnum); ": strerror(errnum)" is appended to the sentence. */
struct strobe_error *error_errno(int errnum, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull)) _must_check_;
/* A command that fails for this reason ends with `status`. Returns err; NULL stays NULL. */
struct strobe_error *error_with_status(struct strobe_error *err, int status) _must_check_;
/*
 * A permission, a limit, the kernel or the machine is the cause: the command that prints the error appends these checks of `strobe
 * doctor` (doctor/). Returns err; NULL stays NULL.
 */
struct strobe_error *error_with_check(const char *check, struct strobe_error *err) _must_check_;
/* Puts "fmt: " before the sentence of err and returns err. NULL stays NULL. */
struct strobe_error *error_prefix(struct strobe_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3))) _must_check_;
/* The first of two errors; the other is destroyed: err or, if that is NULL, later. */
struct strobe_error *error_first(struct strobe_error *err, struct strobe_error *later) _must_check_;
void error_destroy(struct strobe_error *err);
bool error_is(const struct strobe_error *err, enum error_code code);

static inline void error_destroyp(struct strobe_error **err)
{
	error_destroy(*err);
}

#define _cleanup_error_ __attribute__((cleanup(error_destroyp)))

/* Hands an error on to the caller. */
#define TRY(expr)                                   \
	do {                                        \
		struct strobe_error *try_ = (expr); \
		if (try_)                           \
			return try_;                \
	} while (0)
