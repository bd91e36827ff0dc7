#include "probe/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* ---- targets ---- */

struct strobe_error *probe_target_program(const char *path, const char *symfs, struct probe_target *ret)
{
	char *full = realpath(path, NULL);
	*ret = (struct probe_target){ .kind = PROBE_PROGRAM, .name = full };
	if (!full)
		return error_errno(errno, "cannot find the program '%s'", path);
	_cleanup_free_ char *below = symfs ? xasprintf("%s%s", symfs, full) : NULL;
	struct strobe_error *err = object_open(below ? below : full, &ret->object);
	if (!err)
		err = probe_functions_of_file(ret->object, full, symfs, &ret->functions);
	if (err)
		probe_target_close(ret);
	return err;
}

struct strobe_error *probe_target_kernel(const struct sys *sys, const char *module, struct probe_target *ret)
{
	*ret = (struct probe_target){ .kind = PROBE_KERNEL, .name = xstrdup(module ? module : "") };
	struct strobe_error *err = probe_functions_of_kernel(sys, module, &ret->functions);
	if (err)
		probe_target_close(ret);
	return err;
}

void probe_target_close(struct probe_target *t)
{
	probe_functions_deinit(&t->functions);
	object_close(t->object);
	free((char *)t->name);
	*t = (struct probe_target){};
}

static const char *shown_name(const struct probe_target *t)
{
	return *t->name ? t->name : "the kernel";
}

/* ---- places ---- */

static const char *nearest_function(const struct probe_functions *f, const char *name)
{
	const char **names = xcalloc(f->list.len + 1, sizeof(*names));
	size_t n = 0;
	for (size_t i = 0; i < f->list.len; i++)
		if (f->list.data[i].is_code)
			names[n++] = f->list.data[i].name;
	const char *nearest = text_nearest(name, names, n);
	free(names);
	return nearest;
}

static struct strobe_error *not_found(const struct probe_target *t, const char *name, bool has_data)
{
	const char *nearest = nearest_function(&t->functions, name);
	if (has_data)
		return error_create(ERROR_USAGE, "'%s' of %s is data: a probe is at code", name, shown_name(t));
	if (nearest && !strpbrk(name, "*?["))
		return error_create(ERROR_NOT_FOUND, "no function '%s' in %s; did you mean '%s'?", name, shown_name(t), nearest);
	return error_create(ERROR_NOT_FOUND, "no function '%s' in %s; -F lists those there are", name, shown_name(t));
}

/* The function that is at or before the address; NULL: none. */
static const struct probe_function *function_before(const struct probe_functions *f, uint64_t address)
{
	size_t n = vec_search(&f->list, function, function->address <= address);
	if (!n)
		return NULL;
	/* the first name of that address */
	while (n > 1 && f->list.data[n - 2].address == f->list.data[n - 1].address)
		n--;
	return &f->list.data[n - 1];
}

static struct strobe_error *find_address(const struct probe_target *t, uint64_t address, probe_places *ret)
{
	uint64_t offset;
	const struct probe_function *f = function_before(&t->functions, address);
	bool is_code = f && f->is_code && (!f->bytes || address - f->address < f->bytes);
	if (t->object && !object_offset_of_vaddr(t->object, address, &offset))
		return error_create(ERROR_USAGE, "the address %#" PRIx64 " is outside of %s", address, t->name);
	if (!t->object && !is_code)
		return error_create(ERROR_USAGE, "the address %#" PRIx64 " is not in a function of %s", address, shown_name(t));
	struct probe_place place = { .address = address };
	vec_push(ret, place);
	return NULL;
}

static struct strobe_error *find_functions(const struct probe_target *t, const struct probe_point *p, probe_places *ret)
{
	bool has_data = false, is_glob = strpbrk(p->function, "*?[");
	for (size_t i = 0; i < t->functions.list.len; i++) {
		const struct probe_function *f = &t->functions.list.data[i];
		if (!probe_name_matches(p->function, f->name))
			continue;
		has_data |= !f->is_code;
		bool is_again = ret->len && vec_last(ret).function && vec_last(ret).function->address == f->address;
		if (!f->is_code || is_again)
			continue;
		if (f->bytes && p->offset >= f->bytes && !is_glob)
			return error_create(ERROR_USAGE, "'%s' of %s has %" PRIu64 " bytes: +%" PRIu64 " is after its end", f->name,
					    shown_name(t), f->bytes, p->offset);
		struct probe_place place = { f, f->address + p->offset, p->offset };
		vec_push(ret, place);
	}
	return ret->len ? NULL : not_found(t, p->function, has_data);
}

