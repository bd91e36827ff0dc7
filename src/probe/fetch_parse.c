#include "probe/fetch_parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "probe/definition.h"

#define ARRAY_MAX 64 /* the kernel's MAX_ARRAY_LEN */

/* An argument being parsed. */
struct argument {
	const char *text; /* the complete text, for errors */
	const struct fetch_place *place;
	struct fetch_plan_arg *to;
	bool default_is_string;
	bool is_word; /* of the stack, without any OFFSET(…): it may be a pointer to a string, but is none */
};

static struct strobe_error *wrong(const struct argument *a, const char *why)
{
	return error_create(ERROR_USAGE, "cannot fetch '%s': %s", a->text, why);
}

/* ---- where a value begins ---- */

static bool find_register(const struct arch *arch, const char *name, uint8_t *ret)
{
	if (arch == &arch_aarch64 && !strcmp(name, "x30"))
		name = "lr";
	for (unsigned i = 0; i < arch->regs_nr && i < FETCH_PLAN_REGS; i++)
		if (arch->regs[i] && !strcasecmp(arch->regs[i], name) && (arch->task_regs ? arch->task_regs >> i & 1 : i < 10)) {
			*ret = (uint8_t)i;
			return true;
		}
	return false;
}

static void set_register(struct argument *a, int reg)
{
	a->to->base = FETCH_PLAN_REGISTER;
	a->to->reg = (uint8_t)reg;
}

/* Adds a memory read before the existing ones. */
static struct strobe_error *add_first_read(struct argument *a, int64_t offset, bool is_user)
{
	struct fetch_plan_arg *to = a->to;
	if (to->derefs == FETCH_PLAN_DEREFS)
		return wrong(a, "it reads memory too many times");
	memmove(to->offset + 1, to->offset, to->derefs * sizeof(*to->offset));
	to->offset[0] = (int32_t)offset;
	to->users = (uint16_t)(to->users << 1 | is_user);
	to->derefs++;
	return NULL;
}

static struct strobe_error *set_stack_word(struct argument *a, const char *digits)
{
	uint64_t n = 0;
	set_register(a, a->place->arch->sp);
	if (!*digits)
		return NULL;
	if (!text_to_u64(digits, &n) || n > 4096)
		return wrong(a, "expected $stack or $stackN");
	a->is_word = !a->to->derefs;
	return add_first_read(a, (int64_t)n * a->place->arch->pointer_bytes, !a->place->is_kernel);
}

static struct strobe_error *set_arg(struct argument *a, const char *digits)
{
	const struct arch *arch = a->place->arch;
	uint64_t n;
	if (!text_to_u64(digits, &n) || !n || n > 64)
		return wrong(a, "expected $arg1, $arg2 …");
	if (!a->place->is_entry || a->place->is_return)
		return wrong(a, "arguments are where the calling convention says at the entry of a function only: name the variable");
	if (n <= arch->dwarf_arguments_nr) {
		set_register(a, arch->dwarf_regs[arch->dwarf_arguments[n - 1]]);
		return NULL;
	}
	if (arch != &arch_i386 && !arch->dwarf_arguments_nr)
		return wrong(a, "the calling convention of this machine is not known: name the variable");
	/* The return address precedes stack arguments, unless it is in a register. */
	uint64_t words = n - arch->dwarf_arguments_nr - 1 + (arch->lr == ARCH_REG_NONE);
	set_register(a, arch->sp);
	a->is_word = !a->to->derefs;
	return add_first_read(a, (int64_t)(words * arch->pointer_bytes), !a->place->is_kernel);
}

static struct strobe_error *set_special(struct argument *a, const char *name)
{
	if (!strcmp(name, "retval")) {
		if (!a->place->is_return)
			return wrong(a, "$retval is available only at returns: ur:, kr:");
		set_register(a, 0); /* ax, x0 */
		return NULL;
	}
	if (!strcmp(name, "comm")) {
		a->to->base = FETCH_PLAN_COMM;
		a->default_is_string = true;
		return NULL;
	}
	if (text_has_prefix(name, "stack"))
		return set_stack_word(a, name + strlen("stack"));
	if (text_has_prefix(name, "arg"))
		return set_arg(a, name + strlen("arg"));
	return wrong(a, "expected $retval, $comm, $stack, $stackN or $argN");
}

