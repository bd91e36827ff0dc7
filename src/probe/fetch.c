#include "probe/fetch.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define ELEMENTS_MAX 64 /* maximum for arrays in the kernel: MAX_ARRAY_LEN */
#define VALUE_BITS_MAX 64

/* The current position in a path: a part of a variable, or the target of a pointer. */
struct reached {
	struct locations at;
	struct location_piece target; /* holds `at` once a pointer was followed */
	uint64_t bit_offset;
	uint32_t bits;                /* of a bit field, or 0 */
	const struct type *type;
	unsigned reads;               /* memory reads for the location of the variable itself, to which @user does not apply */
	const char *name;
};

const char *fetch_lack_text(enum location_lack lack)
{
	switch (lack) {
	case LOCATION_NOT_ALIVE: return "it has no value here (optimized out)";
	case LOCATION_AT_ENTRY: return "only its value at the entry of the function is known here";
	case LOCATION_COMPUTED: return "its value is computed from several places, which the kernel cannot fetch";
	case LOCATION_OF_NO_OBJECT: return "it points to what was optimized out";
	case LOCATION_THREAD_LOCAL: return "it is thread-local, which the kernel cannot fetch";
	default: return "its location in the debug information is damaged";
	}
}

static struct strobe_error *no_location(const struct reached *r, const struct location *l)
{
	return error_create(ERROR_NOT_FOUND, "cannot fetch '%s': %s", r->name, fetch_lack_text(l->lack));
}

/* ---- along the path ---- */

static bool is_compound(const struct type *t)
{
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_CLASS || t->kind == TYPE_UNION);
}

/* Through a pointer or a reference. */
static struct strobe_error *follow(struct reached *r, const struct fetch_machine *m)
{
	struct location l = location_part(&r->at, r->bit_offset, m->pointer_bytes * 8);
	if (!l.kind)
		return no_location(r, &l);
	l = location_target(&l, m->pointer_bytes);
	if (!l.kind)
		return no_location(r, &l);
	r->target = (struct location_piece){ .at = l };
	r->at = (struct locations){ &r->target, 1 };
	r->bit_offset = 0;
	r->bits = 0;
	r->type = type_target(type_strip(r->type));
	return NULL;
}

static struct strobe_error *follow_references(struct reached *r, const struct fetch_machine *m)
{
	for (const struct type *t = type_strip(r->type); t && t->kind == TYPE_REFERENCE; t = type_strip(r->type))
		TRY(follow(r, m));
	return NULL;
}

static struct strobe_error *enter_member(struct reached *r, const struct fetch_step *s)
{
	struct type_member member;
	const struct type *t = type_strip(r->type);
	if (!is_compound(t))
		return error_create(ERROR_USAGE, "'%s' is not a struct or union: it has no member '%s'", r->name, s->member);
	if (!type_find_member(t, s->member, &member)) {
		const char *why = t->is_declaration ? ": the debug information has no definition of it here" : "";
		return error_create(ERROR_NOT_FOUND, "'%s' (%s) has no member '%s'%s", r->name, t->name ? t->name : "anonymous", s->member,
				    why);
	}
	r->bit_offset += member.bit_offset;
	r->bits = member.bits;
	r->type = member.type;
	r->name = s->member;
	return NULL;
}

static struct strobe_error *enter_element(struct reached *r, const struct fetch_step *s, const struct fetch_machine *m)
{
	const struct type *t = type_strip(r->type);
	bool is_pointer = t && t->kind == TYPE_POINTER;
	if (!is_pointer && !(t && t->kind == TYPE_ARRAY))
		return error_create(ERROR_USAGE, "'%s' is not a pointer or array", r->name);
	if (!is_pointer && (s->index < 0 || (t->count && (uint64_t)s->index >= t->count)))
		return error_create(ERROR_USAGE, "'%s' has %" PRIu64 " elements: there is no [%" PRId64 "]", r->name, t->count, s->index);
	uint64_t bytes = type_bytes(type_target(t));
	if (!bytes)
		return error_create(ERROR_USAGE, "elements of '%s' have no known size: fetch '%s' and read its register (-D), then "
				    "its memory, as +8(%%di):u64", r->name, r->name);
	if (!is_pointer) {
		r->type = type_target(t);
		r->bit_offset += (uint64_t)s->index * bytes * 8;
		return NULL;
	}
	/* An index of a pointer may be negative. */
	TRY(follow(r, m));
	r->target.at.offsets[r->target.at.derefs] += (int64_t)((uint64_t)s->index * bytes);
	return NULL;
}

