#include "bpf/load/btf_cut.h"

#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpf/load/kernel_btf.h"

/* Types within types, no deeper. */
#define DEPTH_MAX 16

struct cut {
	const struct btf *kernel, *local;
	struct strbuf types, strings;
	uint32_t nr;
	const struct btf_type **named; /* by local id: the kernel's structure of that name */
	uint32_t *made;                /* by local id: the type that was made of it, or 0 */
};

static uint32_t add_string(struct cut *c, const char *s)
{
	uint32_t at = (uint32_t)c->strings.len;
	if (!*s)
		return 0;
	strbuf_add(&c->strings, s, strlen(s) + 1);
	return at;
}

static uint32_t add_type(struct cut *c, const struct btf_type *t, const void *tail, size_t tail_bytes)
{
	strbuf_add(&c->types, t, sizeof(*t));
	strbuf_add(&c->types, tail, tail_bytes);
	return ++c->nr;
}

/* What a name for a type, or a word before it, stands for; *id follows. */
static const struct btf_type *strip(const struct btf *b, uint32_t *id)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		const struct btf_type *t = btf_type_by_id(b, *id);
		unsigned kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;
		if (kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE && kind != BTF_KIND_RESTRICT &&
		    kind != 18 /* BTF_KIND_TYPE_TAG, Linux 5.17 */)
			return t;
		*id = t->type;
	}
	return NULL;
}

static bool is_composite(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT || BTF_INFO_KIND(t->info) == BTF_KIND_UNION;
}

static uint32_t cut_type(struct cut *c, uint32_t local_id, uint32_t kernel_id, unsigned depth);

/* Its members as the object knows them, where the kernel has them. */
static uint32_t cut_structure(struct cut *c, const struct btf_type *local, const struct btf_type *kernel, unsigned depth)
{
	const struct btf_member *m = (const void *)(local + 1);
	_cleanup_strbuf_ struct strbuf members = {};
	uint32_t n = 0;
	for (uint32_t i = 0; i < BTF_INFO_VLEN(local->info); i++) {
		const char *name = btf_string(c->local, m[i].name_off);
		uint32_t bits, type;
		if (!*name || !btf_member(c->kernel, kernel, name, &bits, &type))
			continue;
		struct btf_member member = { .type = cut_type(c, m[i].type, type, depth + 1), .offset = bits };
		member.name_off = add_string(c, name);
		strbuf_add(&members, &member, sizeof(member));
		n++;
	}
	struct btf_type t = { .name_off = add_string(c, btf_string(c->kernel, kernel->name_off)), .size = kernel->size };
	t.info = BTF_INFO_KIND(kernel->info) << 24 | n;
	return add_type(c, &t, members.data, members.len);
}

static uint32_t cut_array(struct cut *c, const struct btf_type *local, const struct btf_type *kernel, unsigned depth)
{
	const struct btf_array *ours = (const void *)(local + 1), *theirs = (const void *)(kernel + 1);
	struct btf_array a = { .nelems = theirs->nelems };
	a.type = cut_type(c, ours->type, theirs->type, depth + 1);
	a.index_type = cut_type(c, ours->index_type, theirs->index_type, depth + 1);
	struct btf_type t = { .info = (uint32_t)BTF_KIND_ARRAY << 24 };
	return add_type(c, &t, &a, sizeof(a));
}

