#include "dump/header_bpf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "record/btf.h"

/* Offsets in struct bpf_prog_info of the fields shown; arrays are in the data after it. */
#define PROG_TAG	      8
#define PROG_NAME	      64
#define PROG_NAME_BYTES	      16
#define PROG_NR_KSYMS	      104
#define PROG_NR_FUNC_LENS     108
#define PROG_KSYMS	      112
#define PROG_FUNC_LENS	      120
#define PROG_BTF_ID	      128
#define PROG_FUNC_INFO_BYTES  132 /* of one element */
#define PROG_FUNC_INFO	      136
#define PROG_NR_FUNC_INFO     144
#define PROG_NR_TAGS	      180
#define PROG_TAGS	      184

#define TAG_BYTES 8
#define FUNC_INFO_TYPE 4 /* in an element: where the id of its type in the BTF is */

struct program {
	const struct env *env;
	const struct env_bpf_prog *p;
	const struct btf *btf; /* empty where none was recorded */
};

/* Recorded BTF blobs, each read once. */
struct blobs {
	struct u64map at;  /* id -> number in the environment */
	struct btf *types; /* by that number */
	bool *is_read;
};

static uint64_t u64_at(const struct env *e, const void *data, size_t offset)
{
	uint64_t v;
	memcpy(&v, (const char *)data + offset, sizeof(v));
	return e->swapped ? __builtin_bswap64(v) : v;
}

static uint32_t u32_at(const struct env *e, const void *data, size_t offset)
{
	uint32_t v;
	memcpy(&v, (const char *)data + offset, sizeof(v));
	return e->swapped ? __builtin_bswap32(v) : v;
}

/* Fields that the recorded kernel did not have are 0. */
static uint32_t info_u32(const struct program *g, size_t offset)
{
	return offset + 4 <= g->p->info_bytes ? u32_at(g->env, g->p->info, offset) : 0;
}

static uint64_t info_u64(const struct program *g, size_t offset)
{
	return offset + 8 <= g->p->info_bytes ? u64_at(g->env, g->p->info, offset) : 0;
}

/* An element of an array whose offset is in the info at `array`; NULL: outside of the data. */
static const uint8_t *element(const struct program *g, size_t array, uint32_t i, uint32_t bytes)
{
	uint64_t start = info_u64(g, array), offset = (uint64_t)i * bytes, all = g->p->data_bytes;
	if (start > all || offset > all - start || bytes > all - start - offset)
		return NULL;
	return (const uint8_t *)g->p->data + start + offset;
}

static const char *function_name(const struct program *g, uint32_t function, size_t *ret_bytes)
{
	uint32_t bytes = info_u32(g, PROG_FUNC_INFO_BYTES);
	const uint8_t *f = function < info_u32(g, PROG_NR_FUNC_INFO) && bytes >= FUNC_INFO_TYPE + 4 ?
				   element(g, PROG_FUNC_INFO, function, bytes) : NULL;
	const char *name = f ? btf_function_name(g->btf, u32_at(g->env, f, FUNC_INFO_TYPE)) : "";
	*ret_bytes = strlen(name);
	if (*ret_bytes)
		return name;
	if (info_u32(g, PROG_NR_KSYMS) != 1) {
		*ret_bytes = 1;
		return "F";
	}
	name = (const char *)g->p->info + PROG_NAME;
	*ret_bytes = strnlen(name, PROG_NAME_BYTES);
	return name;
}

static void print_name(struct out *out, const struct program *g, uint32_t function)
{
	const uint8_t *tag = function < info_u32(g, PROG_NR_TAGS) ? element(g, PROG_TAGS, function, TAG_BYTES) : NULL;
	size_t bytes;
	const char *name = function_name(g, function, &bytes);
	if (!tag)
		tag = (const uint8_t *)g->p->info + PROG_TAG;
	out_str(out, "bpf_prog_");
	for (unsigned i = 0; i < TAG_BYTES; i++)
		out_f(out, "%02x", tag[i]);
	if (bytes)
		out_ch(out, '_');
	out_text(out, name, bytes);
}

static void print_program(struct out *out, const struct program *g)
{
	uint32_t n = info_u32(g, PROG_NR_KSYMS), lens = info_u32(g, PROG_NR_FUNC_LENS);
	if (n > 1)
		out_f(out, "# bpf_prog_info %u:\n", g->p->id);
	for (uint32_t i = 0; i < n && i < lens; i++) {
		const uint8_t *addr = element(g, PROG_KSYMS, i, 8), *bytes = element(g, PROG_FUNC_LENS, i, 4);
		if (!addr || !bytes)
			break;
		if (n > 1)
			out_f(out, "# \tsub_prog %u: ", i);
		else
			out_f(out, "# bpf_prog_info %u: ", g->p->id);
		print_name(out, g, i);
		out_f(out, " addr 0x%" PRIx64 " size %u\n", u64_at(g->env, addr, 0), u32_at(g->env, bytes, 0));
	}
}

static const struct btf *btf_of(struct blobs *b, const struct program *g)
{
	static const struct btf none = {};
	const uint64_t *at = u64map_get(&b->at, info_u32(g, PROG_BTF_ID));
	if (!at)
		return &none;
	const struct env_bpf_btf *recorded = &g->env->bpf_btfs.data[*at];
	/* A damaged one is empty: functions then have no separate names. */
	if (!b->is_read[*at])
		error_destroy(btf_copy(recorded->data, recorded->bytes, &b->types[*at]));
	b->is_read[*at] = true;
	return &b->types[*at];
}

void header_bpf_print(struct out *out, const struct env *env)
{
	size_t n = env->bpf_btfs.len;
	struct blobs b = { .types = xcalloc(n, sizeof(*b.types)), .is_read = xcalloc(n, sizeof(*b.is_read)) };
	for (size_t i = 0; i < n; i++)
		*u64map_put(&b.at, env->bpf_btfs.data[i].id, NULL) = i;
	for (size_t i = 0; i < env->bpf_progs.len; i++) {
		struct program g = { .env = env, .p = &env->bpf_progs.data[i] };
		if (g.p->info_bytes < PROG_FUNC_LENS + 8)
			continue;
		g.btf = btf_of(&b, &g);
		print_program(out, &g);
	}
	for (size_t i = 0; i < n; i++)
		btf_deinit(&b.types[i]);
	u64map_deinit(&b.at);
	free(b.types);
	free(b.is_read);
}
