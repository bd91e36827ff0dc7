/*
 * The parameters of a function and what it returns, by debug information: names, types, and where the values are when it is called.
 *
 * At its first instruction parameters are where the calling convention puts them; debug information often says where they will be
 * once the function has stored them, and is believed only where it names a register that arguments come in. A value whose place is not
 * known is not shown. Sources: the psABI of x86-64, AAPCS64, DWARF 5.
 */
#pragma once
#include "base/arena.h"
#include "bpf/trace/trace_shared.h"
#include "probe/variables.h"

#define FUNC_WORDS 2 /* registers of one value */

enum func_place {
	FUNC_NOWHERE, /* not known, as of floating point numbers in registers of their own */
	FUNC_WORD,    /* in registers */
	FUNC_FETCHED, /* in a piece */
	FUNC_BEHIND,  /* likewise, and the register has its address: a big struct */
};

struct func_parameter {
	const char *name;        /* "" where it has none */
	const struct type *type; /* NULL: not known */
	enum func_place place;
	uint8_t words[FUNC_WORDS]; /* FUNC_WORD: numbers of registers */
	uint8_t words_nr;
	int8_t piece;   /* FUNC_FETCHED, FUNC_BEHIND: the step that fetched it */
	int8_t pointee; /* the step that fetched what it points at; -1: none */
};

struct func_signature {
	const struct func_parameter *parameters;
	size_t nr;
	struct func_parameter result; /* type NULL: nothing; words: 0 and 1, the registers of results */
};

/* By the name in the symbol table: how structs are passed depends on it. */
enum func_language { FUNC_OF_C, FUNC_OF_CXX, FUNC_OF_RUST };
enum func_language func_language_of(const char *symbol);

/* NULL where debug information knows no such function. Fills the steps of the plan. All lives in the arena, types with v. */
const struct func_signature *func_signature_make(struct probe_variables *v, uint64_t address, const struct arch *arch,
						 enum func_language language, uint16_t str_limit, struct arena *arena,
						 struct trace_func *plan);

/* Kinds of types that are shown as text. */
/* char *, const char *; char alone is a character. */
bool func_type_is_string(const struct type *t);
/* std::string of libstdc++: pointer, length, 16 bytes for short ones. */
bool func_type_is_cxx_string(const struct type *t);
/* &str of Rust, std::string_view: a pointer and a length, in either order. */
bool func_type_is_span(const struct type *t, bool *ret_length_first);
