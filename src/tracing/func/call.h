/*
 * A call of a function, or its return: registers and fetched memory. Printed as text and JSON: with names and types if debug information
 * has them, else as numbers by the calling convention.
 *
 * Borrowed values. Printing may be done by one thread at a time.
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "decode/syscall.h"
#include "tracing/func/choice.h"

struct func_call {
	const struct func *func;
	uint64_t arg[TRACE_FUNC_ARGS]; /* integer registers at entry */
	bool has_args;                 /* its beginning was seen */
	struct syscall_payload fetched; /* what they point at */
	bool has_ret;                  /* it has returned */
	uint64_t ret, ret_second;
	struct syscall_payload result; /* what ret points at */
};

/* One value of a call. */
struct func_value {
	uint64_t number; /* extended to 64 bits */
	bool is_signed;
	const char *text; /* of a string; NULL: not a string, or unreadable */
	size_t text_bytes;
};

/* Looks up a parameter by name, "arg1" … "arg6", or "ret". False: none, or unknown value. */
bool func_call_value(const struct func_call *call, const char *name, struct func_value *ret);

struct func_style {
	uint32_t str_limit; /* bytes of strings */
	bool hide_names;
};

/* The text between the parentheses. */
void func_print_args(struct out *out, const struct func_style *style, const struct func_call *call);
/* Whether the function is known to return nothing. */
bool func_returns_nothing(const struct func *func);
void func_print_result(struct out *out, const struct func_style *style, const struct func_call *call);
/* An object with a key for each argument. */
void func_json_args(struct json *j, const struct func_style *style, const struct func_call *call);
/* A member "ret" of the object that is open, if there is a result. */
void func_json_result(struct json *j, const struct func_style *style, const struct func_call *call);
