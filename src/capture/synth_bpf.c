/*
 * Loaded BPF programs: KSYMBOL for each JITed function, BPF_EVENT for each program. New ones bring their own records.
 */
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "capture/bpf_priv.h"
#include "capture/synth_priv.h"

#define TAG_BYTES 8
#define BTF_LIMIT      (16u << 20)

/* The name of the function type `type_id` of a BTF blob, copied; NULL where it is not there. */
static char *btf_function_name(const uint8_t *btf, uint32_t bytes, uint32_t type_id)
{
	struct btf_header h;
	if (bytes < sizeof(h))
		return NULL;
	memcpy(&h, btf, sizeof(h));
	if (h.magic != BTF_MAGIC || h.hdr_len > bytes || h.type_off > bytes - h.hdr_len ||
	    h.type_len > bytes - h.hdr_len - h.type_off || h.str_off > bytes - h.hdr_len ||
	    h.str_len > bytes - h.hdr_len - h.str_off)
		return NULL;
	const uint8_t *types = btf + h.hdr_len + h.type_off, *end = types + h.type_len;
	const char *strings = (const char *)btf + h.hdr_len + h.str_off;
	for (uint32_t id = 1; (size_t)(end - types) >= sizeof(struct btf_type); id++) {
		struct btf_type t;
		memcpy(&t, types, sizeof(t));
		uint32_t n = BTF_INFO_VLEN(t.info);
		size_t extra = 0;
		switch (BTF_INFO_KIND(t.info)) {
		case BTF_KIND_INT:
			extra = 4;
			break;
		case BTF_KIND_ARRAY:
			extra = sizeof(struct btf_array);
			break;
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			extra = n * sizeof(struct btf_member);
			break;
		case BTF_KIND_ENUM:
			extra = n * sizeof(struct btf_enum);
			break;
		case BTF_KIND_FUNC_PROTO:
			extra = n * sizeof(struct btf_param);
			break;
		case BTF_KIND_VAR:
			extra = sizeof(struct btf_var);
			break;
		case BTF_KIND_DATASEC:
			extra = n * sizeof(struct btf_var_secinfo);
			break;
		case BTF_KIND_DECL_TAG:
			extra = sizeof(struct btf_decl_tag);
			break;
		case BTF_KIND_ENUM64:
			extra = n * sizeof(struct btf_enum64);
			break;
		default:
			break;
		}
		if (id == type_id) {
			if (BTF_INFO_KIND(t.info) != BTF_KIND_FUNC || t.name_off >= h.str_len)
				return NULL;
			return xstrndup(strings + t.name_off, strnlen(strings + t.name_off, h.str_len - t.name_off));
		}
		if ((size_t)(end - types) - sizeof(t) < extra)
			return NULL;
		types += sizeof(t) + extra;
	}
	return NULL;
}

uint8_t *bpf_load_btf(uint32_t id, uint32_t *ret_bytes)
{
	_cleanup_close_ int fd = id ? bpf_open_id(BPF_BTF_GET_FD_BY_ID, id) : -1;
	struct bpf_btf_info info = {};
	if (fd < 0 || !bpf_object_info(fd, &info, sizeof(info)) || !info.btf_size || info.btf_size > BTF_LIMIT)
		return NULL;
	uint32_t bytes = info.btf_size;
	uint8_t *data = xmalloc(bytes);
	info = (struct bpf_btf_info){.btf = (uintptr_t)data, .btf_size = bytes};
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
	if (name && *name)
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
	_cleanup_free_ uint8_t *btf = has_functions ? bpf_load_btf(info.btf_id, &btf_bytes) : NULL;
	_cleanup_strbuf_ struct strbuf name = {};
	for (uint32_t i = 0; i < n; i++) {
		_cleanup_free_ char *function = NULL;
		if (btf) {
			struct bpf_func_info f;
			memcpy(&f, functions + (size_t)i * info.func_info_rec_size, sizeof(f));
			function = btf_function_name(btf, btf_bytes, f.type_id);
		}
		/* Without BTF the functions of a program cannot be told apart by name. */
		program_name(&name, tags + (size_t)i * TAG_BYTES, function ? function : n == 1 ? info.name : "F");
		if (addrs[i])
			put_ksymbol(o, addrs[i], lens[i], strbuf_str(&name), tail);
	}
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
