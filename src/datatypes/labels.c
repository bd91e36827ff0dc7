#include "datatypes/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "datatypes/member.h"

#define CACHE_LINE 64 /* bytes; perf counts lines from the start of the type, too */

enum { TYPE, PLACE, LINE, LABELS };
static const char *const names[LABELS] = { "type", "typeoff", "typecln" };

struct texts {
	str_id text[LABELS];
};

struct labeller {
	struct datatypes *types;
	struct profile *p;
	struct dso *(*dso_of)(void *ctx, mapping_id m);
	void *ctx;
	uint32_t columns[LABELS], data; /* data: label column of data addresses, or PROFILE_NONE */
	struct u64map known;            /* frame, data frame → index in texts + 1 */
	VEC(struct texts) texts;
};

void datatype_columns(struct profile *p)
{
	for (unsigned i = 0; i < LABELS; i++)
		profile_column(p, names[i], COLUMN_STRING);
}

static str_id keep(struct profile *p, const struct strbuf *text)
{
	return strtab_add(&p->strings, strbuf_str(text));
}

static struct texts describe(struct profile *p, const struct datatype *t)
{
	struct texts ret = {};
	_cleanup_strbuf_ struct strbuf name = {}, text = {};
	if (!type_text(t->type, &name))
		return ret;
	member_text(t->type, t->offset, &text);
	ret.text[TYPE] = keep(p, &name);
	ret.text[PLACE] = keep(p, &text);
	strbuf_reset(&text);
	strbuf_addf(&text, "%s: cache-line %" PRIu64, strbuf_str(&name), t->offset / CACHE_LINE);
	ret.text[LINE] = keep(p, &text);
	return ret;
}

/* What has no type. perf gives it a cache line. */
static struct texts describe_as(struct profile *p, const char *what)
{
	_cleanup_strbuf_ struct strbuf line = {};
	strbuf_addf(&line, "%s: cache-line 0", what);
	str_id name = strtab_add(&p->strings, what);
	return (struct texts){ { [TYPE] = name, [PLACE] = name, [LINE] = keep(p, &line) } };
}

/* data: the frame of the data address. */
static struct texts look_up(struct labeller *l, frame_id code, frame_id data)
{
	const struct profile *p = l->p;
	const struct profile_frame *f = &p->frames.data[code], *at = data < p->frames.len ? &p->frames.data[data] : NULL;
	struct dso *dso = f->mapping == PROFILE_NONE ? NULL : l->dso_of(l->ctx, f->mapping);
	struct data_address address = {};
	if (at && at->function != PROFILE_NONE) {
		const struct profile_function *variable = &p->functions.data[at->function];
		address = (struct data_address){ profile_str(p, variable->system_name), at->addr - variable->start };
	}
	struct datatype found;
	switch (dso ? datatypes_find(l->types, dso, f->addr, &address, &found) : DATATYPE_NO_INSN) {
	case DATATYPE_FOUND: return describe(l->p, &found);
	case DATATYPE_STACK: return describe_as(l->p, "(stack operation)");
	case DATATYPE_CANARY: return describe_as(l->p, "(stack canary)");
	default: return (struct texts){};
	}
}

static struct texts texts_of(struct labeller *l, frame_id code, frame_id data)
{
	bool is_new;
	uint64_t *index = u64map_put(&l->known, (uint64_t)code << 32 | data, &is_new);
	if (is_new) {
		*index = l->texts.len + 1;
		struct texts found = look_up(l, code, data);
		vec_push(&l->texts, found);
		return found;
	}
	return l->texts.data[*index - 1];
}

static void label_row(struct labeller *l, struct profile_row *row, uint64_t *values)
{
	struct profile *p = l->p;
	frame_id code = profile_self_frame(p, row->stack);
	if (code == PROFILE_NONE)
		return;
	memcpy(values, profile_label_values(p, row->labels), p->columns.len * sizeof(*values));
	struct texts texts = texts_of(l, code, l->data == PROFILE_NONE ? PROFILE_NONE : (frame_id)values[l->data]);
	for (unsigned i = 0; i < LABELS; i++)
		values[l->columns[i]] = texts.text[i];
	row->labels = profile_labels(p, values);
}

void datatype_labels(struct datatypes *d, struct profile *p, struct dso *(*dso_of)(void *ctx, mapping_id m), void *ctx)
{
	struct labeller l = { .types = d, .p = p, .dso_of = dso_of, .ctx = ctx, .data = profile_find_column(p, "daddr") };
	datatype_columns(p);
	for (unsigned i = 0; i < LABELS; i++)
		l.columns[i] = profile_find_column(p, names[i]);
	uint64_t *values = xcalloc(p->columns.len + 1, sizeof(*values));
	for (size_t i = 0; i < p->rows.len; i++)
		label_row(&l, &p->rows.data[i], values);
	free(values);
	u64map_deinit(&l.known);
	vec_deinit(&l.texts);
}

void datatype_listing(struct datatypes *d, struct dso *dso, struct listing *l)
{
	for (size_t i = 0; i < l->insns.len; i++) {
		_cleanup_strbuf_ struct strbuf text = {};
		struct datatype found;
		struct listing_insn *insn = &l->insns.data[i];
		if (datatypes_find(d, dso, insn->addr, NULL, &found) == DATATYPE_FOUND && member_text(found.type, found.offset, &text))
			insn->data_type = arena_strdup(&l->arena, strbuf_str(&text));
	}
}
