/* The file for a word: a path, a program or a library, as mapped by a process, or as found by a shell or the dynamic linker. */
#pragma once
#include "base/error.h"
#include "tracing/func/choice.h"

/* An absolute path, owned by the caller. word: NULL: the program itself. */
struct strobe_error *func_file_find(const struct func_context *where, const char *word, char **ret) _must_check_;
