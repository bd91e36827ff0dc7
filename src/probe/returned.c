/* Return values of functions, and functions shared by the sources of variables. */
#include <ctype.h>

#include "probe/variables_priv.h"
#include "values/call_convention.h"

struct fetch_machine probe_fetch_machine(const struct probe_variables *v)
{
	return (struct fetch_machine){ .arch = v->arch, .pointer_bytes = v->arch ? v->arch->pointer_bytes : 8,
				       .reads_8_bytes = sizeof(void *) == 8 && !v->is_inline };
}

/* The part of a type that may be in a name: "s32" of "s32[4]", "b3" of "b3@1/32". */
static int name_bytes(const char *type)
{
	size_t n = 0;
	while (isalnum((unsigned char)type[n]) || type[n] == '_')
		n++;
	return (int)n;
}

const char *probe_argument_name(const struct fetch_path *path, const struct probe_argument *a, struct arena *arena)
{
	if (a->name)
		return a->name;
	if (path->steps.len || !a->type)
		return path->last_name;
	return arena_printf(arena, "%s_%.*s", path->last_name, name_bytes(a->type), a->type);
}

struct strobe_error *probe_fetch_returned(const struct probe_variables *v, const char *function, const struct type *type,
					  const struct fetch_path *path, const struct probe_argument *a, struct arena *arena,
					  probe_fetches *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	if (!type)
		return error_create(ERROR_USAGE, "%s returns nothing", function);
	struct location_piece p = { .at = call_convention_returned(v->arch, type, FETCH_RETVAL) };
	if (!p.at.kind)
		return error_create(ERROR_UNSUPPORTED, "what %s returns is not in a register which the kernel gives: it is, or has, "
				    "a floating point number, or it is a struct that is returned in memory", function);
	struct locations at = { &p, 1 };
	struct fetch_value value = { "$retval", type, &at };
	struct fetch_machine machine = probe_fetch_machine(v);
	TRY(fetch_text(path, &value, &machine, a->type, a->in_user_memory, &text));
	const char *name = path->steps.len ? probe_argument_name(path, a, arena) : a->name;
	vec_push(ret, ((struct probe_fetch){ name, arena_strdup(arena, strbuf_str(&text)) }));
	return NULL;
}
