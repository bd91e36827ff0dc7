/*
 * A print format, compiled: text, conversions, and for each conversion an expression over the fields of a sample.
 *
 * Compiled once per tracepoint into the arena of its set; evaluation allocates only for padded strings. Expressions are evaluated as
 * in C: with the sizes and signs of their operands.
 */
#pragma once
#include "decode/ctype.h"
#include "decode/tracepoints_priv.h"

enum node_kind {
	NODE_NUMBER,
	NODE_STRING,   /* a literal */
	NODE_FIELD,    /* a number read at a fixed offset */
	NODE_SPAN,     /* the bytes of a field */
	NODE_INDEX,    /* left[right]: a number from a span */
	NODE_UNARY,
	NODE_BINARY,
	NODE_TERNARY,  /* left ? right : third */
	NODE_CAST,     /* of a number */
	NODE_SPAN_LENGTH,
	NODE_FLAGS,    /* left, rows, text = delimiter */
	NODE_SYMBOLIC, /* left, rows */
	NODE_HEX,      /* left = span, right = bytes, text = separator */
	NODE_ARRAY,    /* left = span, right = elements, third = bytes of one */
	NODE_BITMASK,
	NODE_CPUMASK,
	NODE_SECONDS,  /* left = nanoseconds: whole seconds */
	NODE_SUBSECONDS,
};

enum node_op {
	OP_ADD = 1, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_LT, OP_LE, OP_GT, OP_GE, OP_EQ,
	OP_NE, OP_LAND, OP_LOR, OP_NEG, OP_NOT, OP_COMPL,
};

/* One { value, "name" } of __print_flags and __print_symbolic. */
struct print_row {
	uint64_t value;
	const char *name;
	bool known; /* false: the value is an enumerator that the kernel did not resolve; it matches nothing */
};

struct print_node {
	enum node_kind kind;
	enum node_op op;
	struct ctype type;          /* of numbers; of a span's elements */
	uint16_t depth;
	uint64_t number;            /* NODE_NUMBER, and the offset of NODE_FIELD */
	const char *text;
	const struct tracepoint_field *field;
	const struct print_node *left, *right, *third;
	const struct print_row *rows;
	uint32_t rows_nr;
};

enum { PRINT_LEFT = 1, PRINT_ZERO = 2, PRINT_PLUS = 4, PRINT_BLANK = 8, PRINT_ALT = 16 };

struct print_part {
	const char *literal; /* before the conversion */
	uint32_t literal_bytes;
	char conversion;     /* d u x X o c s p, or 0: only text */
	bool is_plain_field; /* d u x of a NODE_FIELD without flags and widths */
	char pointer[6];     /* the letters after %p */
	uint8_t flags, bytes; /* bytes: size of the number to print */
	int32_t width, precision; /* -1 = none */
	const struct print_node *width_arg, *precision_arg, *arg;
};

struct print_program {
	const struct print_part *parts;
	uint32_t parts_nr;
};

/* NULL if the format has something that cannot be evaluated here. */
const struct print_program *print_program_compile(struct tracepoints *t, const struct tracepoint *tp);

/* The value of a node; raw may be NULL if the node has no fields. Converted to the node's type. */
uint64_t print_number(const struct tracepoints *t, const struct print_node *n, const void *raw, uint32_t raw_bytes);
