/* Signatures in the making, and the arguments of 32-bit x86 programs, which have a calling convention of their own. */
#pragma once
#include "tracing/func/signature.h"

#define FUNC_STRUCT_BYTES_MAX 256 /* maximum size of a fetched struct */

struct convention {
	const struct arch *arch;
	uint8_t words;  /* integer registers used so far */
	uint8_t floats; /* floating-point registers */
	int32_t stack;  /* the next argument in memory: offset from the stack pointer at entry */
	bool is_lost;   /* an argument with unknown location: the next ones are unknown, too */
	enum func_language language;
};

struct making {
	struct probe_variables *variables;
	const struct arch *arch;
	struct trace_func *plan;
	struct convention convention;
	uint16_t str_limit;
	const probe_values *values;
	int64_t *stack_offsets; /* i386: of parameters, from the stack pointer at the call; 0: unknown */
};

/* Adds a step to the plan; its index; -1: no room. */
int8_t func_add_step(struct making *m, struct trace_func_step step);
uint16_t func_bytes_to_fetch(uint64_t bytes);

/*
 * i386: arguments are on the stack, or in eax, edx and ecx where the compiler knows all callers or the source says so (regparm, fastcall).
 * Debug information has the place, except of parameters that the function will store elsewhere: these are on the stack if there is just
 * the room for them between their neighbours. All structs are returned in memory, whose address is passed first and returned. Source:
 * the psABI of i386.
 */
bool func_is_i386(const struct arch *arch);
void func_begin_i386(struct making *m, const struct type *returned, struct arena *arena);
void func_place_i386(struct making *m, const struct probe_value *v, struct func_parameter *p);