struct strobe_error *probe_places_find(const struct probe_target *t, const struct probe_definition *d, probe_places *ret)
{
	const struct probe_point *p = &d->point;
	if (p->marker)
		return error_create(ERROR_UNSUPPORTED, "probes at markers (%%%s) are not supported yet", p->marker);
	if (p->has_line || p->pattern || p->file)
		return error_create(ERROR_UNSUPPORTED, "probes at source lines are not supported yet: give a function and an offset");
	for (size_t i = 0; i < d->arguments.len; i++)
		if (probe_argument_is_variable(&d->arguments.data[i]))
			return error_create(ERROR_UNSUPPORTED,
					    "variables ('%s') are not supported yet: give a register (%%di) or an argument by its "
					    "number ($arg1)",
					    d->arguments.data[i].value);
	return p->is_address ? find_address(t, p->offset, ret) : find_functions(t, p, ret);
}

static struct strobe_error *add_program_place(const struct probe_target *t, const struct probe_place *p, struct strbuf *ret)
{
	uint64_t offset;
	if (!object_offset_of_vaddr(t->object, p->address, &offset))
		return error_create(ERROR_USAGE, "'%s' lies outside of the file %s", p->function ? p->function->name : "the address",
				    t->name);
	if (strpbrk(t->name, " \t\n"))
		return error_create(ERROR_UNSUPPORTED, "the kernel takes no path with blanks: link '%s' to another name", t->name);
	strbuf_addf(ret, "%s:%#" PRIx64, t->name, offset);
	return NULL;
}

/* An address counts from _text, so that it is the same after a restart; a return is of a function by name. */
static void add_kernel_place(const struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
			     struct strbuf *ret)
{
	if (*t->name && p->function)
		strbuf_addf(ret, "%s:%s+%" PRIu64, t->name, p->function->name, p->offset);
	else if (d->point.is_return && p->function)
		strbuf_addf(ret, "%s+%" PRIu64, p->function->name, p->offset);
	else if (t->functions.text && p->address >= t->functions.text)
		strbuf_addf(ret, "_text+%" PRIu64, p->address - t->functions.text);
	else
		strbuf_addf(ret, "%#" PRIx64, p->address);
}

struct strobe_error *probe_place_line(const struct probe_target *t, const struct probe_definition *d, const struct probe_place *p,
				      const char *group, const char *event, struct strbuf *ret)
{
	strbuf_addf(ret, "%c:%s/%s ", d->point.is_return ? 'r' : 'p', group, event);
	if (t->kind == PROBE_KERNEL)
		add_kernel_place(t, d, p, ret);
	else
		TRY(add_program_place(t, p, ret));
	for (size_t i = 0; i < d->arguments.len; i++) {
		strbuf_addch(ret, ' ');
		probe_argument_text(&d->arguments.data[i], ret);
	}
	return NULL;
}

/* ---- the way back ---- */

static bool address_of(const struct probe_target *t, const struct probe_installed *event, uint64_t *ret)
{
	if (t->kind == PROBE_PROGRAM)
		return object_vaddr_of_offset(t->object, event->offset, ret);
	*ret = event->offset;
	if (!*event->symbol)
		return true;
	for (size_t i = 0; i < t->functions.list.len; i++)
		if (!strcmp(t->functions.list.data[i].name, event->symbol)) {
			*ret += t->functions.list.data[i].address;
			return true;
		}
	return false;
}

bool probe_place_of_installed(const struct probe_target *t, const struct probe_installed *event, struct probe_place *ret)
{
	*ret = (struct probe_place){};
	if (!address_of(t, event, &ret->address))
		return false;
	ret->function = function_before(&t->functions, ret->address);
	if (ret->function)
		ret->offset = ret->address - ret->function->address;
	return ret->function;
}

void probe_place_text(const struct probe_place *p, bool is_return, struct strbuf *ret)
{
	if (p->function)
		strbuf_addstr(ret, p->function->name);
	else
		strbuf_addf(ret, "%#" PRIx64, p->address);
	if (p->function && p->offset)
		strbuf_addf(ret, "+%" PRIu64, p->offset);
	if (is_return)
		strbuf_addstr(ret, "%return");
}
