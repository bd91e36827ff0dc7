/* Compiles the text of a print format to a print_program: a small compiler for the C that the kernel's TRACE_EVENTs use. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "decode/print_program.h"

/* Maximum nesting of brackets, and depth of the tree: both are recursion here. */
#define DEPTH_MAX 250

enum token { T_END, T_WORD, T_NUMBER, T_STRING, T_PUNCT, T_BAD };

struct parser {
	struct tracepoints *t;
	const struct tracepoint *tp;
	const char *at, *end;
	enum token token;
	const char *word;     /* of T_WORD and T_STRING, in the arena */
	uint32_t text_bytes;  /* of T_STRING */
	char punct[4];
	uint64_t number;
	struct ctype number_type;
	const char *token_start; /* for backtracking */
	unsigned depth;
	bool failed;
	bool in_row;             /* reading the value of a { value, "name" } */
};

typedef const struct print_node *node_ref;

static node_ref parse_expr(struct parser *p);
static node_ref parse_unary(struct parser *p);

static node_ref fail(struct parser *p)
{
	p->failed = true;
	return NULL;
}

/* ---- words ---- */

static int escape_value(const char **at, const char *end)
{
	int c = (unsigned char)*(*at)++;
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case 'a':
		return '\a';
	default:
		break;
	}
	if (c < '0' || c > '7')
		return c;
	int v = c - '0';
	for (int i = 0; i < 2 && *at < end && **at >= '0' && **at <= '7'; i++)
		v = v * 8 + (*(*at)++ - '0');
	return v & 0xff;
}

static void skip_space(struct parser *p)
{
	while (p->at < p->end && isspace((unsigned char)*p->at))
		p->at++;
}

/* One literal, or several adjacent ones, which C concatenates. */
static void lex_string(struct parser *p)
{
	_cleanup_strbuf_ struct strbuf b = {};
	p->token = T_STRING;
	while (p->at < p->end && *p->at == '"') {
		for (p->at++; p->at < p->end && *p->at != '"';) {
			int c = (unsigned char)*p->at++;
			if (c == '\\' && p->at < p->end)
				c = escape_value(&p->at, p->end);
			strbuf_addch(&b, (char)c);
		}
		if (p->at == p->end) {
			p->token = T_BAD;
			return;
		}
		p->at++;
		skip_space(p);
	}
	p->word = arena_strndup(&p->t->arena, strbuf_str(&b), b.len);
	p->text_bytes = (uint32_t)b.len;
}

static void lex_number(struct parser *p)
{
	char *end;
	uint64_t v = strtoull(p->at, &end, 0); /* print_fmt is NUL-terminated */
	bool is_decimal = p->at[0] != '0';
	unsigned longs = 0;
	bool is_unsigned = false;
	for (; *end == 'u' || *end == 'U' || *end == 'l' || *end == 'L'; end++) {
		is_unsigned |= *end == 'u' || *end == 'U';
		longs += *end == 'l' || *end == 'L';
	}
	uint8_t bytes = longs > 1 ? 8 : longs ? (uint8_t)p->t->long_bytes : 4;
	if (bytes == 4 && !is_unsigned && v > INT32_MAX && v <= UINT32_MAX && !is_decimal)
		is_unsigned = true;
	else if (bytes == 4 && v > (is_unsigned ? (uint64_t)UINT32_MAX : INT32_MAX))
		bytes = 8;
	p->token = T_NUMBER;
	p->number = v;
	p->number_type = (struct ctype){ .bytes = bytes, .is_signed = !is_unsigned && !(bytes == 8 && v > INT64_MAX) };
	p->at = end;
}

static void lex_char(struct parser *p)
{
	p->token = T_BAD;
	p->at++;
	if (p->at >= p->end)
		return;
	int c = (unsigned char)*p->at++;
	if (c == '\\' && p->at < p->end)
		c = escape_value(&p->at, p->end);
	if (p->at >= p->end || *p->at != '\'')
		return;
	p->at++;
	p->token = T_NUMBER;
	p->number = (uint64_t)c;
	p->number_type = (struct ctype){ .bytes = 4, .is_signed = true };
}

