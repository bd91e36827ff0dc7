#include "record/btf.h"

#include <linux/btf.h>
#include <string.h>

/* How many bytes follow the head of a type. */
static size_t tail_bytes(const struct btf_type *t)
{
	uint32_t n = BTF_INFO_VLEN(t->info);
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case 19: /* BTF_KIND_ENUM64, Linux 6.0 */
		return n * 12;
	default:
		return 0;
	}
}

static struct strobe_error *damaged(void)
{
	return error_create(ERROR_FORMAT, "the BTF is damaged");
}

static void index_types(struct btf *b, size_t bytes)
{
	for (size_t at = 0; bytes - at >= sizeof(struct btf_type);) {
		const struct btf_type *t = (const void *)(b->types + at);
		size_t n = sizeof(*t) + tail_bytes(t);
		if (n > bytes - at)
			return;
		vec_push(&b->type_at, (uint32_t)at);
		at += n;
	}
}

static struct strobe_error *read_header(struct btf *b, const char *bytes, size_t all)
{
	const struct btf_header *h = (const void *)bytes;
	if (all < sizeof(*h) || h->magic != BTF_FILE_MAGIC || h->hdr_len < sizeof(*h) || h->hdr_len > all)
		return damaged();
	size_t rest = all - h->hdr_len;
	if (h->type_off > rest || h->type_len > rest - h->type_off || h->str_off > rest || h->str_len > rest - h->str_off ||
	    (h->hdr_len + h->type_off) % sizeof(uint32_t) || !h->str_len || bytes[h->hdr_len + h->str_off + h->str_len - 1])
		return damaged();
	b->types = (const uint8_t *)bytes + h->hdr_len + h->type_off;
	b->strings = bytes + h->hdr_len + h->str_off;
	b->strings_bytes = h->str_len;
	index_types(b, h->type_len);
	return NULL;
}

struct strobe_error *btf_borrow(const void *bytes, size_t n, struct btf *ret)
{
	*ret = (struct btf){};
	struct strobe_error *err = read_header(ret, bytes, n);
	if (err)
		btf_deinit(ret);
	return err;
}

struct strobe_error *btf_copy(const void *bytes, size_t n, struct btf *ret)
{
	struct strbuf copy = {};
	strbuf_add(&copy, bytes, n);
	struct strobe_error *err = btf_borrow(copy.data, copy.len, ret);
	if (err)
		strbuf_deinit(&copy);
	else
		ret->bytes = copy;
	return err;
}

void btf_deinit(struct btf *b)
{
	strbuf_deinit(&b->bytes);
	vec_deinit(&b->type_at);
	*b = (struct btf){};
}

/* "": none. */
static const char *string_at(const struct btf *b, uint32_t offset)
{
	return offset < b->strings_bytes ? b->strings + offset : "";
}

/* NULL for void, and if there is none. */
static const struct btf_type *type_by_id(const struct btf *b, uint32_t id)
{
	return id && id <= b->type_at.len ? (const void *)(b->types + b->type_at.data[id - 1]) : NULL;
}

const char *btf_function_name(const struct btf *b, uint32_t id)
{
	const struct btf_type *t = type_by_id(b, id);
	return t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC ? string_at(b, t->name_off) : "";
}

const struct btf_type *btf_enum(const struct btf *b, const char *name)
{
	for (uint32_t id = 1; id <= b->type_at.len; id++) {
		const struct btf_type *t = type_by_id(b, id);
		if (BTF_INFO_KIND(t->info) == BTF_KIND_ENUM && !strcmp(string_at(b, t->name_off), name))
			return t;
	}
	return NULL;
}

const char *btf_enumerator(const struct btf *b, const struct btf_type *enumeration, int32_t value)
{
	const struct btf_enum *e = (const void *)(enumeration + 1);
	for (uint32_t i = 0; i < BTF_INFO_VLEN(enumeration->info); i++)
		if (e[i].val == value)
			return string_at(b, e[i].name_off);
	return NULL;
}
