/*
 * Parameters and result of a function, from debug information: names, types, and locations of the values at the call.
 *
 * At the first instruction parameters are at the locations of the calling convention. Debug information often has the location after the
 * function has stored them, and is only used if it is an argument register. A value with an unknown location is not shown. Sources: the
 * psABIs of x86-64 and i386, AAPCS64, DWARF 5.
 */
#pragma once
#include "base/arena.h"
#include "bpf/trace/trace_shared.h"
#include "probe/variables.h"

#define FUNC_WORDS 2 /* maximum number of registers of a value */

enum func_place {
	FUNC_NOWHERE, /* unknown, such as floating-point numbers in their own registers */
	FUNC_WORD,    /* in registers */
	FUNC_FETCHED, /* in a piece */
	FUNC_INDIRECT,  /* likewise, but the register has its address: a large struct */
};

struct func_parameter {
	const char *name;        /* "" where it has none */
	const struct type *type; /* NULL: unknown */
	enum func_place place;
	uint8_t words[FUNC_WORDS]; /* FUNC_WORD: indexes of registers */
	uint8_t words_nr;
	uint8_t word_bytes; /* of the program */
	int8_t piece;   /* FUNC_FETCHED, FUNC_INDIRECT: the step that fetched it */
	int8_t pointee; /* the step that fetched the memory it points to; -1: none */
};

struct func_signature {
	const struct func_parameter *parameters;
	size_t nr;
	struct func_parameter result; /* type NULL: void; words: 0 and 1, the result registers */
};

/* The language, by the name in the symbol table: it determines how structs are passed. */
enum func_language { FUNC_OF_C, FUNC_OF_CXX, FUNC_OF_RUST };
enum func_language func_language_of(const char *symbol);

/* NULL: debug information does not have the function. Fills the steps of the plan. Everything lives in the arena; types live with v. */
const struct func_signature *func_signature_make(struct probe_variables *v, uint64_t address, const struct arch *arch,
						 enum func_language language, uint16_t str_limit, struct arena *arena,
						 struct trace_func *plan);

/* Types that are shown as text. */
/* char *, const char *; char alone is a character. */
bool func_type_is_string(const struct type *t);
/* std::string of libstdc++: pointer, length, 16 bytes for short ones. */
bool func_type_is_cxx_string(const struct type *t);
/* &str of Rust, std::string_view: a pointer and a length, in either order. */
bool func_type_is_span(const struct type *t, bool *ret_length_first);
