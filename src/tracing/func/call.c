#include "tracing/func/call.h"

#include <stdio.h>
#include <string.h>

#include "tracing/func/signature.h"
#include "tracing/func/value.h"

/* The bytes of a step's piece; data NULL: none. */
struct bytes {
	const uint8_t *data;
	size_t n;
	bool is_truncated;
};

static struct bytes piece_of(const struct syscall_payload *p, int step)
{
	for (uint32_t i = 0; step >= 0 && i < p->nr; i++)
		if (p->piece[i].part == TRACE_FUNC_PART + step && p->piece[i].status != SYSCALL_FETCH_FAULT)
			return (struct bytes){ p->piece[i].data, p->piece[i].bytes, p->piece[i].status == SYSCALL_FETCH_TRUNCATED };
	return (struct bytes){};
}

/* The bytes of a value: register contents in words, or a piece. */
struct value {
	const struct type *type;
	uint64_t words[FUNC_WORDS];
	struct bytes bytes;
	struct bytes pointee;
};

static struct value value_of(const struct func_parameter *p, const uint64_t *words, const struct syscall_payload *fetched)
{
	struct value v = { .type = p->type, .pointee = piece_of(fetched, p->pointee) };
	for (unsigned i = 0; i < p->words_nr; i++)
		memcpy((uint8_t *)v.words + i * p->word_bytes, &words[p->words[i]], p->word_bytes); /* the low bytes */
	if (p->place == FUNC_FETCHED || p->place == FUNC_INDIRECT)
		v.bytes = piece_of(fetched, p->piece);
	return v;
}

/* Points to the words in v, which must not move afterwards. */
static void point_to_words(struct value *v, const struct func_parameter *p)
{
	if (p->place == FUNC_WORD)
		v->bytes = (struct bytes){ (const uint8_t *)v->words, (size_t)p->word_bytes * p->words_nr, false };
}

/* --- strings --- */

static bool is_reference_to(const struct type *type, bool (*is)(const struct type *t))
{
	const struct type *t = type_strip(type);
	return t && (t->kind == TYPE_REFERENCE || t->kind == TYPE_POINTER) && is(type_target(t));
}

/* Whether the value is shown as the string at its pointer. */
static bool is_text(const struct value *v)
{
	bool length_first;
	return v->pointee.data && (func_type_is_string(v->type) || is_reference_to(v->type, func_type_is_cxx_string) ||
				   func_type_is_span(v->type, &length_first));
}

/* --- text --- */

static void print_text(struct out *out, struct bytes b)
{
	syscall_print_quoted(out, b.data, b.n);
	if (b.is_truncated)
		out_str(out, "...");
}

static void print_value(struct out *out, const struct value *v)
{
	const struct type *t = type_strip(v->type);
	if (is_text(v)) {
		print_text(out, v->pointee);
		return;
	}
	if (!v->bytes.data) {
		out_ch(out, '?');
		return;
	}
	if (v->pointee.data && t && (t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE)) {
		if (t->kind == TYPE_POINTER) {
			func_value_print(out, t, v->bytes.data, v->bytes.n);
			out_ch(out, ' ');
		}
		func_value_print(out, type_target(t), v->pointee.data, v->pointee.n);
		return;
	}
	func_value_print(out, v->type, v->bytes.data, v->bytes.n);
}

void func_print_args(struct out *out, const struct func_style *style, const struct func_call *call)
{
	const struct func_signature *s = call->func->signature;
	/* The number of arguments is unknown: some of these are leftovers in registers. */
	for (unsigned i = 0; !s && i < TRACE_FUNC_ARGS; i++)
		out_f(out, "%s%#llx", i ? ", " : "", (unsigned long long)call->arg[i]);
	for (size_t i = 0; s && i < s->nr; i++) {
		const struct func_parameter *p = &s->parameters[i];
		struct value v = value_of(p, call->arg, &call->fetched);
		point_to_words(&v, p);
		out_str(out, i ? ", " : "");
		if (!style->hide_names && *p->name) {
			out_text_str(out, p->name);
			out_str(out, ": ");
		}
		print_value(out, &v);
	}
}