static struct strobe_error *walk_step(struct reached *r, const struct fetch_step *s, const struct fetch_machine *m)
{
	TRY(follow_references(r, m));
	const struct type *t = type_strip(r->type);
	bool is_pointer = t && t->kind == TYPE_POINTER;
	switch (s->kind) {
	case FETCH_INDEX: return enter_element(r, s, m);
	case FETCH_DOT:
		if (is_pointer)
			return error_create(ERROR_USAGE, "'%s' is a pointer: write '->%s'", r->name, s->member);
		return enter_member(r, s);
	default:
		if (!is_pointer)
			return error_create(ERROR_USAGE, "'%s' is not a pointer: write '.%s'", r->name, s->member);
		TRY(follow(r, m));
		return enter_member(r, s);
	}
}

/* ---- the type ---- */

static bool is_one_of(const char *cast, const char *a, const char *b)
{
	return cast && (!strcmp(cast, a) || !strcmp(cast, b));
}

static bool is_string_cast(const char *cast)
{
	return is_one_of(cast, "string", "ustring");
}

/* perf's casts with only the sign or the base. */
static bool is_sign_cast(const char *cast)
{
	return cast && cast[0] && !cast[1] && strchr("usx", cast[0]);
}

static bool is_scalar(const struct type *t)
{
	return t && !is_compound(t) && t->kind != TYPE_ARRAY && t->kind != TYPE_FUNCTION && t->kind != TYPE_VOID && t->kind != TYPE_OTHER;
}

static char sign_of(const struct type *t, const char *cast)
{
	bool is_signed = t->is_signed && t->kind != TYPE_ENUM;
	return is_sign_cast(cast) ? *cast : is_signed ? 's' : 'x';
}

