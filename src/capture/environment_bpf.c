/*
 * BPF_PROG_INFO and BPF_BTF: programs that are loaded, with their code, lines and types, as the kernel gives them. A
 * section is a count, then the programs: sizes of what follows, a mask of the arrays that are there, then
 * struct bpf_prog_info in which pointers to arrays have become offsets, and the arrays.
 * Source: perf.data-file-format.txt, HEADER_BPF_PROG_INFO and HEADER_BPF_BTF.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "capture/bpf_priv.h"
#include "capture/environment.h"

/* Of one program: code and lines of the largest that the verifier lets through stay far below. */
#define DATA_LIMIT (64u << 20)

/* Arrays that hang on struct bpf_prog_info, at the bit of the mask that stands for each. */
struct array {
	uint16_t pointer, count, size; /* offsets; size 0: fixed_size is one element's */
	uint16_t fixed_size;
};

#define INFO(field) offsetof(struct bpf_prog_info, field)
static const struct array arrays[] = {
	[0] = { INFO(jited_prog_insns), INFO(jited_prog_len), 0, 1 },
	/* 1 and 2, instructions before translation and maps, are not requested. */
	[3] = { INFO(jited_ksyms), INFO(nr_jited_ksyms), 0, 8 },
	[4] = { INFO(jited_func_lens), INFO(nr_jited_func_lens), 0, 4 },
	[5] = { INFO(func_info), INFO(nr_func_info), INFO(func_info_rec_size), 0 },
	[6] = { INFO(line_info), INFO(nr_line_info), INFO(line_info_rec_size), 0 },
	[7] = { INFO(jited_line_info), INFO(nr_jited_line_info), INFO(jited_line_info_rec_size), 0 },
	[8] = { INFO(prog_tags), INFO(nr_prog_tags), 0, 8 },
};
#undef INFO
#define ARRAYS (sizeof(arrays) / sizeof(*arrays))

static uint32_t field32(const struct bpf_prog_info *info, uint16_t at)
{
	uint32_t v;
	memcpy(&v, (const char *)info + at, sizeof(v));
	return v;
}

static void set_pointer(struct bpf_prog_info *info, const struct array *a, uint64_t v)
{
	memcpy((char *)info + a->pointer, &v, sizeof(v));
}

static uint32_t element_bytes(const struct bpf_prog_info *info, const struct array *a)
{
	return a->size ? field32(info, a->size) : a->fixed_size;
}

static uint64_t padded_bytes(const struct bpf_prog_info *info, const struct array *a)
{
	return ((uint64_t)field32(info, a->count) * element_bytes(info, a) + 7) & ~7ull;
}

/* Appends one program; its BTF's id is given back, 0 where it has none. */
static bool put_program(struct strbuf *b, int fd, uint32_t *ret_btf)
{
	struct bpf_prog_info sizes = {}, info = {};
	uint64_t bytes = 0, mask = 0, at = 0;

	if (!bpf_object_info(fd, &sizes, sizeof(sizes)))
		return false;
	for (size_t i = 0; i < ARRAYS; i++) {
		bytes += arrays[i].count ? padded_bytes(&sizes, &arrays[i]) : 0;
		if (bytes > DATA_LIMIT)
			return false;
	}
	_cleanup_free_ uint8_t *data = xcalloc(1, bytes + 8);
	for (size_t i = 0; i < ARRAYS; i++) {
		const struct array *a = &arrays[i];
		if (!a->count)
			continue;
		uint32_t count = field32(&sizes, a->count), element = element_bytes(&sizes, a);
		mask |= 1ull << i;
		memcpy((char *)&info + a->count, &count, sizeof(count));
		if (a->size)
			memcpy((char *)&info + a->size, &element, sizeof(element));
		set_pointer(&info, a, (uintptr_t)(data + at));
		at += padded_bytes(&sizes, a);
	}
	/* A program does not change once it is loaded: the sizes hold. */
	if (!bpf_object_info(fd, &info, sizeof(info)))
		return false;
	at = 0;
	for (size_t i = 0; i < ARRAYS; i++) {
		if (!arrays[i].count)
			continue;
		set_pointer(&info, &arrays[i], at);
		at += padded_bytes(&sizes, &arrays[i]);
	}
	uint32_t head[] = { sizeof(info), (uint32_t)bytes };
	strbuf_add(b, head, sizeof(head));
	strbuf_add(b, &mask, sizeof(mask));
	strbuf_add(b, &info, sizeof(info));
	strbuf_add(b, data, bytes);
	*ret_btf = info.btf_id;
	return true;
}

static void put_btf(struct strbuf *b, uint32_t id, uint32_t *count)
{
	uint32_t bytes = 0;
	_cleanup_free_ uint8_t *btf = bpf_load_btf(id, &bytes);
	if (!btf)
		return;
	strbuf_add(b, &id, sizeof(id));
	strbuf_add(b, &bytes, sizeof(bytes));
	strbuf_add(b, btf, bytes);
	++*count;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void set_section(struct env *env, uint32_t bit, uint32_t count, struct strbuf *b)
{
	if (!count)
		return;
	memcpy(b->data, &count, sizeof(count));
	env_set_section(env, bit, arena_memdup(&env->arena, b->data, b->len), b->len);
}

void environment_bpf(struct env *env)
{
	_cleanup_strbuf_ struct strbuf programs = {}, btfs = {};
	VEC(uint32_t) ids = {};
	uint32_t id = 0, programs_nr = 0, btfs_nr = 0;

	strbuf_add(&programs, &programs_nr, sizeof(programs_nr)); /* the counts are filled in */
	strbuf_add(&btfs, &btfs_nr, sizeof(btfs_nr));
	for (unsigned i = 0; i < BPF_COUNT_LIMIT && bpf_next_program(&id); i++) {
		uint32_t btf = 0;
		_cleanup_close_ int fd = bpf_open_id(BPF_PROG_GET_FD_BY_ID, id);
		if (fd < 0 || !put_program(&programs, fd, &btf))
			continue;
		programs_nr++;
		if (btf)
			vec_push(&ids, btf);
	}
	if (ids.len)
		qsort(ids.data, ids.len, sizeof(*ids.data), compare_ids);
	for (size_t i = 0; i < ids.len; i++)
		if (!i || ids.data[i] != ids.data[i - 1])
			put_btf(&btfs, ids.data[i], &btfs_nr);
	set_section(env, FEATURE_BPF_PROG_INFO, programs_nr, &programs);
	set_section(env, FEATURE_BPF_BTF, btfs_nr, &btfs);
	vec_deinit(&ids);
}
