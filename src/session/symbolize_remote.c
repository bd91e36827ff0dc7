/*
 * Names from the server of a profile: programs with gperftools, and compatible ones, accept posted addresses ("0x1f+0x2e").
 * Source: gperftools, docs/pprof_remote_servers.html.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/u64map.h"
#include "exchange/symbol_answers.h"
#include "profile/expand.h"
#include "session/symbolize.h"

struct answers {
	enum resolve_names form;
	struct strtab names;
	struct u64map of; /* by address: the name's id in names */
};

static bool is_unnamed_frame(const struct profile_frame *f)
{
	return f->mapping != PROFILE_NONE && f->function == PROFILE_NONE && f->addr;
}

/* "0x1f+0x2e": each once. */
static void list_addresses(const struct profile *p, struct strbuf *ret)
{
	struct u64map known = {};
	for (size_t i = 0; i < p->frames.len; i++) {
		bool is_new = false;
		if (is_unnamed_frame(&p->frames.data[i]))
			u64map_put(&known, p->frames.data[i].addr, &is_new);
		if (is_new)
			strbuf_addf(ret, "%s%#" PRIx64, ret->len ? "+" : "", p->frames.data[i].addr);
	}
	u64map_deinit(&known);
}

static void take_answer(void *ctx, uint64_t address, const char *name, size_t bytes)
{
	struct answers *a = ctx;
	*u64map_put(&a->of, address, NULL) = strtab_add_n(&a->names, name, bytes);
}

static unsigned expand(void *ctx, struct profile *dst, const struct profile_frame *old, const struct profile_frame *moved,
		       frame_id ret[PROFILE_EXPAND_MAX])
{
	const struct answers *a = ctx;
	const uint64_t *name = is_unnamed_frame(old) ? u64map_get(&a->of, old->addr) : NULL;
	if (!name)
		return 0;
	struct profile_frame f = *moved;
	const char *said = strtab_get(&a->names, (str_id)*name);
	struct profile_function fn = {
		.mapping = f.mapping,
		.name = symbolize_readable(dst, said, a->form),
		.system_name = strtab_add(&dst->strings, said),
	};
	f.function = profile_function(dst, &fn);
	ret[0] = profile_frame(dst, &f);
	return 1;
}

struct strobe_error *symbolize_remote(const struct symbolize *s, const struct profile_fetch *server,
				      struct profile **p)
{
	_cleanup_strbuf_ struct strbuf addresses = {};
	struct net_body body;
	struct answers a = { .form = s->names };
	if (s->is_off || s->where == SYMBOLIZE_LOCAL)
		return NULL;
	list_addresses(*p, &addresses);
	if (!addresses.len)
		return NULL;
	struct strobe_error *err = profile_fetch_names(server, strbuf_str(&addresses), &body);
	if (err && s->where == SYMBOLIZE_REMOTE)
		return err;
	if (err) { /* optional: most servers do not offer names */
		error_destroy(err);
		return NULL;
	}
	strtab_init(&a.names);
	symbol_answers_each((const char *)body.data, body.bytes, take_answer, &a);
	struct profile *named = profile_expand(*p, expand, &a);
	profile_destroy(*p);
	*p = named;
	free(body.data);
	u64map_deinit(&a.of);
	strtab_deinit(&a.names);
	return NULL;
}
