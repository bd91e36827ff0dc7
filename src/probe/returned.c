/* What a function returns, and what sources of variables have in common. */
#include "probe/variables_priv.h"

struct fetch_machine probe_fetch_machine(const struct probe_variables *v)
{
	return (struct fetch_machine){ .arch = v->arch, .pointer_bytes = v->arch ? v->arch->pointer_bytes : 8,
				       .kernel_is_64bit = sizeof(void *) == 8 };
}

const char *probe_argument_name(const struct fetch_path *path, const struct probe_argument *a, struct arena *arena)
{
	if (a->name)
		return a->name;
	return path->steps.len || !a->type ? path->last_name : arena_printf(arena, "%s_%s", path->last_name, a->type);
}

/* In the register that the machine returns values in, where the type fits into it. */
struct strobe_error *probe_fetch_returned(const struct probe_variables *v, const char *function, const struct type *type,
					  const struct fetch_path *path, const struct probe_argument *a, struct arena *arena,
					  probe_fetches *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	const struct type *value_type = type_strip(type);
	if (!type)
		return error_create(ERROR_USAGE, "%s returns nothing", function);
	if (value_type && value_type->kind == TYPE_FLOAT)
		return error_create(ERROR_UNSUPPORTED, "%s returns a floating point number, in a register which the kernel does not give",
				    function);
	struct location_piece p = { .at = { .kind = LOCATION_IN_REGISTER, .reg = FETCH_RETVAL } };
	struct locations at = { &p, 1 };
	struct fetch_value value = { "$retval", type, &at };
	struct fetch_machine machine = probe_fetch_machine(v);
	TRY(fetch_text(path, &value, &machine, a->type, a->in_user_memory, &text));
	const char *name = path->steps.len ? probe_argument_name(path, a, arena) : a->name;
	vec_push(ret, ((struct probe_fetch){ name, arena_strdup(arena, strbuf_str(&text)) }));
	return NULL;
}