/* The kernel's type, as far as the object looks into it; 0, nothing, for what it cannot read directly. */
static uint32_t cut_type(struct cut *c, uint32_t local_id, uint32_t kernel_id, unsigned depth)
{
	const struct btf_type *local = strip(c->local, &local_id), *kernel = strip(c->kernel, &kernel_id);
	if (!local || !kernel || depth > DEPTH_MAX)
		return 0;
	unsigned kind = BTF_INFO_KIND(kernel->info);
	if (is_composite(local) && is_composite(kernel)) {
		if (!c->made[local_id])
			c->made[local_id] = cut_structure(c, local, kernel, depth);
		return c->made[local_id];
	}
	if (kind != BTF_INFO_KIND(local->info))
		return 0;
	struct btf_type t = { .info = kind << 24, .size = kernel->size };
	switch (kind) {
	case BTF_KIND_INT:
		t.name_off = add_string(c, btf_string(c->kernel, kernel->name_off));
		return add_type(c, &t, kernel + 1, sizeof(uint32_t));
	case BTF_KIND_PTR:
		t.type = 0;
		return add_type(c, &t, NULL, 0);
	case BTF_KIND_ENUM:
		return add_type(c, &t, NULL, 0);
	case BTF_KIND_ARRAY:
		return cut_array(c, local, kernel, depth);
	default:
		return 0;
	}
}

/* Nearly all are told apart by their first byte. */
static bool is_same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

/* The kernel's structures of the names that the object has, in one walk. */
static void find_named(struct cut *c)
{
	VEC(uint32_t) wanted = {};
	bool begins[256] = {}; /* a wanted name, by its first byte */
	for (uint32_t id = 1; id <= c->local->type_at.len; id++) {
		const struct btf_type *t = btf_type_by_id(c->local, id);
		const char *name = btf_string(c->local, t->name_off);
		if (BTF_INFO_KIND(t->info) != BTF_KIND_STRUCT || !*name)
			continue;
		vec_push(&wanted, id);
		begins[(uint8_t)*name] = true;
	}
	for (uint32_t id = 1; id <= c->kernel->type_at.len; id++) {
		const struct btf_type *t = btf_type_by_id(c->kernel, id);
		if (BTF_INFO_KIND(t->info) != BTF_KIND_STRUCT)
			continue;
		const char *name = btf_string(c->kernel, t->name_off);
		if (!begins[(uint8_t)*name])
			continue;
		for (size_t i = 0; i < wanted.len; i++) {
			const struct btf_type *w = btf_type_by_id(c->local, wanted.data[i]);
			if (!c->named[wanted.data[i]] && is_same(btf_string(c->local, w->name_off), name))
				c->named[wanted.data[i]] = t;
		}
	}
	vec_deinit(&wanted);
}

void btf_cut(const struct btf *kernel, const struct btf *local, struct strbuf *ret)
{
	struct cut c = { .kernel = kernel, .local = local };
	c.named = xcalloc(local->type_at.len + 1, sizeof(*c.named));
	c.made = xcalloc(local->type_at.len + 1, sizeof(*c.made));
	strbuf_add(&c.strings, "", 1);
	find_named(&c);
	for (uint32_t id = 1; id <= local->type_at.len; id++)
		if (c.named[id] && !c.made[id])
			c.made[id] = cut_structure(&c, btf_type_by_id(local, id), c.named[id], 0);
	struct btf_header h = {
		.magic = BTF_FILE_MAGIC,
		.version = 1,
		.hdr_len = sizeof(h),
		.type_len = (uint32_t)c.types.len,
		.str_off = (uint32_t)c.types.len,
		.str_len = (uint32_t)c.strings.len,
	};
	strbuf_add(ret, &h, sizeof(h));
	strbuf_add(ret, c.types.data, c.types.len);
	strbuf_add(ret, c.strings.data, c.strings.len);
	strbuf_deinit(&c.types);
	strbuf_deinit(&c.strings);
	free(c.named);
	free(c.made);
}

struct strobe_error *btf_cut_kernel(const struct sys *sys, const void *local, size_t bytes, struct strbuf *ret)
{
	struct kernel_btf kernel;
	struct btf own;
	TRY(kernel_btf_open(sys, &kernel));
	struct strobe_error *err = btf_copy(local, bytes, &own);
	if (!err) {
		btf_cut(&kernel.btf, &own, ret);
		btf_deinit(&own);
	}
	kernel_btf_close(&kernel);
	return err;
}
