/* The languages of scripts: by the suffix of a file name, or by a word before a colon as in perf (Python:x.py). */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "scripting/event_values.h"
#include "scripting/values.h"

struct script_language {
	const char *name;             /* "Python" */
	const char *const *words;     /* words before a colon, and file name suffixes; terminated by NULL */
	const char *interpreter;
	const char *needs;            /* for messages if the interpreter is missing */
	const char *runtime;          /* the program that the interpreter runs */
	size_t runtime_bytes;
	const struct value_format *format; /* format in which it reads events */
	const struct event_form *events;
};

/* *ret_path: the part of spec with the file name. ERROR_USAGE lists the languages. */
struct strobe_error *script_language_find(const char *spec, const struct script_language **ret, const char **ret_path) _must_check_;
/* Finds a language by one of its words: "python", "pl". ERROR_USAGE. */
struct strobe_error *script_language_by_word(const char *word, const struct script_language **ret) _must_check_;