/* "+0x4010" of a program, "counter+8" or an address of the kernel. */
static struct strobe_error *set_address(struct argument *a, const char *text)
{
	struct fetch_plan_arg *to = a->to;
	char symbol[256];
	size_t n = strcspn(text, "+-");
	uint64_t offset = 0, address = 0;
	bool is_negative = text[n] == '-';
	if (text[n] && !text_to_u64(text + n + 1, &offset))
		return wrong(a, "an address is @SYMBOL, @SYMBOL+OFFSET, @0xADDRESS, or of a program @+OFFSET in its file");
	if (!a->place->is_kernel) {
		if (n || is_negative || a->place->is_return)
			return wrong(a, "for data of a program, only @+OFFSET in its file is supported, and not at returns");
		to->base = FETCH_PLAN_CODE;
		to->value = offset - a->place->offset;
		return add_first_read(a, 0, true);
	}
	snprintf(symbol, sizeof(symbol), "%.*s", (int)n, text);
	if (!text_to_u64(symbol, &address) && !(a->place->symbol && a->place->symbol(a->place->ctx, symbol, &address)))
		return wrong(a, "the kernel has no such symbol");
	to->base = FETCH_PLAN_CONSTANT;
	to->value = is_negative ? address - offset : address + offset;
	return add_first_read(a, 0, false);
}

static struct strobe_error *set_constant(struct argument *a, const char *text)
{
	char *end;
	a->to->base = FETCH_PLAN_CONSTANT;
	a->to->value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	return *text && !*end ? NULL : wrong(a, "a constant is \\NUMBER");
}

static struct strobe_error *set_base(struct argument *a, const char *text)
{
	uint8_t reg;
	switch (*text) {
	case '%':
		if (!find_register(a->place->arch, text + 1, &reg))
			return wrong(a, "no such register is known at probes");
		set_register(a, reg);
		return NULL;
	case '$': return set_special(a, text + 1);
	case '@': return set_address(a, text + 1);
	case '\\': return set_constant(a, text + 1);
	default: return wrong(a, "expected %REGISTER, $SPECIAL, @ADDRESS, \\NUMBER or OFFSET(…)");
	}
}

/* "+8(+u16(%di))": reads from the outermost on. */
static struct strobe_error *parse_value(struct argument *a, char *text)
{
	size_t n;
	while (*text == '+' || *text == '-') {
		char sign = *text++, *open = strchr(text, '(');
		bool is_user = *text == 'u' || !a->place->is_kernel;
		uint64_t offset;
		if (!open || text[n = strlen(text) - 1] != ')')
			return wrong(a, "expected OFFSET(…)");
		*open = text[n] = 0;
		if (!text_to_u64(text + (*text == 'u'), &offset) || offset > INT32_MAX)
			return wrong(a, "expected an offset before '('");
		TRY(add_first_read(a, sign == '-' ? -(int64_t)offset : (int64_t)offset, is_user));
		text = open + 1;
	}
	return set_base(a, text);
}

/* ---- types ---- */

static const char *print_of(char kind, uint64_t bits)
{
	static const char *const prints[3][2] = { { "%u", "%Lu" }, { "%d", "%Ld" }, { "0x%x", "0x%Lx" } };
	return prints[kind == 'u' ? 0 : kind == 's' ? 1 : 2][bits == 64];
}

