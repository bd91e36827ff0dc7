/*
 * Interpreters of scripts in object files: which one a file has, where it begins to look for frames, and where its evaluation loop is.
 * Each kind has a file of its own that knows its structures. Known are those whose version has a layout; the name of the file is read
 * only where the object does not say which version it is. Files are hostile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "interp/layouts.h"
#include "interp/python.h"
#include "object/object.h"

struct interpreter_range {
	uint64_t start, end; /* end excluded */
};

/* Where a variable of threads is. */
struct interpreter_tls {
	uint64_t module; /* vaddr of the word that has the number of its module when the process runs; 0: at the thread pointer */
	int64_t offset;
};

struct interpreter {
	enum script_kind kind; /* SCRIPT_NONE: there is none */
	bool is_known;         /* its version is */
	uint64_t start;        /* vaddr: struct script_process has what of */
	/* vaddrs of the evaluation loop, or what calls it each time; the second, of what the compiler moved away, may be empty. */
	struct interpreter_range loop[2];
	union {
		struct python_layout python;
		struct php_layout php;
		struct ruby_layout ruby;
		struct perl_layout perl;
		struct v8_layout v8;
	};
	struct interpreter_tls context; /* of Ruby */
	/* In a thread, where the blocks of its keys are: of the C library, which has no interpreter; 0: this is another object. */
	uint32_t keys;
};

/* What symbols say; the finders of each kind fill the rest. */
enum interpreter_symbol {
	INTERPRETER_PYTHON,
	INTERPRETER_PYTHON_LOOP,
	INTERPRETER_PYTHON_VERSION,
	INTERPRETER_PHP,
	INTERPRETER_PHP_LOOP,
	INTERPRETER_RUBY,
	INTERPRETER_RUBY_LOOP,
	INTERPRETER_RUBY_VERSION,
	INTERPRETER_PERL,
	INTERPRETER_PERL_LOOP,
	INTERPRETER_PERL_DEBUG_LOOP,
	INTERPRETER_PERL_MAJOR,
	INTERPRETER_PERL_MINOR,
	INTERPRETER_KEYS,
	INTERPRETER_V8,
	INTERPRETER_V8_FRAME,
	INTERPRETER_SYMBOLS,
};

struct interpreter_symbols {
	struct object_symbol of[INTERPRETER_SYMBOLS]; /* section 0: there is none */
	uint32_t index[INTERPRETER_SYMBOLS];          /* in .dynsym, where it is there; 0: it is not */
	struct interpreter_range cold;                /* the other part of a loop, where a symbol says so */
};

void interpreter_find(struct object *o, const char *name, struct interpreter *ret);
/* Whether an object has one, as far as the symbols say that it exports: without a look at its structures. */
bool interpreter_is_in(const struct object *o);
/* "[php]": the mapping of its frames. */
const char *interpreter_mapping(enum script_kind kind);

/* Each sets what interpreter_find() returns, where the symbols of its kind are there. */
void php_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret);
void ruby_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret);
void perl_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret);
void v8_find(struct object *o, struct interpreter *ret);

/* Tables of lines as Ruby has them. */
struct ruby_lines {
	const void *positions;
	size_t positions_bytes;
	const void *lines; /* entries of 12 bytes */
	size_t lines_bytes;
	uint32_t size;     /* of the code, in positions */
	uint32_t lines_nr; /* entries that there are in all */
	uint32_t first_line;
};
/* Appends them in the form PYTHON_LINES_LNOTAB; where they are cut or damaged, positions have the first line. */
void ruby_lines_convert(const struct ruby_lines *r, struct strbuf *to);
