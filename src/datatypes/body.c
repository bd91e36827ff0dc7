#include "datatypes/body.h"

static const char *text_of(struct disasm *d, struct arena *arena, const void *code, size_t n, uint64_t at)
{
	struct out text;
	size_t length;
	out_init_mem(&text);
	disasm_text(d, &text, code, n, at);
	const char *words = out_mem(&text, &length), *ret = arena_strndup(arena, words, length);
	error_destroy(out_close(&text)); /* memory does not fail */
	return ret;
}

static bool ends(uint8_t flow)
{
	return flow == INSN_JUMP || flow == INSN_RETURN;
}

static void mark_target(struct body *b, uint64_t address)
{
	uint32_t at = body_find(b, address);
	if (at != BODY_NONE)
		b->insns.data[at].is_target = true;
}

void body_read(struct disasm *d, const void *code, size_t n, uint64_t vaddr, struct body *ret)
{
	VEC(uint64_t) targets = {};
	*ret = (struct body){};
	arena_init(&ret->arena);
	const uint8_t *at = code;
	for (struct insn i; n && disasm_decode(d, at, n, vaddr, &i); at += i.bytes, n -= i.bytes, vaddr += i.bytes) {
		struct body_insn insn = { .address = vaddr, .text = text_of(d, &ret->arena, at, i.bytes, vaddr), .ends = ends(i.flow),
					  .has_address = i.has_address, .data = i.address };
		vec_push(&ret->insns, insn);
		if (i.has_target && i.flow != INSN_CALL && i.target > vaddr)
			vec_push(&targets, i.target);
	}
	for (size_t i = 0; i < targets.len; i++)
		mark_target(ret, targets.data[i]);
	vec_deinit(&targets);
}

void body_deinit(struct body *b)
{
	vec_deinit(&b->insns);
	arena_deinit(&b->arena);
}

uint32_t body_find(const struct body *b, uint64_t address)
{
	size_t i = vec_search(&b->insns, x, x->address < address);
	return i < b->insns.len && b->insns.data[i].address == address ? (uint32_t)i : BODY_NONE;
}
