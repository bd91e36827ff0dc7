/*
 * Options of the reference that no command of this version serves: each says in one line what is missing. Parsers for
 * OPTION_CALL; an option that is negated asks for nothing, and is let pass.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

/* A row of an option table. */
#define REFUSED_OPTION(option, why)                                                                       \
	{                                                                                                 \
		OPTION_CALL, 0, option, .arg = "...", .optional_arg = true, .parse = why, .hidden = true, \
		.help = "not in this version"                                                             \
	}

struct strobe_error *refused_trace_decoder(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *refused_guests(void *options, const char *value, bool negated) _must_check_;
/* --objdump and the like: names a program, which is not needed and not run. */
struct strobe_error *needless_program(void *options, const char *value, bool negated) _must_check_;
