/*
 * Finds interpreters of scripts in object files: the kind, the start of the path to its frames, and its evaluation loop. Each kind
 * has a source file with its structures. Supported are versions with a layout; the file name is used only if the object does not
 * contain the version. Files are hostile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "interp/hotspot.h"
#include "interp/layouts.h"
#include "interp/python.h"
#include "object/object.h"

struct interpreter_range {
	uint64_t start, end; /* end is exclusive */
};

/* The location of a thread-local variable. */
struct interpreter_tls {
	uint64_t module; /* vaddr of the word that has the module ID when the process runs; 0: at an offset from the thread pointer */
	int64_t offset;
};

struct interpreter {
	enum script_kind kind; /* SCRIPT_NONE: none */
	bool is_known;         /* its version is supported */
	uint64_t start;        /* vaddr of the variable that leads to its frames: see struct script_process */
	/* vaddrs of the evaluation loop, or of its caller; the second range, for code that the compiler moved away, may be empty. */
	struct interpreter_range loop[2];
	union {
		struct python_layout python;
		struct php_layout php;
		struct ruby_layout ruby;
		struct perl_layout perl;
		struct v8_layout v8;
		struct hotspot_symbols hotspot; /* its layout is the process's */
	};
	struct interpreter_tls context; /* for Ruby */
	/* For the C library, which has no interpreter: offset of a thread's blocks of keys; 0: another object. */
	uint32_t keys;
};

/* Symbols; the finders of each kind use them. */
enum interpreter_symbol {
	INTERPRETER_PYTHON,
	INTERPRETER_PYTHON_LOOP,
	INTERPRETER_PYTHON_VERSION,
	INTERPRETER_PHP,
	INTERPRETER_PHP_LOOP,
	INTERPRETER_RUBY,
	INTERPRETER_RUBY_LOOP,
	INTERPRETER_RUBY_VERSION,
	INTERPRETER_RUBY_THREAD,
	INTERPRETER_PERL,
	INTERPRETER_PERL_LOOP,
	INTERPRETER_PERL_DEBUG_LOOP,
	INTERPRETER_PERL_MAJOR,
	INTERPRETER_PERL_MINOR,
	INTERPRETER_KEYS,
	INTERPRETER_V8,
	INTERPRETER_V8_FRAME,
	INTERPRETER_HOTSPOT,
	INTERPRETER_HOTSPOT_TYPES,
	INTERPRETER_LUAJIT,
	INTERPRETER_SYMBOLS,
};

struct interpreter_symbols {
	struct object_symbol of[INTERPRETER_SYMBOLS]; /* section 0: missing */
	uint32_t index[INTERPRETER_SYMBOLS];          /* in .dynsym; 0: missing */
	struct interpreter_range cold;                /* the cold part of a loop, if a symbol identifies it */
};

void interpreter_find(struct object *o, const char *name, struct interpreter *ret);
/* Whether an object has an interpreter, judging only by exported symbols. */
bool interpreter_is_in(const struct object *o);
/* "[php]": the name of the mapping with its frames. */
const char *interpreter_mapping(enum script_kind kind);

/* Each fills in the result of interpreter_find(), if the symbols of its kind exist. */
void php_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret);
void ruby_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret);
void perl_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret);
void v8_find(struct object *o, struct interpreter *ret);
void luajit_find(struct object *o, struct interpreter *ret);
void hotspot_find(const struct object *o, struct interpreter *ret);

/* Ruby's table of lines. */
struct ruby_lines {
	const void *positions;
	size_t positions_bytes;
	const void *lines; /* entries of 12 bytes */
	size_t lines_bytes;
	uint32_t size;     /* of the code, in positions */
	uint32_t lines_nr; /* total number of entries */
	uint32_t first_line;
};
/* Appends them in the form PYTHON_LINES_LNOTAB; if they are truncated or damaged, positions have the first line. */
void ruby_lines_convert(const struct ruby_lines *r, struct strbuf *to);