static bool is_power(uint64_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/*
 * The storage of a bit field: aligned to the size of its type, or larger. Counts bits from the lowest, as the kernel does on
 * little-endian machines. Moves r to the start of the storage.
 */
static struct strobe_error *bit_field_text(struct reached *r, const char *cast, struct strbuf *ret)
{
	const struct type *t = type_strip(r->type);
	if (t && t->is_signed && !cast)
		return error_create(ERROR_USAGE,
				    "'%s' is a signed bit field, and the kernel would print it unsigned: write %s:u for its bits", r->name,
				    r->name);
	if (is_one_of(cast, "s", "s"))
		return error_create(ERROR_USAGE, "'%s' is a bit field: the kernel cannot print it signed", r->name);
	uint64_t bytes = type_bytes(t);
	for (bytes = is_power(bytes) ? bytes : 1; bytes <= 8; bytes *= 2) {
		uint64_t begin = r->bit_offset / (bytes * 8) * (bytes * 8), low = r->bit_offset - begin;
		if (low + r->bits > bytes * 8)
			continue;
		strbuf_addf(ret, ":b%" PRIu32 "@%" PRIu64 "/%" PRIu64, r->bits, low, bytes * 8);
		r->bit_offset = begin;
		r->bits = (uint32_t)bytes * 8;
		return NULL;
	}
	return error_create(ERROR_UNSUPPORTED, "the bit field '%s' lies across 64 bits, which the kernel cannot fetch", r->name);
}

static struct strobe_error *array_text(const struct reached *r, const struct type *t, const char *cast, struct strbuf *ret)
{
	const struct type *element = type_strip(type_target(t));
	uint64_t bytes = type_bytes(element);
	if (!is_scalar(element) || !is_power(bytes))
		return error_create(ERROR_USAGE, "'%s' is an array%s: choose an element, as %s[0]", r->name,
				    is_compound(element) ? " of structs" : "", r->name);
	if (!t->count || t->count > ELEMENTS_MAX)
		return error_create(ERROR_USAGE, "the kernel fetches arrays of up to %d elements: choose one of '%s', as %s[0]",
				    ELEMENTS_MAX, r->name, r->name);
	strbuf_addf(ret, ":%c%" PRIu64 "[%" PRIu64 "]", sign_of(element, cast), bytes * 8, t->count);
	return NULL;
}

/* Appends ":s32" and gives the number of bits read; appends nothing if the kernel's default is right. */
static struct strobe_error *value_type_text(struct reached *r, const char *cast, struct strbuf *ret, uint64_t *ret_bits)
{
	const struct type *t = type_strip(r->type);
	uint64_t bytes = type_bytes(t);
	*ret_bits = bytes * 8;
	if (!t || t->kind == TYPE_VOID || t->kind == TYPE_FUNCTION)
		return error_create(ERROR_USAGE, "the type of '%s' is not known or has no size: give one, as %s:x64", r->name, r->name);
	if (t->kind == TYPE_ARRAY)
		return array_text(r, t, cast, ret);
	if (bytes && !is_power(bytes))
		return error_create(ERROR_USAGE, "'%s' (%s) has %" PRIu64 " bytes: %s", r->name, t->name ? t->name : "anonymous", bytes,
				    is_compound(t) ? "choose a member" : "the kernel fetches 1, 2, 4 or 8");
	if (!bytes)
		return error_create(ERROR_USAGE, "the type of '%s' has no known size: give one, as %s:x64", r->name, r->name);
	/* As in perf, the kernel's default is used if debug information does not have the size. */
	if (t->says_bytes || is_sign_cast(cast))
		strbuf_addf(ret, ":%c%" PRIu64, sign_of(t, cast), bytes * 8);
	return NULL;
}

/* A string: follows a pointer, but not an array. */
static struct strobe_error *string_text(struct reached *r, const struct fetch_machine *m, const char *cast, struct strbuf *ret)
{
	const struct type *t = type_strip(r->type);
	bool is_pointer = t && t->kind == TYPE_POINTER;
	if (!is_pointer && !(t && t->kind == TYPE_ARRAY))
		return error_create(ERROR_USAGE, "'%s' is not a pointer or array: it cannot be a string", r->name);
	const struct type *of = type_strip(type_target(t));
	if (!of || type_bytes(of) != 1 || !is_scalar(of))
		return error_create(ERROR_USAGE, "'%s' does not point to characters: it cannot be a string", r->name);
	if (is_pointer)
		TRY(follow(r, m));
	strbuf_addf(ret, ":%s", cast);
	return NULL;
}

/* The size of "x32", "u8[4]"; 0: no size. */
static uint64_t cast_bits(const char *cast)
{
	uint64_t bits = 0;
	for (const char *c = cast + 1; isdigit((unsigned char)*c) && bits < 1000; c++)
		bits = bits * 10 + (uint64_t)(*c - '0');
	return strchr("usx", *cast) ? bits : 0;
}

/* Other letters begin the kernel's other types. */
static bool is_unknown_number(const char *cast)
{
	uint64_t bits = cast_bits(cast);
	return strchr("usx", *cast) && isdigit((unsigned char)cast[1]) && bits != 8 && bits != 16 && bits != 32 && bits != 64;
}

static struct strobe_error *type_of_value(struct reached *r, const struct fetch_machine *m, const char *cast, struct strbuf *ret,
					  uint64_t *ret_bits)
{
	*ret_bits = 8;
	if (is_string_cast(cast))
		return string_text(r, m, cast, ret);
	if (r->bits && (!cast || is_sign_cast(cast))) {
		TRY(bit_field_text(r, cast, ret));
		*ret_bits = r->bits;
		return NULL;
	}
	if (r->bits)
		return error_create(ERROR_USAGE, "'%s' is a bit field: it takes no type but u", r->name);
	if (!cast || is_sign_cast(cast))
		return value_type_text(r, cast, ret, ret_bits);
	if (is_unknown_number(cast))
		return error_create(ERROR_USAGE, "unknown type '%s' of '%s': numbers are u8, u16, u32 and u64, and with s or x likewise",
				    cast, r->name);
	uint64_t bytes = type_bytes(r->type);
	*ret_bits = cast_bits(cast) ? cast_bits(cast) : bytes ? bytes * 8 : m->pointer_bytes * 8;
	strbuf_addf(ret, ":%s", cast);
	return NULL;
}

/* ---- the location ---- */

/* "%di"; for the stack pointer of i386 "$stack". False: no name in the kernel. */
static bool add_register(const struct fetch_machine *m, uint8_t reg, struct strbuf *ret)
{
	const struct arch *a = m->arch;
	if (reg == FETCH_RETVAL) {
		strbuf_addstr(ret, "$retval");
		return true;
	}
	if (!a || reg >= a->dwarf_regs_nr || a->dwarf_regs[reg] == ARCH_DWARF_NONE)
		return false;
	const char *name = arch_reg_name(a, a->dwarf_regs[reg]);
	if (!name)
		return false;
	if (a == &arch_i386 && reg == a->dwarf_sp) {
		strbuf_addstr(ret, "$stack");
		return true;
	}
	strbuf_addch(ret, '%');
	for (; *name; name++)
		strbuf_addch(ret, (char)tolower((unsigned char)*name));
	return true;
}

static struct strobe_error *add_constant(const struct reached *r, const struct location *l, uint64_t bits, struct strbuf *ret)
{
	uint64_t v = l->start + (uint64_t)l->offsets[0];
	const struct type *t = type_strip(r->type);
	if (l->kind == LOCATION_IS_BYTES) {
		v = 0;
		if (bits > l->bytes_nr * 8ull || bits > VALUE_BITS_MAX)
			return error_create(ERROR_UNSUPPORTED, "'%s' is a constant of %u bytes, which the kernel cannot hold", r->name,
					    (unsigned)l->bytes_nr);
		memcpy(&v, l->bytes, bits / 8);
	}
	if (t && t->is_signed && bits && bits < 64)
		v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
	strbuf_addf(ret, t && t->is_signed ? "\\%" PRId64 : "\\%" PRIu64, v);
	return NULL;
}

/* "+8(+16(" or with u: reads of memory from the outermost on, down to the one numbered `last`. */
static void add_reads(const struct reached *r, const struct location *l, bool user, unsigned last, struct strbuf *ret)
{
	for (unsigned i = l->derefs + 1u; i-- > last;)
		strbuf_addf(ret, "%c%s%" PRIu64 "(", l->offsets[i] < 0 ? '-' : '+', user && i >= r->reads ? "u" : "",
			    l->offsets[i] < 0 ? -(uint64_t)l->offsets[i] : (uint64_t)l->offsets[i]);
}

static struct strobe_error *add_memory(const struct reached *r, const struct location *l, const struct fetch_machine *m, bool user,
				       struct strbuf *ret)
{
	bool is_static = l->base == LOCATION_OF_ADDRESS;
	if (l->derefs && m->pointer_bytes == 4 && m->reads_8_bytes)
		return error_create(ERROR_UNSUPPORTED,
				    "cannot fetch '%s' of a 32-bit program: a 64-bit kernel would read 8 bytes for the pointer to it; "
				    "an inline probe reads 4: record -e 'u:FILE:FUNCTION(%s)'", r->name, r->name);
	add_reads(r, l, user, is_static, ret);
	if (l->base == LOCATION_OF_CONSTANT)
		strbuf_addf(ret, "\\%" PRIu64, l->start);
	else if (is_static && (!m->address || !m->address(m->ctx, l->start + (uint64_t)l->offsets[0], ret)))
		return error_create(ERROR_UNSUPPORTED, "cannot fetch '%s': the kernel has no name for its address", r->name);
	else if (!is_static && !add_register(m, l->reg, ret))
		return error_create(ERROR_UNSUPPORTED, "cannot fetch '%s': it is reached through register %u of DWARF, which the kernel "
				    "has no name for", r->name, l->reg);
	for (unsigned i = is_static; i < l->derefs + 1u; i++)
		strbuf_addch(ret, ')');
	return NULL;
}

/* bits: number of bits read. */
static struct strobe_error *add_location(const struct reached *r, const struct fetch_machine *m, uint64_t bits, bool user,
					 struct strbuf *ret)
{
	struct location l = location_part(&r->at, r->bit_offset, bits);
	if (!l.kind)
		return no_location(r, &l);
	if (l.low_bytes && bits > l.low_bytes * 8u)
		return no_location(r, &(struct location){ .lack = LOCATION_COMPUTED });
	if (l.kind == LOCATION_IN_MEMORY)
		return add_memory(r, &l, m, user, ret);
	bool is_constant = l.base == LOCATION_OF_CONSTANT && !l.derefs;
	if (l.kind == LOCATION_IS_BYTES || (l.kind == LOCATION_IS_VALUE && is_constant))
		return add_constant(r, &l, bits, ret);
	if (l.kind == LOCATION_IS_VALUE)
		return no_location(r, &(struct location){ .lack = LOCATION_COMPUTED });
	if (bits > m->arch->pointer_bytes * 8u)
		return error_create(ERROR_UNSUPPORTED, "cannot fetch '%s': it is larger than the register that contains its "
				"beginning", r->name);
	if (add_register(m, l.reg, ret))
		return NULL;
	return error_create(ERROR_UNSUPPORTED, "cannot fetch '%s': it is in a floating point or vector register (%u of DWARF), which the "
			    "kernel does not give", r->name, l.reg);
}

static bool has_kind(const struct reached *r, enum type_kind kind)
{
	const struct type *t = type_strip(r->type);
	return t && t->kind == kind;
}

struct strobe_error *fetch_text(const struct fetch_path *path, const struct fetch_value *value, const struct fetch_machine *machine,
				const char *cast, bool in_user_memory, struct strbuf *ret)
{
	_cleanup_strbuf_ struct strbuf type = {};
	struct reached r = { .at = *value->at, .type = value->type, .name = value->name };
	uint64_t bits;
	const struct location *first = r.at.nr ? &r.at.pieces[0].at : NULL;
	r.reads = first && first->kind == LOCATION_IN_MEMORY ? first->derefs + 1u : first ? first->derefs : 0;
	for (size_t i = 0; i < path->steps.len; i++)
		TRY(walk_step(&r, &path->steps.data[i], machine));
	TRY(follow_references(&r, machine));
	bool is_array_cast = cast && strchr(cast, '[') && !is_string_cast(cast);
	if (is_array_cast && has_kind(&r, TYPE_POINTER)) /* as for strings, the kernel reads an array where the pointer leads */
		TRY(follow(&r, machine));
	bool is_in_array = is_array_cast || has_kind(&r, TYPE_ARRAY);
	TRY(type_of_value(&r, machine, cast, &type, &bits));
	if (is_in_array && location_part(&r.at, r.bit_offset, bits).kind != LOCATION_IN_MEMORY)
		return error_create(ERROR_UNSUPPORTED, "cannot fetch '%s' as a whole: it is not in memory", r.name);
	TRY(add_location(&r, machine, bits, in_user_memory, ret));
	strbuf_addstr(ret, strbuf_str(&type));
	return NULL;
}
