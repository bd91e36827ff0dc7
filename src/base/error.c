#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct strobe_error *make(enum error_code code, int errnum, char *message)
{
	struct strobe_error *err = xmalloc(sizeof(*err));
	*err = (struct strobe_error){ .code = code, .errnum = errnum, .message = message };
	return err;
}

struct strobe_error *error_create(enum error_code code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *message = xvasprintf(fmt, ap);
	va_end(ap);
	return make(code, 0, message);
}

static enum error_code code_of_errno(int errnum)
{
	switch (errnum) {
	case EACCES:
	case EPERM:
		return ERROR_PERMISSION;
	case ENOENT:
	case ESRCH:
		return ERROR_NOT_FOUND;
	default:
		return ERROR_IO;
	}
}

struct strobe_error *error_errno(int errnum, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *what = xvasprintf(fmt, ap);
	va_end(ap);
	/* Not strerror(): it is neither thread-safe nor the same in every locale. */
	const char *why = strerrordesc_np(errnum);
	char *message = why ? xasprintf("%s: %s", what, why) : xasprintf("%s: error %d", what, errnum);
	free(what);
	return make(code_of_errno(errnum), errnum, message);
}

struct strobe_error *error_with_status(struct strobe_error *err, int status)
{
	if (err)
		err->exit_status = status;
	return err;
}

struct strobe_error *error_with_check(const char *check, struct strobe_error *err)
{
	if (err)
		err->check = check;
	return err;
}

struct strobe_error *error_prefix(struct strobe_error *err, const char *fmt, ...)
{
	if (!err)
		return NULL;
	va_list ap;
	va_start(ap, fmt);
	char *prefix = xvasprintf(fmt, ap);
	va_end(ap);
	char *message = xasprintf("%s: %s", prefix, err->message);
	free(prefix);
	free(err->message);
	err->message = message;
	return err;
}

struct strobe_error *error_first(struct strobe_error *err, struct strobe_error *later)
{
	if (!err)
		return later;
	error_destroy(later);
	return err;
}

void error_destroy(struct strobe_error *err)
{
	if (!err)
		return;
	free(err->message);
	free(err);
}

bool error_is(const struct strobe_error *err, enum error_code code)
{
	return err && err->code == code;
}
