/*
 * A profile from any supported file: a recording is aggregated, a file of another program is read directly.
 */
#pragma once
#include <stdbool.h>

#include "exchange/exchange.h"
#include "profile/profile.h"
#include "session/host.h"

struct env;

struct profile_input {
	const char *path;
	const struct exchange_format *format; /* NULL: detect it */
	const char *value;                    /* read only these values (profile_choose_event()); NULL: all */
	bool force;                           /* a recording that belongs to another user */
};

/*
 * The caller owns the profile. Losses while recording are reported, as by every command that reads a recording; of a damaged one
 * the complete part is used (session_damage()).
 */
struct strobe_error *profile_input_read(const struct session_host *host, const struct profile_input *input, struct profile **ret)
	_must_check_;
/*
 * What a profile that was made from records needs for other programs: units of its values, the time of day of its start, and no event
 * that counts nothing. Its events are those of the environment, in order.
 */
void profile_input_complete(struct profile *p, const struct env *env);
/* Reports the parts of another program's file that could not be read. name: the file's. */
void profile_input_remarks(const struct session_host *host, const char *name, const struct profile *p);
