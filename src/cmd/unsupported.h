/*
 * perf's options that no command of this version supports, each with its message (unsupported.def), and those that it accepts
 * and ignores. Parsers for OPTION_CALL. The negated form of an unsupported option is accepted: it changes nothing.
 */
#pragma once
#include <stdbool.h>

#include "base/error.h"

/* Rows of an option table. */
#define UNSUPPORTED_SHORT_OPTION(letter, option, why)                                                          \
	{                                                                                                      \
		OPTION_CALL, letter, option, .arg = "...", .optional_arg = true, .parse = why, .hidden = true, \
		.help = "not supported"                                                                        \
	}
#define UNSUPPORTED_OPTION(option, why) UNSUPPORTED_SHORT_OPTION(0, option, why)
#define NEEDLESS_OPTION(option)                                                  \
	{                                                                        \
		OPTION_CALL, 0, option, .arg = "name", .parse = needless_helper, \
		.help = "accepted for compatibility, ignored"                    \
	}
/* Always on, with or without the option. */
#define NEEDLESS_SWITCH(option)                                                   \
	{                                                                         \
		OPTION_CALL, 0, option, .parse = needless_switch, .hidden = true, \
		.help = "accepted for compatibility, always on"                   \
	}

#define UNSUPPORTED(name, message) struct strobe_error *name(void *options, const char *value, bool negated) _must_check_;
#include "cmd/unsupported.def"
#undef UNSUPPORTED
/* --objdump, --addr2line and the like: the name of a program or library that strobe does not need. */
struct strobe_error *needless_helper(void *options, const char *value, bool negated) _must_check_;
struct strobe_error *needless_switch(void *options, const char *value, bool negated) _must_check_;
