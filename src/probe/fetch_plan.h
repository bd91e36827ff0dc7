/*
 * The values that a BPF program fetches at a probe, and their offsets in a sample: tracefs' fetch arguments ("p=+8(%di):x32") compiled
 * for bpf/probe/. Included by the programs and by the code that makes plans.
 *
 * A sample has the layout of a tracefs event: common fields, address, arguments, strings. Little-endian 64-bit machines only.
 */
#pragma once
#include <linux/types.h>

#define FETCH_PLAN_DEREFS 8
#define FETCH_PLAN_ARGS   24
#define FETCH_PLAN_REGS   40 /* maximum number, in perf's numbering */

/* The source of a value. */
enum fetch_plan_base {
	FETCH_PLAN_REGISTER, /* base: its number */
	FETCH_PLAN_CONSTANT, /* value */
	FETCH_PLAN_CODE,     /* value: relative to the probe's address */
	FETCH_PLAN_COMM,     /* the name of the thread */
};

enum fetch_plan_what { FETCH_PLAN_NUMBER, FETCH_PLAN_STRING };

struct fetch_plan_arg {
	__u8 base;       /* enum fetch_plan_base */
	__u8 reg;
	__u8 what;       /* enum fetch_plan_what */
	__u8 derefs;     /* number of memory reads; the last one reads the value */
	__u8 bytes;      /* of a number, or of an element of an array */
	__u8 is_signed;  /* of bit fields and filters */
	__u16 count;     /* elements of an array; 0: none */
	__u16 at;        /* offset in the sample */
	__u16 users;     /* bit by read: user memory; else kernel memory */
	__u8 left, right; /* a bit field: shifts of its storage */
	__u8 unused[2];
	__u64 value;
	__s32 offset[FETCH_PLAN_DEREFS]; /* of each read, the innermost first */
};

struct fetch_plan {
	__u32 event;     /* event of the sample */
	__u32 format;    /* common_type of its samples */
	__u16 bytes;     /* of a sample without strings */
	__u8 args_nr;
	__u8 touches;    /* reads user memory, which may not be paged in yet */
	__u8 is_return, is_kernel;
	__u8 word_bytes; /* of a pointer */
	__u8 unused;
	struct fetch_plan_arg arg[FETCH_PLAN_ARGS];
};

#define FETCH_PLAN_COMMON_BYTES 8
#define FETCH_PLAN_WORD_BYTES   8
#define FETCH_PLAN_FIXED_MAX    2048 /* bytes of a sample without strings */
#define FETCH_PLAN_STRINGS_MAX  2048 /* of all its strings */

/* ---- filters: comparisons of fields, each of which says which is next ---- */

#define FETCH_PLAN_TESTS      16
#define FETCH_PLAN_TEXT_BYTES 48
#define FETCH_PLAN_PASSES     254
#define FETCH_PLAN_FAILS      255

enum fetch_plan_op { FETCH_PLAN_EQ, FETCH_PLAN_NE, FETCH_PLAN_LT, FETCH_PLAN_LE, FETCH_PLAN_GT, FETCH_PLAN_GE, FETCH_PLAN_AND,
		     FETCH_PLAN_TEXT_IS, FETCH_PLAN_TEXT_BEGINS };

struct fetch_plan_test {
	__u16 at;       /* offset in the sample; for a string that of its descriptor */
	__u8 bytes;     /* of a number */
	__u8 is_signed;
	__u8 op;        /* enum fetch_plan_op */
	__u8 when_true, when_false; /* the next test, or FETCH_PLAN_PASSES, FETCH_PLAN_FAILS */
	__u8 text_bytes;
	__u64 value;
	char text[FETCH_PLAN_TEXT_BYTES];
};

struct fetch_plan_filter {
	__u32 tests_nr; /* 0: none */
	__u32 unused;
	struct fetch_plan_test test[FETCH_PLAN_TESTS];
};