bool func_returns_nothing(const struct func *func)
{
	return func->signature && !func->signature->result.type;
}

void func_print_result(struct out *out, const struct func_style *style, const struct func_call *call)
{
	const struct func_signature *s = call->func->signature;
	if (!s) {
		out_f(out, "%#llx", (unsigned long long)call->ret);
		return;
	}
	const uint64_t words[FUNC_WORDS] = { call->ret, call->ret_second };
	struct value v = value_of(&s->result, words, &call->result);
	point_to_words(&v, &s->result);
	print_value(out, &v);
}

/* --- JSON --- */

static void json_value(struct json *j, const struct value *v)
{
	const struct type *t = type_strip(v->type);
	if (is_text(v))
		json_str_n(j, (const char *)v->pointee.data, v->pointee.n);
	else if (!v->bytes.data)
		json_null(j);
	else if (v->pointee.data && t && (t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE))
		func_value_json(j, type_target(t), v->pointee.data, v->pointee.n);
	else
		func_value_json(j, v->type, v->bytes.data, v->bytes.n);
}

void func_json_args(struct json *j, const struct func_style *style, const struct func_call *call)
{
	const struct func_signature *s = call->func->signature;
	char name[8];
	json_object(j);
	for (unsigned i = 0; !s && i < TRACE_FUNC_ARGS; i++) {
		snprintf(name, sizeof(name), "arg%u", i + 1);
		json_key(j, name);
		json_u64(j, call->arg[i]);
	}
	for (size_t i = 0; s && i < s->nr; i++) {
		const struct func_parameter *p = &s->parameters[i];
		struct value v = value_of(p, call->arg, &call->fetched);
		point_to_words(&v, p);
		snprintf(name, sizeof(name), "arg%u", (unsigned)i % 100 + 1);
		json_key(j, *p->name ? p->name : name);
		json_value(j, &v);
	}
	json_end(j);
}

void func_json_result(struct json *j, const struct func_style *style, const struct func_call *call)
{
	const struct func_signature *s = call->func->signature;
	if (func_returns_nothing(call->func))
		return;
	json_key(j, "ret");
	if (!s) {
		json_u64(j, call->ret);
		return;
	}
	const uint64_t words[FUNC_WORDS] = { call->ret, call->ret_second };
	struct value v = value_of(&s->result, words, &call->result);
	point_to_words(&v, &s->result);
	json_value(j, &v);
}

/* --- values by name --- */

static bool take_value(const struct func_parameter *p, const uint64_t *words, const struct syscall_payload *fetched, struct func_value *ret)
{
	struct value v = value_of(p, words, fetched);
	const struct type *t = type_strip(v.type);
	point_to_words(&v, p);
	if (is_text(&v)) {
		ret->text = (const char *)v.pointee.data;
		ret->text_bytes = v.pointee.n;
	}
	ret->is_signed = t && t->is_signed;
	return v.bytes.data && (func_value_number(t, v.bytes.data, v.bytes.n, &ret->number) || ret->text);
}

static bool take_register(const struct func_call *call, const char *name, struct func_value *ret)
{
	if (strncmp(name, "arg", 3) != 0 || name[3] < '1' || name[3] >= '1' + TRACE_FUNC_ARGS || name[4])
		return false;
	ret->number = call->arg[name[3] - '1'];
	return call->has_args;
}

bool func_call_value(const struct func_call *call, const char *name, struct func_value *ret)
{
	const struct func_signature *s = call->func->signature;
	*ret = (struct func_value){};
	if (!strcmp(name, "ret")) {
		const uint64_t words[FUNC_WORDS] = { call->ret, call->ret_second };
		ret->number = call->ret;
		return call->has_ret && (!s || take_value(&s->result, words, &call->result, ret));
	}
	for (size_t i = 0; s && call->has_args && i < s->nr; i++)
		if (!strcmp(s->parameters[i].name, name))
			return take_value(&s->parameters[i], call->arg, &call->fetched, ret);
	return take_register(call, name, ret);
}