static void lex_punct(struct parser *p)
{
	static const char *const two[] = { "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };
	size_t n = 1;
	for (size_t i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (p->end - p->at >= 2 && !memcmp(p->at, two[i], 2))
			n = 2;
	memcpy(p->punct, p->at, n);
	p->punct[n] = 0;
	p->token = T_PUNCT;
	p->at += n;
}

static void advance(struct parser *p)
{
	skip_space(p);
	p->token_start = p->at;
	if (p->at >= p->end) {
		p->token = T_END;
		return;
	}
	int c = (unsigned char)*p->at;
	if (isalpha(c) || c == '_') {
		const char *start = p->at;
		while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
			p->at++;
		p->word = arena_strndup(&p->t->arena, start, (size_t)(p->at - start));
		p->token = T_WORD;
	} else if (isdigit(c)) {
		lex_number(p);
	} else if (c == '"') {
		lex_string(p);
	} else if (c == '\'') {
		lex_char(p);
	} else {
		lex_punct(p);
	}
}

static bool at_punct(const struct parser *p, const char *s)
{
	return p->token == T_PUNCT && !strcmp(p->punct, s);
}

static bool take(struct parser *p, const char *s)
{
	if (!at_punct(p, s))
		return false;
	advance(p);
	return true;
}

static bool expect(struct parser *p, const char *s)
{
	if (!take(p, s))
		p->failed = true;
	return !p->failed;
}

/* ---- the tree ---- */

static const struct ctype int_type = { .bytes = 4, .is_signed = true };

static bool is_number(node_ref n)
{
	switch (n->kind) {
	case NODE_NUMBER:
	case NODE_FIELD:
	case NODE_INDEX:
	case NODE_UNARY:
	case NODE_BINARY:
	case NODE_CAST:
	case NODE_SPAN_LENGTH:
	case NODE_SECONDS:
	case NODE_SUBSECONDS:
		return true;
	case NODE_TERNARY:
		return is_number(n->right) && is_number(n->third);
	default:
		return false;
	}
}

static uint16_t depth_of(node_ref n)
{
	return n ? n->depth : 0;
}

/* Copies a node into the arena; NULL (failed) if the tree would be too deep. */
static node_ref keep(struct parser *p, struct print_node n)
{
	uint16_t depth = depth_of(n.left);
	depth = depth_of(n.right) > depth ? depth_of(n.right) : depth;
	depth = depth_of(n.third) > depth ? depth_of(n.third) : depth;
	n.depth = depth + 1;
	if (n.depth > DEPTH_MAX)
		return fail(p);
	return arena_memdup(&p->t->arena, &n, sizeof(n));
}

static node_ref number_node(struct parser *p, uint64_t v, struct ctype type)
{
	return keep(p, (struct print_node){ .kind = NODE_NUMBER, .number = v, .type = type });
}

/* A node of constants only becomes a number. */
static node_ref fold(struct parser *p, node_ref n)
{
	if (!n || (n->left && n->left->kind != NODE_NUMBER) || (n->right && n->right->kind != NODE_NUMBER) ||
	    (n->third && n->third->kind != NODE_NUMBER))
		return n;
	return number_node(p, print_number(p->t, n, NULL, 0), n->type);
}

static struct ctype promoted(struct ctype t)
{
	return t.bytes && t.bytes < 4 ? int_type : t;
}

/* C's usual arithmetic conversions; a type of unknown size counts as 64 bits. */
static struct ctype common_type(struct ctype a, struct ctype b)
{
	a = promoted(a);
	b = promoted(b);
	uint8_t na = a.bytes ? a.bytes : 8, nb = b.bytes ? b.bytes : 8;
	if (na != nb)
		return na > nb ? a : b;
	return (struct ctype){ .bytes = na, .is_signed = a.is_signed && b.is_signed };
}

static node_ref binary_node(struct parser *p, enum node_op op, node_ref l, node_ref r)
{
	if (!l || !r)
		return NULL;
	if (!is_number(l) || !is_number(r))
		return fail(p); /* arithmetic on addresses, whose memory is not in the record */
	struct ctype type = common_type(l->type, r->type);
	if (op >= OP_LT && op <= OP_LOR)
		type = int_type;
	else if (op == OP_SHL || op == OP_SHR)
		type = promoted(l->type);
	return fold(p, keep(p, (struct print_node){ .kind = NODE_BINARY, .op = op, .left = l, .right = r, .type = type }));
}

/* ---- fields ---- */

static node_ref span_node(struct parser *p, const struct tracepoint_field *f)
{
	struct ctype type = { .bytes = (uint8_t)(f->kind == FIELD_NUMBER ? f->bytes : f->element_bytes),
			      .is_signed = f->is_signed };
	if (type.bytes > 8)
		type.bytes = 1;
	return keep(p, (struct print_node){ .kind = NODE_SPAN, .field = f, .type = type });
}

static node_ref field_node(struct parser *p, const char *name)
{
	const struct tracepoint_field *f = tracepoint_field(p->tp, name);
	if (!f)
		return fail(p);
	if (f->kind != FIELD_NUMBER)
		return span_node(p, f);
	return keep(p, (struct print_node){ .kind = NODE_FIELD,
					    .field = f,
					    .number = f->offset,
					    .type = { .bytes = (uint8_t)f->bytes, .is_signed = f->is_signed } });
}

static node_ref index_node(struct parser *p, node_ref base, node_ref index)
{
	if (!base || !index)
		return NULL;
	if (base->kind != NODE_SPAN || !is_number(index))
		return fail(p);
	const struct tracepoint_field *f = base->field;
	unsigned n = base->type.bytes ? base->type.bytes : 1;
	/* An element with a constant index is a field like any other. */
	if (f->kind == FIELD_ARRAY && index->kind == NODE_NUMBER && index->number < f->bytes / n)
		return keep(p, (struct print_node){ .kind = NODE_FIELD,
						    .field = f,
						    .number = f->offset + index->number * n,
						    .type = base->type });
	return keep(p, (struct print_node){ .kind = NODE_INDEX, .left = base, .right = index, .type = base->type });
}

/* REC->name */
static node_ref parse_record_field(struct parser *p)
{
	advance(p);
	if (!expect(p, "->") || p->token != T_WORD)
		return fail(p);
	node_ref n = field_node(p, p->word);
	advance(p);
	return n;
}

/* ---- calls ---- */

/* "[1]" after a field with several strings. */
static const struct tracepoint_field *field_index(struct parser *p, const struct tracepoint_field *f)
{
	if (p->token != T_NUMBER || p->number >= field_dynamic_nr(f)) {
		p->failed = true;
		return NULL;
	}
	const struct tracepoint_field one = field_dynamic(f, (uint32_t)p->number);
	advance(p);
	return expect(p, "]") ? arena_memdup(&p->t->arena, &one, sizeof(one)) : NULL;
}

/* The name of a field as an argument: __get_str(name), __get_str(name[1]). */
static const struct tracepoint_field *field_argument(struct parser *p)
{
	const struct tracepoint_field *f = NULL;
	if (expect(p, "(") && p->token == T_WORD) {
		f = tracepoint_field(p->tp, p->word);
		advance(p);
	}
	if (f && take(p, "["))
		f = field_index(p, f);
	if (!f || !expect(p, ")"))
		p->failed = true;
	return p->failed ? NULL : f;
}

static node_ref field_call(struct parser *p, enum node_kind kind)
{
	const struct tracepoint_field *f = field_argument(p);
	if (!f)
		return NULL;
	if (kind == NODE_SPAN)
		return span_node(p, f);
	return keep(p, (struct print_node){ .kind = kind, .field = f, .type = int_type });
}

/* Skips an enumerator that the kernel did not resolve, up to the comma. */
static void skip_row_value(struct parser *p, const char *start)
{
	int open = 0;
	p->failed = false;
	p->at = start;
	for (advance(p); p->token != T_END && (open || !at_punct(p, ",")); advance(p))
		open += at_punct(p, "(") - at_punct(p, ")");
}

/* { value, "name" } , … up to the closing bracket. */
static bool parse_rows(struct parser *p, struct print_node *n)
{
	VEC(struct print_row) rows = {};
	while (!p->failed && take(p, ",")) {
		if (at_punct(p, ")"))
			break;
		if (!expect(p, "{"))
			break;
		struct print_row row = { .known = true };
		if (take(p, "}"))
			continue;
		const char *start = p->token_start;
		p->in_row = true;
		node_ref v = parse_expr(p);
		p->in_row = false;
		if (p->failed) {
			skip_row_value(p, start);
			row.known = false;
		} else if (!v || v->kind != NODE_NUMBER) {
			p->failed = true;
			break;
		} else {
			row.value = v->number;
		}
		if (!expect(p, ","))
			break;
		if (p->token == T_STRING) {
			row.name = p->word;
			advance(p);
		} else {
			parse_expr(p); /* { -1, NULL } ends a list */
		}
		expect(p, "}");
		if (row.name)
			vec_push(&rows, row);
	}
	n->rows_nr = (uint32_t)rows.len;
	n->rows = rows.len ? arena_memdup(&p->t->arena, rows.data, rows.len * sizeof(*rows.data)) : NULL;
	vec_deinit(&rows);
	return expect(p, ")");
}

static node_ref parse_flags(struct parser *p, bool symbolic)
{
	struct print_node n = { .kind = symbolic ? NODE_SYMBOLIC : NODE_FLAGS, .text = "" };
	if (!expect(p, "("))
		return NULL;
	n.left = parse_expr(p);
	if (!n.left || !is_number(n.left))
		return fail(p);
	if (!symbolic) {
		if (!expect(p, ",") || (p->token != T_STRING && p->token != T_WORD))
			return fail(p);
		if (p->token == T_STRING)
			n.text = p->word;
		advance(p);
	}
	return parse_rows(p, &n) ? keep(p, n) : NULL;
}

static node_ref parse_hex(struct parser *p, const char *separator)
{
	struct print_node n = { .kind = NODE_HEX, .text = separator };
	if (!expect(p, "("))
		return NULL;
	n.left = parse_expr(p);
	if (!n.left || !expect(p, ","))
		return fail(p);
	n.right = parse_expr(p);
	if (!n.right || n.left->kind != NODE_SPAN || !is_number(n.right) || !expect(p, ")"))
		return fail(p);
	return keep(p, n);
}

static node_ref parse_array(struct parser *p)
{
	struct print_node n = { .kind = NODE_ARRAY };
	if (!expect(p, "("))
		return NULL;
	n.left = parse_expr(p);
	if (!n.left || !expect(p, ","))
		return fail(p);
	n.right = parse_expr(p);
	if (!n.right || !expect(p, ","))
		return fail(p);
	n.third = parse_expr(p);
	if (!n.third || n.left->kind != NODE_SPAN || !is_number(n.right) || !is_number(n.third) || !expect(p, ")"))
		return fail(p);
	return keep(p, n);
}

/* __print_dynamic_array(name, bytes of an element) */
static node_ref parse_dynamic_array(struct parser *p)
{
	if (!expect(p, "(") || p->token != T_WORD)
		return fail(p);
	const struct tracepoint_field *f = tracepoint_field(p->tp, p->word);
	advance(p);
	if (!f || !expect(p, ","))
		return fail(p);
	node_ref bytes = parse_expr(p);
	if (!bytes || !is_number(bytes) || !expect(p, ")"))
		return fail(p);
	node_ref length = keep(p, (struct print_node){ .kind = NODE_SPAN_LENGTH, .field = f, .type = int_type });
	node_ref span = span_node(p, f);
	node_ref count = binary_node(p, OP_DIV, length, bytes);
	if (!span || !count)
		return NULL;
	return keep(p, (struct print_node){ .kind = NODE_ARRAY, .left = span, .right = count, .third = bytes });
}

static node_ref parse_sizeof(struct parser *p)
{
	struct ctype type;
	if (!at_punct(p, "("))
		return fail(p);
	const char *at = p->at;
	uint64_t bytes;
	if (ctype_parse(&at, p->end, p->t->long_bytes, false, &type) && (type.pointer_depth || type.bytes)) {
		p->at = at;
		advance(p);
		bytes = type.pointer_depth ? p->t->long_bytes : type.bytes;
	} else {
		advance(p);
		node_ref n = parse_expr(p);
		if (!n)
			return NULL;
		if (n->kind != NODE_SPAN && n->kind != NODE_FIELD)
			return fail(p);
		bytes = n->kind == NODE_SPAN ? n->field->bytes : n->type.bytes;
	}
	if (!expect(p, ")"))
		return NULL;
	return number_node(p, bytes, (struct ctype){ .bytes = (uint8_t)p->t->long_bytes });
}

/* __builtin_expect(x, y) and __print_ns_…(x): the first argument. */
static node_ref parse_wrapper(struct parser *p)
{
	if (!expect(p, "("))
		return NULL;
	node_ref n = parse_expr(p);
	if (n && take(p, ",") && !parse_expr(p))
		return NULL;
	return n && expect(p, ")") ? n : NULL;
}

static node_ref parse_seconds(struct parser *p, enum node_kind kind)
{
	node_ref n = parse_wrapper(p);
	if (!n || !is_number(n))
		return fail(p);
	return keep(p, (struct print_node){ .kind = kind, .left = n, .type = { .bytes = 8 } });
}

/* Enumerators that perf has built in, since old kernels did not resolve them in their formats. */
static node_ref parse_enumerator(struct parser *p, const char *word)
{
	static const char *const softirqs[] = { "HI_SOFTIRQ",	    "TIMER_SOFTIRQ", "NET_TX_SOFTIRQ",	"NET_RX_SOFTIRQ",
						"BLOCK_SOFTIRQ",    "IRQ_POLL_SOFTIRQ", "TASKLET_SOFTIRQ", "SCHED_SOFTIRQ",
						"HRTIMER_SOFTIRQ", "RCU_SOFTIRQ" };
	for (size_t i = 0; i < sizeof(softirqs) / sizeof(*softirqs); i++)
		if (!strcmp(word, softirqs[i]))
			return number_node(p, i, int_type);
	if (!strcmp(word, "BLOCK_IOPOLL_SOFTIRQ"))
		return number_node(p, 5, int_type);
	if (!strcmp(word, "HRTIMER_NORESTART") || !strcmp(word, "false") || !strcmp(word, "NULL"))
		return number_node(p, 0, int_type);
	if (!strcmp(word, "HRTIMER_RESTART") || !strcmp(word, "true"))
		return number_node(p, 1, int_type);
	/* A variable of the kernel (vmemmap_base): 0 as in perf, so that the rest can be shown. */
	return p->in_row || at_punct(p, "(") ? fail(p) : number_node(p, 0, (struct ctype){ .bytes = 8 });
}

static node_ref parse_word(struct parser *p)
{
	static const struct {
		const char *name;
		enum node_kind kind;
	} field_calls[] = {
		{ "__get_str", NODE_SPAN },		  { "__get_dynamic_array", NODE_SPAN },
		{ "__get_rel_str", NODE_SPAN },		  { "__get_rel_dynamic_array", NODE_SPAN },
		{ "__get_sockaddr", NODE_SPAN },	  { "__get_rel_sockaddr", NODE_SPAN },
		{ "__get_dynamic_array_len", NODE_SPAN_LENGTH }, { "__get_rel_dynamic_array_len", NODE_SPAN_LENGTH },
		{ "__get_bitmask", NODE_BITMASK },	  { "__get_rel_bitmask", NODE_BITMASK },
		{ "__get_cpumask", NODE_CPUMASK },	  { "__get_rel_cpumask", NODE_CPUMASK },
	};
	const char *w = p->word;
	if (!strcmp(w, "REC"))
		return parse_record_field(p);
	advance(p);
	for (size_t i = 0; i < sizeof(field_calls) / sizeof(*field_calls); i++)
		if (!strcmp(w, field_calls[i].name))
			return field_call(p, field_calls[i].kind);
	if (!strcmp(w, "__print_flags") || !strcmp(w, "__print_flags_u64"))
		return parse_flags(p, false);
	if (!strcmp(w, "__print_symbolic") || !strcmp(w, "__print_symbolic_u64"))
		return parse_flags(p, true);
	if (!strcmp(w, "__print_hex"))
		return parse_hex(p, " ");
	if (!strcmp(w, "__print_hex_str"))
		return parse_hex(p, "");
	if (!strcmp(w, "__print_array"))
		return parse_array(p);
	if (!strcmp(w, "__print_dynamic_array"))
		return parse_dynamic_array(p);
	if (!strcmp(w, "__print_ns_to_secs"))
		return parse_seconds(p, NODE_SECONDS);
	if (!strcmp(w, "__print_ns_without_secs"))
		return parse_seconds(p, NODE_SUBSECONDS);
	if (!strcmp(w, "__builtin_expect"))
		return parse_wrapper(p);
	if (!strcmp(w, "sizeof"))
		return parse_sizeof(p);
	return parse_enumerator(p, w);
}

/* ---- expressions ---- */

static node_ref cast_node(struct parser *p, struct ctype type, node_ref n)
{
	if (!n)
		return NULL;
	if (type.pointer_depth) {
		/* A cast of bytes changes the size of their elements. A cast of a number gives an address, printed as a number. */
		if (n->kind != NODE_SPAN)
			return n;
		struct print_node copy = *n;
		copy.type = (struct ctype){ .bytes = type.pointer_depth > 1 ? (uint8_t)p->t->long_bytes : type.bytes ? type.bytes : 1,
					    .is_signed = type.is_signed };
		return keep(p, copy);
	}
	if (!is_number(n) || !type.bytes)
		return n;
	return fold(p, keep(p, (struct print_node){ .kind = NODE_CAST, .left = n, .type = type }));
}

/* Whether an operand follows, so that (x) before it is a cast. */
static bool starts_operand(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '(' || *at == '"' || *at == '\'');
}

/* After "(": a type and ")" make a cast; p->at remains after "(". */
static bool take_cast(struct parser *p, struct ctype *ret)
{
	const char *at = p->token_start;
	bool certain = ctype_parse(&at, p->end, p->t->long_bytes, false, ret);
	if (!certain) {
		at = p->token_start;
		if (!ctype_parse(&at, p->end, p->t->long_bytes, true, ret))
			return false;
	}
	while (at < p->end && isspace((unsigned char)*at))
		at++;
	if (at >= p->end || *at != ')')
		return false;
	bool is_record = !certain && p->token == T_WORD && !strcmp(p->word, "REC");
	if (is_record || (!certain && !ret->pointer_depth && !starts_operand(at + 1, p->end)))
		return false;
	p->at = at + 1;
	advance(p);
	return true;
}

static node_ref parse_brackets(struct parser *p)
{
	struct ctype type;
	advance(p);
	if (at_punct(p, "{")) /* ({ … }): code */
		return fail(p);
	if (p->token == T_WORD && take_cast(p, &type))
		return cast_node(p, type, parse_unary(p));
	if (p->token == T_WORD && !strcmp(p->word, "REC")) {
		/* (REC)->name */
		const char *at = p->at;
		while (at < p->end && isspace((unsigned char)*at))
			at++;
		if (at < p->end && *at == ')') {
			p->at = at + 1;
			return parse_record_field(p);
		}
	}
	node_ref n = parse_expr(p);
	return n && expect(p, ")") ? n : NULL;
}

static node_ref parse_primary(struct parser *p)
{
	node_ref n;
	switch (p->token) {
	case T_NUMBER:
		n = number_node(p, p->number, p->number_type);
		advance(p);
		return n;
	case T_STRING:
		n = keep(p, (struct print_node){ .kind = NODE_STRING, .text = p->word });
		advance(p);
		return n;
	case T_WORD:
		return parse_word(p);
	case T_PUNCT:
		if (at_punct(p, "("))
			return parse_brackets(p);
		return fail(p);
	default:
		return fail(p);
	}
}

static node_ref parse_postfix(struct parser *p)
{
	node_ref n = parse_primary(p);
	while (n && at_punct(p, "[")) {
		advance(p);
		node_ref i = parse_expr(p);
		if (!i || !expect(p, "]"))
			return NULL;
		n = index_node(p, n, i);
	}
	return n && (at_punct(p, ".") || at_punct(p, "->")) ? fail(p) : n;
}

static node_ref unary_node(struct parser *p, enum node_op op)
{
	advance(p);
	node_ref n = parse_unary(p);
	if (!n)
		return NULL;
	if (!is_number(n))
		return fail(p);
	struct ctype type = op == OP_NOT ? int_type : promoted(n->type);
	return fold(p, keep(p, (struct print_node){ .kind = NODE_UNARY, .op = op, .left = n, .type = type }));
}

static node_ref parse_address(struct parser *p)
{
	advance(p);
	node_ref n = parse_unary(p);
	if (!n)
		return NULL;
	if (n->kind == NODE_FIELD && n->field->kind == FIELD_NUMBER)
		return span_node(p, n->field);
	return n->kind == NODE_SPAN ? n : fail(p);
}

static node_ref parse_deref(struct parser *p)
{
	advance(p);
	node_ref n = parse_unary(p);
	if (!n)
		return NULL;
	return index_node(p, n, number_node(p, 0, int_type));
}

static node_ref parse_unary(struct parser *p)
{
	if (p->depth >= DEPTH_MAX)
		return fail(p);
	p->depth++;
	node_ref n;
	if (at_punct(p, "-"))
		n = unary_node(p, OP_NEG);
	else if (at_punct(p, "!"))
		n = unary_node(p, OP_NOT);
	else if (at_punct(p, "~"))
		n = unary_node(p, OP_COMPL);
	else if (at_punct(p, "&"))
		n = parse_address(p);
	else if (at_punct(p, "*"))
		n = parse_deref(p);
	else if (at_punct(p, "+"))
		advance(p), n = parse_unary(p);
	else
		n = parse_postfix(p);
	p->depth--;
	return n;
}

static const struct {
	const char *text;
	enum node_op op;
	int level;
} operators[] = {
	{ "||", OP_LOR, 1 }, { "&&", OP_LAND, 2 }, { "|", OP_OR, 3 },  { "^", OP_XOR, 4 }, { "&", OP_AND, 5 },
	{ "==", OP_EQ, 6 },  { "!=", OP_NE, 6 },   { "<", OP_LT, 7 },  { "<=", OP_LE, 7 }, { ">", OP_GT, 7 },
	{ ">=", OP_GE, 7 },  { "<<", OP_SHL, 8 },  { ">>", OP_SHR, 8 }, { "+", OP_ADD, 9 }, { "-", OP_SUB, 9 },
	{ "*", OP_MUL, 10 }, { "/", OP_DIV, 10 },  { "%", OP_MOD, 10 },
};

static int operator_at(const struct parser *p)
{
	if (p->token == T_PUNCT)
		for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
			if (!strcmp(p->punct, operators[i].text))
				return (int)i;
	return -1;
}

/* Operators of at least this level, left to right. */
static node_ref parse_binary(struct parser *p, int level)
{
	node_ref l = parse_unary(p);
	for (int i; l && (i = operator_at(p)) >= 0 && operators[i].level >= level;) {
		advance(p);
		node_ref r = parse_binary(p, operators[i].level + 1);
		l = binary_node(p, operators[i].op, l, r);
	}
	return l;
}

static node_ref parse_expr(struct parser *p)
{
	if (p->depth >= DEPTH_MAX)
		return fail(p);
	p->depth++;
	node_ref n = parse_binary(p, 1);
	if (n && take(p, "?")) {
		struct print_node t = { .kind = NODE_TERNARY, .left = n };
		t.right = parse_expr(p);
		n = NULL;
		if (t.right && expect(p, ":"))
			t.third = parse_expr(p);
		if (t.right && t.third && is_number(t.left)) {
			t.type = common_type(t.right->type, t.third->type);
			n = keep(p, t);
		} else {
			fail(p);
		}
	}
	p->depth--;
	return p->failed ? NULL : n;
}

/* ---- the format string ---- */

static bool take_argument(struct parser *p, node_ref *ret)
{
	*ret = expect(p, ",") ? parse_expr(p) : NULL;
	return *ret != NULL;
}

/* A width or precision: digits, or * and then an argument. */
static const char *scan_width(struct parser *p, const char *f, int32_t *ret, node_ref *ret_arg)
{
	*ret = -1;
	if (*f == '*') {
		if (take_argument(p, ret_arg) && !is_number(*ret_arg))
			fail(p);
		return f + 1;
	}
	if (isdigit((unsigned char)*f)) {
		*ret = 0;
		for (; isdigit((unsigned char)*f); f++)
			*ret = *ret < 10000 ? *ret * 10 + (*f - '0') : *ret;
	}
	return f;
}

static const char *scan_length(struct parser *p, const char *f, uint8_t *ret)
{
	*ret = 4;
	if (f[0] == 'h') {
		*ret = f[1] == 'h' ? 1 : 2;
		return f + (f[1] == 'h' ? 2 : 1);
	}
	if (f[0] == 'l' && f[1] == 'l') {
		*ret = 8;
		return f + 2;
	}
	if (f[0] == 'l' || f[0] == 'z' || f[0] == 'Z' || f[0] == 't')
		*ret = (uint8_t)p->t->long_bytes;
	else if (f[0] == 'L' || f[0] == 'j' || f[0] == 'q')
		*ret = 8;
	else
		return f;
	return f + 1;
}

/* The letters after %p: printk-formats.rst. */
static const char *scan_pointer(const char *f, char *ret)
{
	size_t n = 0, max = 0;
	switch (*f) {
	case 'I':
	case 'i':
		max = f[1] == 'S' ? 5 : f[1] == '6' ? 3 : 2;
		break;
	case 'M':
	case 'm':
	case 'U':
		max = 2;
		break;
	case 'S':
	case 's':
	case 'F':
	case 'f':
	case 'B':
	case 'K':
	case 'x':
		max = 1;
		break;
	default:
		break;
	}
	for (; n < max; n++) {
		static const char *const follow = "46SchbnlLBFRpfs";
		if (n && (!f[n] || !strchr(follow, f[n])))
			break;
		ret[n] = f[n];
	}
	ret[n] = 0;
	return f + n;
}

static const char *scan_flags(const char *f, uint8_t *ret)
{
	static const char letters[] = "-0+ #";
	for (const char *l; *f && (l = strchr(letters, *f)); f++)
		*ret |= (uint8_t)(1 << (l - letters));
	return f;
}

/* From after "%" to the end of the conversion; the argument is read from the list. */
static const char *scan_conversion(struct parser *p, const char *f, struct print_part *part)
{
	f = scan_flags(f, &part->flags);
	f = scan_width(p, f, &part->width, &part->width_arg);
	part->precision = -1;
	if (*f == '.') {
		f = scan_width(p, f + 1, &part->precision, &part->precision_arg);
		if (part->precision < 0 && !part->precision_arg)
			part->precision = 0;
	}
	f = scan_length(p, f, &part->bytes);
	part->conversion = *f == 'i' ? 'd' : *f;
	if (!*f || !strchr("duxXocsp", part->conversion)) {
		fail(p);
		return f;
	}
	f++;
	if (part->conversion == 'p') {
		if (part->width_arg && (f[0] == 'b')) { /* %*pb, %*pbl: bits; the width counts them */
			part->pointer[0] = 'b';
			part->pointer[1] = f[1] == 'l' ? 'l' : 0;
			f += f[1] == 'l' ? 2 : 1;
		} else {
			f = scan_pointer(f, part->pointer);
		}
	}
	if (take_argument(p, &part->arg) && part->conversion != 's' && part->conversion != 'p' && !is_number(part->arg))
		fail(p);
	part->is_plain_field = part->arg && part->arg->kind == NODE_FIELD && strchr("dux", part->conversion) && !part->flags &&
			       part->width < 0 && part->precision < 0 && !part->width_arg && !part->precision_arg;
	return f;
}

static bool scan_format(struct parser *p, const char *f, struct print_program *program)
{
	VEC(struct print_part) parts = {};
	_cleanup_strbuf_ struct strbuf literal = {};
	while (!p->failed) {
		for (; *f && (*f != '%' || f[1] == '%'); f++) {
			f += *f == '%';
			strbuf_addch(&literal, *f);
		}
		struct print_part part = { .literal = arena_strndup(&p->t->arena, strbuf_str(&literal), literal.len),
					   .literal_bytes = (uint32_t)literal.len };
		strbuf_reset(&literal);
		bool is_end = !*f;
		if (!is_end)
			f = scan_conversion(p, f + 1, &part);
		vec_push(&parts, part);
		if (is_end)
			break;
	}
	program->parts_nr = (uint32_t)parts.len;
	program->parts = arena_memdup(&p->t->arena, parts.data, parts.len * sizeof(*parts.data));
	vec_deinit(&parts);
	return !p->failed && p->token == T_END;
}

const struct print_program *print_program_compile(struct tracepoints *t, const struct tracepoint *tp)
{
	struct parser p = { .t = t, .tp = tp, .at = tp->print_fmt, .end = tp->print_fmt + strlen(tp->print_fmt) };
	struct print_program program = {};
	advance(&p);
	if (p.token != T_STRING)
		return NULL;
	const char *format = p.word;
	advance(&p);
	return scan_format(&p, format, &program) ? arena_memdup(&t->arena, &program, sizeof(program)) : NULL;
}
