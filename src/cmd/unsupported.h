/*
 * Options of the reference that no command of this version serves, each with its sentence (unsupported.def), and those that name
 * what is not needed. Parsers for OPTION_CALL; a refused option that is negated asks for nothing, and is let pass.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

/* Rows of an option table. */
#define REFUSED_SHORT_OPTION(letter, option, why)                                                              \
	{                                                                                                      \
		OPTION_CALL, letter, option, .arg = "...", .optional_arg = true, .parse = why, .hidden = true, \
		.help = "not supported"                                                                  \
	}
#define REFUSED_OPTION(option, why) REFUSED_SHORT_OPTION(0, option, why)
#define NEEDLESS_OPTION(option)                                                                                \
	{                                                                                                      \
		OPTION_CALL, 0, option, .arg = "name", .parse = needless_helper,                               \
		.help = "accepted for compatibility, ignored"                     \
	}
/* What is done anyway. */
#define NEEDLESS_SWITCH(option)                                                                                \
	{                                                                                                      \
		OPTION_CALL, 0, option, .parse = needless_switch, .hidden = true,                              \
		.help = "accepted for compatibility, always on"                                          \
	}

#define REFUSED(name, sentence) struct strobe_error *name(void *options, const char *value, bool negated) _must_check_;
#include "cmd/unsupported.def"
#undef REFUSED
/* --objdump, --addr2line and the like: names a program or a library that would do what is done here. */
struct strobe_error *needless_helper(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *needless_switch(void *options, const char *value, bool negated) _must_check_;
