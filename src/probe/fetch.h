/*
 * Expressions over variables ("p->in.flags[2]") and the fetch arguments of tracefs that read their values ("+8(%di):x32").
 *
 * Values that tracefs cannot fetch, or not completely, are errors with the reason. Source: the kernel's kprobetrace.rst.
 */
#pragma once
#include "arch/arch.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "values/location.h"
#include "values/type.h"

enum fetch_step_kind { FETCH_ARROW, FETCH_DOT, FETCH_INDEX };

struct fetch_step {
	enum fetch_step_kind kind;
	const char *member;
	int64_t index;
};

struct fetch_path {
	const char *variable;
	const char *last_name; /* name of the variable or the last member, the default name of the argument */
	VEC(struct fetch_step) steps;
};

/* ERROR_USAGE: not an expression. Call fetch_path_deinit() also after an error. Strings live in the arena. */
struct strobe_error *fetch_path_parse(const char *text, struct arena *arena, struct fetch_path *ret) _must_check_;
void fetch_path_deinit(struct fetch_path *p);

/* Not a register: the return value of a function. */
#define FETCH_RETVAL 0xff

struct fetch_machine {
	const struct arch *arch;
	unsigned pointer_bytes; /* of the program */
	bool reads_8_bytes;     /* for each pointer, as tracefs does in a 64-bit kernel */
	/* Appends a static address: "@+0x4010" of a program, "@counter+8" of the kernel. False: impossible. */
	bool (*address)(void *ctx, uint64_t vaddr, struct strbuf *ret);
	void *ctx;
};

struct fetch_value {
	const char *name; /* for errors */
	const struct type *type;
	const struct locations *at;
};

/* Appends the fetch argument for the part of a variable at the path. cast: a type of tracefs or perf, or NULL. */
struct strobe_error *fetch_text(const struct fetch_path *path, const struct fetch_value *value, const struct fetch_machine *machine,
				const char *cast, bool in_user_memory, struct strbuf *ret) _must_check_;
/* Why there is no location, as a clause: "its value is computed". */
const char *fetch_lack_text(enum location_lack lack);
