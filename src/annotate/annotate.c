#include "annotate/annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "annotate/source_text.h"
#include "base/cleanup.h"
#include "base/out.h"

struct builder {
	const struct code_source *source;
	struct disasm *disasm;
	struct listing *l;
	struct out text;  /* of one instruction */
	/* The places of the previous instruction: the next one's are usually the same. */
	struct code_place last[CODE_PLACES_MAX];
	unsigned last_nr;
	uint32_t last_place;
};

static void destroy_disasm(struct disasm **d)
{
	disasm_destroy(*d);
}

/* ---- places ---- */

static bool same_places(const struct builder *b, const struct code_place *p, unsigned n)
{
	if (n != b->last_nr)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (p[i].function != b->last[i].function || p[i].file != b->last[i].file || p[i].line != b->last[i].line)
			return false;
	return true;
}

static uint32_t place_at(struct builder *b, uint64_t addr)
{
	struct code_place p[CODE_PLACES_MAX];
	unsigned n = b->source->places ? b->source->places(b->source->ctx, addr, p) : 0;
	if (same_places(b, p, n))
		return b->last_place;
	uint32_t place = LISTING_NONE;
	for (unsigned i = n; i--;) {
		struct listing_place at = {
			.function = p[i].function ? arena_strdup(&b->l->arena, p[i].function) : NULL,
			.file = p[i].file ? listing_file(b->l, p[i].file) : LISTING_NONE,
			.line = p[i].line,
			.caller = place,
		};
		place = listing_place(b->l, &at);
	}
	memcpy(b->last, p, n * sizeof(*p));
	b->last_nr = n;
	return b->last_place = place;
}

/* ---- instructions ---- */

static uint8_t flow_of(uint8_t flow)
{
	static const uint8_t flows[] = {
		[INSN_NEXT] = LISTING_NEXT, [INSN_JUMP] = LISTING_JUMP, [INSN_BRANCH] = LISTING_BRANCH,
		[INSN_CALL] = LISTING_CALL, [INSN_RETURN] = LISTING_RETURN, [INSN_TRAP] = LISTING_TRAP,
	};
	return flows[flow];
}

static struct listing_symbol symbol_at(const struct builder *b, uint64_t addr)
{
	struct listing_symbol s = { .addr = addr };
	uint64_t start = addr;
	const char *name = b->source->name ? b->source->name(b->source->ctx, addr, &start) : NULL;
	if (!name)
		return s;
	s.name = arena_strdup(&b->l->arena, name);
	s.offset = addr - start;
	return s;
}

/* Finds the target in the text: a whole number with 0x, including "$" and "#" before it. */
static void find_target(struct listing_insn *insn)
{
	char number[24];
	int n = snprintf(number, sizeof(number), "0x%" PRIx64, insn->target.addr);
	const char *at = strstr(insn->text, number);
	if (!at || strspn(at + n, "0123456789abcdef"))
		return;
	size_t from = (size_t)(at - insn->text);
	if (from && at[-1] == '#') {
		from--;
		n++;
	}
	if (from > UINT16_MAX)
		return;
	insn->target_at = (uint16_t)from;
	insn->target_bytes = (uint16_t)n;
}

static const char *take_text(struct builder *b)
{
	size_t n;
	const char *text = out_mem(&b->text, &n);
	const char *copy = arena_strndup(&b->l->arena, text, n);
	b->text.len = 0;
	return copy;
}

static size_t add_insn(struct builder *b, const uint8_t *code, size_t n, uint64_t addr)
{
	struct insn i;
	bool good = disasm_decode(b->disasm, code, n, addr, &i);
	struct listing_insn insn = {
		.addr = addr,
		.code = code,
		.bytes = good ? i.bytes : (uint8_t)disasm_unknown_bytes(b->disasm, code, n),
		.flow = good ? flow_of(i.flow) : LISTING_BAD,
		.has_target = good && i.has_target,
		.has_reference = good && i.has_address,
		.place = place_at(b, addr),
	};
	if (good)
		disasm_text(b->disasm, &b->text, code, n, addr);
	for (size_t at = 0; !good && at < insn.bytes; at++)
		out_f(&b->text, "%s0x%02x", at ? "," : ".byte  ", code[at]);
	insn.text = take_text(b);
	if (insn.has_target) {
		insn.target = symbol_at(b, i.target);
		find_target(&insn);
	}
	if (insn.has_reference)
		insn.reference = symbol_at(b, i.address);
	listing_insn(b->l, &insn);
	return insn.bytes;
}

static void add_insns(struct builder *b, const uint8_t *code, size_t n)
{
	uint64_t addr = b->l->start;
	while (n) {
		size_t bytes = add_insn(b, code, n, addr);
		code += bytes;
		addr += bytes;
		n -= bytes;
	}
}

/* ---- the whole ---- */

static const char *keep(struct listing *l, const char *s)
{
	return s ? arena_strdup(&l->arena, s) : NULL;
}

static struct listing *make_listing(const struct annotate_function *f, const struct arch *arch)
{
	struct listing *l = listing_create();
	l->symbol = keep(l, f->name);
	l->raw_name = keep(l, f->raw_name ? f->raw_name : f->name);
	l->object = keep(l, f->object);
	l->object_path = keep(l, f->object_path);
	l->build_id = keep(l, f->build_id ? f->build_id : "");
	l->section = keep(l, f->section);
	l->debug_origin = keep(l, f->debug_origin);
	l->arch = arch->name;
	l->start = f->start;
	for (size_t i = 0; i < f->events_nr; i++) {
		struct listing_event e = f->events[i];
		e.name = keep(l, e.name);
		e.unit = keep(l, e.unit ? e.unit : "");
		e.samples = e.value = 0;
		listing_event(l, &e);
	}
	return l;
}

struct strobe_error *annotate_function(const struct code_source *source, const struct annotate_function *f,
				       const struct annotate_options *options, struct listing **ret)
{
	_cleanup_(destroy_disasm) struct disasm *disasm = NULL;
	size_t n;
	*ret = NULL;
	if (f->end <= f->start)
		return error_create(ERROR_FORMAT, "the size of %s is unknown", f->name);
	if (f->end - f->start > ANNOTATE_MAX_BYTES)
		return error_create(ERROR_LIMIT, "%s has %" PRIu64 " bytes, and no more than %u are listed", f->name,
				    f->end - f->start, ANNOTATE_MAX_BYTES);
	const uint8_t *code = source->bytes(source->ctx, f->start, &n);
	if (!code || !n)
		return error_create(ERROR_NOT_FOUND, "the code of %s is not available", f->name);
	enum disasm_encoding encoding = source->encoding ? source->encoding(source->ctx, f->start) : DISASM_USUAL;
	TRY(disasm_create(source->arch, encoding, options->syntax, &disasm));
	if (n > f->end - f->start)
		n = (size_t)(f->end - f->start);
	struct builder b = { .source = source, .disasm = disasm, .l = make_listing(f, source->arch), .last_place = LISTING_NONE };
	b.l->end = f->start + n;
	out_init_mem(&b.text);
	add_insns(&b, code, n);
	error_destroy(out_close(&b.text));
	if (!options->without_source)
		source_text_read(b.l, options);
	*ret = b.l;
	return NULL;
}
