/*
 * Loaded BPF programs: KSYMBOL for each JITed function, BPF_EVENT for each program. New ones bring their own records.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "capture/bpf_priv.h"
#include "capture/synth_priv.h"
#include "record/btf.h"

#define TAG_BYTES 8
#define BTF_LIMIT      (16u << 20)

uint8_t *bpf_load_btf(uint32_t id, uint32_t *ret_bytes)
{
	_cleanup_close_ int fd = id ? bpf_open_id(BPF_BTF_GET_FD_BY_ID, id) : -1;
	struct bpf_btf_info info = {};
	if (fd < 0 || !bpf_object_info(fd, &info, sizeof(info)) || !info.btf_size || info.btf_size > BTF_LIMIT)
		return NULL;
	uint32_t bytes = info.btf_size;
	uint8_t *data = xmalloc(bytes);
	info = (struct bpf_btf_info){ .btf = (uintptr_t)data, .btf_size = bytes };
	if (!bpf_object_info(fd, &info, sizeof(info))) {
		free(data);
		return NULL;
	}
	*ret_bytes = bytes;
	return data;
}

static void put_ksymbol(struct out *o, uint64_t addr, uint32_t len, const char *name, uint16_t tail)
{
	size_t n = strlen(name);
	uint8_t *p = synth_record(o, PERF_RECORD_KSYMBOL, 0, 24 + synth_align(n + 1), tail);
	uint16_t type = PERF_RECORD_KSYMBOL_TYPE_BPF;
	memcpy(p + 8, &addr, 8);
	memcpy(p + 16, &len, 4);
	memcpy(p + 20, &type, 2);
	memcpy(p + 24, name, n);
}

/* "bpf_prog_<tag>_<name>", as kallsyms calls it. */
static void program_name(struct strbuf *b, const uint8_t tag[TAG_BYTES], const char *name)
{
	strbuf_reset(b);
	strbuf_addstr(b, "bpf_prog_");
	for (unsigned i = 0; i < TAG_BYTES; i++)
		strbuf_addf(b, "%02x", tag[i]);
	if (*name)
		strbuf_addf(b, "_%s", name);
}

static void synth_program(struct out *o, int fd, uint16_t tail)
{
	struct bpf_prog_info sizes = {};
	if (!bpf_object_info(fd, &sizes, sizeof(sizes)) || !sizes.nr_jited_ksyms || sizes.nr_jited_ksyms > BPF_COUNT_LIMIT)
		return;
	uint32_t n = sizes.nr_jited_ksyms;
	_cleanup_free_ uint64_t *addrs = xcalloc(n, sizeof(*addrs));
	_cleanup_free_ uint32_t *lens = xcalloc(n, sizeof(*lens));
	_cleanup_free_ uint8_t *tags = xcalloc(n, TAG_BYTES);
	bool has_functions = sizes.nr_func_info == n && sizes.func_info_rec_size >= sizeof(struct bpf_func_info) &&
			     sizes.func_info_rec_size <= 64;
	_cleanup_free_ uint8_t *functions = xcalloc(n, has_functions ? sizes.func_info_rec_size : 1);
	struct bpf_prog_info info = {
		.nr_jited_ksyms = n,
		.jited_ksyms = (uintptr_t)addrs,
		.nr_jited_func_lens = n,
		.jited_func_lens = (uintptr_t)lens,
		.nr_prog_tags = n,
		.prog_tags = (uintptr_t)tags,
	};
	if (has_functions) {
		info.nr_func_info = n;
		info.func_info = (uintptr_t)functions;
		info.func_info_rec_size = sizes.func_info_rec_size;
	}
	if (!bpf_object_info(fd, &info, sizeof(info)) || info.nr_jited_ksyms != n)
		return;
	uint32_t btf_bytes = 0;
	_cleanup_free_ uint8_t *btf_data = has_functions ? bpf_load_btf(info.btf_id, &btf_bytes) : NULL;
	struct btf btf = {};
	if (btf_data)
		error_destroy(btf_copy(btf_data, btf_bytes, &btf));
	_cleanup_strbuf_ struct strbuf name = {};
	for (uint32_t i = 0; i < n; i++) {
		struct bpf_func_info f = {};
		if (has_functions)
			memcpy(&f, functions + (size_t)i * info.func_info_rec_size, sizeof(f));
		const char *function = btf_function_name(&btf, f.type_id);
		/* Without BTF the functions of a program cannot be distinguished by name. */
		program_name(&name, tags + (size_t)i * TAG_BYTES, *function ? function : n == 1 ? info.name : "F");
		if (addrs[i])
			put_ksymbol(o, addrs[i], lens[i], strbuf_str(&name), tail);
	}
	btf_deinit(&btf);
	uint8_t *p = synth_record(o, PERF_RECORD_BPF_EVENT, 0, 24, tail);
	uint16_t type = PERF_BPF_EVENT_PROG_LOAD;
	memcpy(p + 8, &type, 2);
	memcpy(p + 12, &info.id, 4);
	memcpy(p + 16, info.tag, TAG_BYTES);
}

struct strobe_error *synth_bpf(struct record_sink *sink, const struct synth_options *opt)
{
	struct out o;
	out_init_mem(&o);
	uint32_t id = 0;
	for (unsigned i = 0; i < BPF_COUNT_LIMIT && bpf_next_program(&id); i++) {
		_cleanup_close_ int fd = bpf_open_id(BPF_PROG_GET_FD_BY_ID, id);
		if (fd >= 0)
			synth_program(&o, fd, opt->tail_bytes);
	}
	struct strobe_error *err = synth_flush(&o, sink);
	error_destroy(out_close(&o));
	return err;
}
