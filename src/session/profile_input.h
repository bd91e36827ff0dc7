/*
 * A profile from whatever file a user names: a recording is aggregated, what another program wrote is read as it is.
 */
#pragma once
#include <stdbool.h>

#include "exchange/exchange.h"
#include "profile/profile.h"
#include "session/host.h"

struct profile_input {
	const char *path;
	const struct exchange_format *format; /* NULL: what it looks like */
	const char *value;                    /* not NULL: read only this kind of values (profile_choose_event()) */
	bool force;                           /* a recording that belongs to another user */
};

/*
 * The profile is the caller's. What was lost while recording is said, as by every command that reads a recording; of one that
 * is damaged what is whole is given (session_damage()).
 */
struct strobe_error *profile_input_read(const struct session_host *host, const struct profile_input *input, struct profile **ret)
	_must_check_;
/* Says what of a file that another program wrote could not be read. name: the file's. */
void profile_input_remarks(const struct session_host *host, const char *name, const struct profile *p);