static bool is_size(uint64_t bits)
{
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static struct strobe_error *set_bit_field(struct argument *a, const char *type, struct arena *arena, struct fetch_field *field)
{
	unsigned width, low, storage;
	char rest;
	if (sscanf(type, "b%u@%u/%u%c", &width, &low, &storage, &rest) != 3 || !is_size(storage) || !width || width > storage ||
	    low > storage - width)
		return wrong(a, "a bit field is bWIDTH@LOWEST/SIZE, as b3@0/32");
	a->to->bytes = (uint8_t)(storage / 8);
	a->to->left = (uint8_t)(64 - width - low);
	a->to->right = (uint8_t)(64 - width);
	field->type = arena_printf(arena, "u%u", storage);
	field->print = print_of('u', storage);
	return NULL;
}

static struct strobe_error *set_string(struct argument *a, bool in_user_memory, struct fetch_field *field)
{
	struct fetch_plan_arg *to = a->to;
	to->what = FETCH_PLAN_STRING;
	to->bytes = 4;
	if (to->base == FETCH_PLAN_COMM && to->derefs)
		return wrong(a, "$comm is a string and not a pointer");
	if ((!to->derefs || a->is_word) && to->base != FETCH_PLAN_COMM)
		return wrong(a, "a string is what a pointer points to: +0(…):string");
	if (in_user_memory)
		to->users = (uint16_t)(to->users | 1u << (to->derefs - 1));
	*field = (struct fetch_field){ field->name, "__data_loc char[]", "\\\"%s\\\"" };
	return NULL;
}

/* "u8", "x32", "char", "symbol": the type of a single value. */
static bool set_number(struct argument *a, const char *type, struct arena *arena, struct fetch_field *field)
{
	uint64_t bits;
	bool has_letter = *type && strchr("usx", *type);
	if (!strcmp(type, "char")) {
		a->to->bytes = 1;
		field->type = "u8";
		field->print = "'%c'";
		return true;
	}
	if (!strcmp(type, "symbol")) {
		a->to->bytes = 8;
		field->type = "u64";
		field->print = "%pS";
		return true;
	}
	if (!has_letter || !text_to_u64(type + 1, &bits) || !is_size(bits))
		return false;
	a->to->bytes = (uint8_t)(bits / 8);
	a->to->is_signed = *type == 's';
	field->type = arena_printf(arena, "%c%" PRIu64, *type == 's' ? 's' : 'u', bits);
	field->print = print_of(*type, bits);
	return true;
}

/* The suffix of the type: "[4]". */
static struct strobe_error *set_count(struct argument *a, char *bracket)
{
	uint64_t count;
	size_t n = strlen(bracket);
	*bracket = 0;
	if (bracket[n - 1] != ']')
		return wrong(a, "expected ']' at the end of the type");
	bracket[n - 1] = 0;
	if (!text_to_u64(bracket + 1, &count) || !count || count > ARRAY_MAX)
		return wrong(a, "an array has from 1 to 64 elements");
	if (!a->to->derefs)
		return wrong(a, "an array lies in memory: OFFSET(…)");
	a->to->count = (uint16_t)count;
	return NULL;
}

static struct strobe_error *parse_type(struct argument *a, char *type, struct arena *arena, struct fetch_field *field)
{
	char *bracket = type ? strchr(type, '[') : NULL;
	bool is_string = type ? !strcmp(type, "string") || !strcmp(type, "ustring") : a->default_is_string;
	if (bracket)
		TRY(set_count(a, bracket));
	if (is_string)
		return set_string(a, type && *type == 'u', field);
	if (a->to->base == FETCH_PLAN_COMM)
		return wrong(a, "$comm is a string");
	if (type && *type == 'b')
		return a->to->count ? wrong(a, "there are no arrays of bit fields") : set_bit_field(a, type, arena, field);
	/* as the kernel's default on such machines */
	const char *word = a->place->arch->pointer_bytes == 4 ? "x32" : "x64";
	if (set_number(a, type ? type : word, arena, field))
		return NULL;
	return wrong(a, "unknown type (expected u8 to u64, s8 to s64, x8 to x64, char, string, ustring, symbol, bWIDTH@LOWEST/SIZE)");
}

/* ---- plans ---- */

void fetch_plan_begin(struct fetch_plan *plan, const struct fetch_place *place)
{
	*plan = (struct fetch_plan){ .is_return = place->is_return, .is_kernel = place->is_kernel,
				      .word_bytes = place->arch ? place->arch->pointer_bytes : 8 };
	plan->bytes = FETCH_PLAN_COMMON_BYTES + FETCH_PLAN_WORD_BYTES * (1 + place->is_return);
}

static uint16_t bytes_of(const struct fetch_plan_arg *a)
{
	return (uint16_t)(a->bytes * (a->count ? a->count : 1));
}

static bool has_field(const struct fetch_format *format, const char *name)
{
	for (uint32_t i = 0; i < format->nr; i++)
		if (!strcmp(format->fields[i].name, name))
			return true;
	return false;
}

/* The type begins after the last parenthesis. */
static char *cut_type(char *value)
{
	char *from = strrchr(value, ')'), *colon = strchr(from ? from : value, ':');
	if (!colon)
		return NULL;
	*colon = 0;
	return colon + 1;
}

struct strobe_error *fetch_plan_add(struct fetch_plan *plan, struct fetch_format *format, const char *text, const struct fetch_place *place,
				    struct arena *arena)
{
	struct fetch_plan_arg arg = {};
	struct argument a = { .text = text, .place = place, .to = &arg };
	if (!place->arch || (place->arch != &arch_x86_64 && place->arch != &arch_i386 && place->arch != &arch_aarch64))
		return error_create(ERROR_UNSUPPORTED, "values are fetched at probes of x86 and arm64 programs only");
	if (plan->args_nr == FETCH_PLAN_ARGS)
		return error_create(ERROR_LIMIT, "a probe can fetch at most %d values", FETCH_PLAN_ARGS);
	char *value = arena_strdup(arena, text), *sign = strchr(value, '=');
	struct fetch_field field = { .name = arena_printf(arena, "arg%u", format->nr + 1) };
	if (sign) {
		*sign = 0;
		field.name = value;
		value = sign + 1;
		if (!probe_name_is_good(field.name))
			return wrong(&a, "a name takes letters, digits and underscores, no digit first");
	}
	if (has_field(format, field.name))
		return error_create(ERROR_USAGE, "two arguments of the probe have the name '%s': give them others, as n2=…", field.name);
	char *type = cut_type(value);
	TRY(parse_value(&a, value));
	TRY(parse_type(&a, type, arena, &field));
	if (plan->bytes + bytes_of(&arg) > FETCH_PLAN_FIXED_MAX)
		return error_create(ERROR_LIMIT, "the values of a probe can have at most %d bytes", FETCH_PLAN_FIXED_MAX);
	arg.at = plan->bytes;
	plan->bytes = (uint16_t)(plan->bytes + bytes_of(&arg));
	plan->touches |= arg.users != 0;
	plan->arg[plan->args_nr++] = arg;
	format->fields[format->nr++] = field;
	return NULL;
}

bool fetch_plan_is_alike(const struct fetch_plan *a, const struct fetch_plan *b)
{
	bool same = a->args_nr == b->args_nr && a->bytes == b->bytes && a->is_return == b->is_return;
	for (unsigned i = 0; same && i < a->args_nr; i++)
		same = a->arg[i].what == b->arg[i].what && a->arg[i].bytes == b->arg[i].bytes && a->arg[i].count == b->arg[i].count &&
		       a->arg[i].is_signed == b->arg[i].is_signed;
	return same;
}

/* ---- the format ---- */

static void add_field(struct strbuf *ret, const char *type, const char *name, unsigned at, unsigned bytes, bool is_signed)
{
	strbuf_addf(ret, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type, name, at, bytes, is_signed);
}

static void add_print_of(const struct fetch_plan_arg *a, const struct fetch_field *f, struct strbuf *ret)
{
	strbuf_addf(ret, " %s=", f->name);
	for (unsigned i = 0; i < a->count; i++)
		strbuf_addf(ret, "%s%s", i ? "," : "{", f->print);
	strbuf_addstr(ret, a->count ? "}" : f->print);
}

static void add_value_of(const struct fetch_plan_arg *a, const struct fetch_field *f, struct strbuf *ret)
{
	for (unsigned i = 0; i < a->count; i++)
		strbuf_addf(ret, ", REC->%s[%u]", f->name, i);
	if (!a->count)
		strbuf_addf(ret, a->what == FETCH_PLAN_STRING ? ", __get_str(%s)" : ", REC->%s", f->name);
}

void fetch_format_text(const struct fetch_plan *plan, const struct fetch_format *format, const char *event, uint32_t id,
		       struct strbuf *ret)
{
	strbuf_addf(ret, "name: %s\nID: %u\nformat:\n", event, id);
	add_field(ret, "unsigned short", "common_type", 0, 2, false);
	add_field(ret, "unsigned char", "common_flags", 2, 1, false);
	add_field(ret, "unsigned char", "common_preempt_count", 3, 1, false);
	add_field(ret, "int", "common_pid", 4, 4, true);
	strbuf_addch(ret, '\n');
	add_field(ret, "unsigned long", plan->is_return ? "__probe_func" : "__probe_ip", FETCH_PLAN_COMMON_BYTES, 8, false);
	if (plan->is_return)
		add_field(ret, "unsigned long", "__probe_ret_ip", FETCH_PLAN_COMMON_BYTES + 8, 8, false);
	for (uint32_t i = 0; i < format->nr; i++) {
		const struct fetch_plan_arg *a = &plan->arg[i];
		const struct fetch_field *f = &format->fields[i];
		bool is_signed = a->what == FETCH_PLAN_STRING || a->is_signed;
		_cleanup_free_ char *array = a->count ? xasprintf("%s[%u]", f->name, (unsigned)a->count) : NULL;
		add_field(ret, f->type, array ? array : f->name, a->at, bytes_of(a), is_signed);
	}
	strbuf_addstr(ret, plan->is_return ? "\nprint fmt: \"(%lx <- %lx)" : "\nprint fmt: \"(%lx)");
	for (uint32_t i = 0; i < format->nr; i++)
		add_print_of(&plan->arg[i], &format->fields[i], ret);
	strbuf_addstr(ret, plan->is_return ? "\", REC->__probe_func, REC->__probe_ret_ip" : "\", REC->__probe_ip");
	for (uint32_t i = 0; i < format->nr; i++)
		add_value_of(&plan->arg[i], &format->fields[i], ret);
	strbuf_addch(ret, '\n');
}
