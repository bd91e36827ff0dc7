/* Which file a word means: a path, a program, a library; as a process has it mapped, as a shell or the dynamic linker finds it. */
#pragma once
#include "base/error.h"
#include "tracing/func/choice.h"

/* An absolute path, owned by the caller. word: NULL: the program itself. */
struct strobe_error *func_file_find(const struct func_context *where, const char *word, char **ret) _must_check_;
