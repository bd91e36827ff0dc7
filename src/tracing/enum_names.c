#include "tracing/enum_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vector.h"
#include "tracing/kernel_btf.h"

struct known_enum {
	char *type; /* as the field has it */
	const struct btf_type *btf; /* NULL: not available */
};

struct enum_names {
	const struct sys *sys;
	bool is_open;
	struct kernel_btf kernel;
	VEC(struct known_enum) all;
};

struct enum_names *enum_names_create(const struct sys *sys)
{
	struct enum_names *e = xcalloc(1, sizeof(*e));
	e->sys = sys;
	return e;
}

void enum_names_destroy(struct enum_names *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->all.len; i++)
		free(e->all.data[i].type);
	vec_deinit(&e->all);
	if (e->is_open)
		kernel_btf_close(&e->kernel);
	free(e);
}

static const struct btf_type *look_up(struct enum_names *e, const char *name)
{
	/* Tried once, for the first type. */
	if (!e->is_open && !e->all.len) {
		_cleanup_error_ struct strobe_error *err = kernel_btf_open(e->sys, &e->kernel);
		e->is_open = !err;
		if (err)
			log_info("enumerators of tracepoints are shown as numbers: %s", err->message);
	}
	return e->is_open ? btf_enum(&e->kernel.btf, name) : NULL;
}

const char *enum_name(struct enum_names *e, const struct tracepoint_field *f, uint64_t value)
{
	static const char prefix[] = "enum ";
	if (!text_has_prefix(f->type, prefix))
		return NULL;
	const struct known_enum *k = NULL;
	for (size_t i = 0; !k && i < e->all.len; i++)
		if (!strcmp(e->all.data[i].type, f->type))
			k = &e->all.data[i];
	if (!k) {
		const struct btf_type *t = look_up(e, f->type + sizeof(prefix) - 1);
		vec_push(&e->all, ((struct known_enum){ .type = xstrdup(f->type), .btf = t }));
		k = &vec_last(&e->all);
	}
	return k->btf ? btf_enumerator(&e->kernel.btf, k->btf, (int32_t)value) : NULL;
}
