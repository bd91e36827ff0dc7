#include "probe/forbidden.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "sys/tracefs.h"

#define BLACKLIST     "/sys/kernel/debug/kprobes/blacklist" /* "0xADDRESS-0xADDRESS\tNAME" */
#define SYMBOL_PREFIX "_kbl_addr_"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Splits the text into lines, and takes the word after the last tab of each. */
static void add_names(struct strbuf *text, probe_names *ret)
{
	char *rest = text->data;
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		char *tab = strrchr(line, '\t'), *name = tab ? tab + 1 : line;
		name[strcspn(name, " ")] = 0;
		if (*name)
			vec_push(ret, (const char *)name);
	}
}

static void add_symbols(const struct probe_functions *f, probe_names *ret)
{
	for (size_t i = 0; i < f->list.len; i++)
		if (text_has_prefix(f->list.data[i].name, SYMBOL_PREFIX))
			vec_push(ret, f->list.data[i].name + strlen(SYMBOL_PREFIX));
}

static void sort(probe_names *l)
{
	if (l->len)
		qsort(l->data, l->len, sizeof(*l->data), by_text);
}

void probe_forbidden_read(const struct sys *sys, const struct probe_functions *functions, struct probe_forbidden *ret)
{
	_cleanup_free_ char *tracefs = NULL;
	*ret = (struct probe_forbidden){};
	struct strobe_error *err = sys_tracefs(sys, &tracefs);
	_cleanup_free_ char *path = err ? NULL : xasprintf("%s/available_filter_functions", tracefs);
	err = err ? err : sys_read(sys, path, &ret->traceable_text, 0);
	error_destroy(err);
	err = sys_read(sys, BLACKLIST, &ret->blacklist_text, 0);
	bool is_mounted = !err;
	error_destroy(err);
	add_names(&ret->traceable_text, &ret->traceable);
	add_names(&ret->blacklist_text, &ret->blacklist);
	if (!is_mounted)
		add_symbols(functions, &ret->blacklist);
	sort(&ret->traceable);
	sort(&ret->blacklist);
}

void probe_forbidden_deinit(struct probe_forbidden *f)
{
	vec_deinit(&f->traceable);
	vec_deinit(&f->blacklist);
	strbuf_deinit(&f->traceable_text);
	strbuf_deinit(&f->blacklist_text);
}

static bool has(const probe_names *names, const char *name)
{
	return names->len && bsearch(&name, names->data, names->len, sizeof(*names->data), by_text);
}

bool probe_forbidden_has(const struct probe_forbidden *f, const char *name)
{
	return has(&f->blacklist, name) || (f->traceable.len && !has(&f->traceable, name));
}
