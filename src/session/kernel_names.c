#include "session/kernel_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct strobe_error *kernel_names_find(const struct sys *sys, const char *kallsyms, const char *const *names, size_t names_nr,
				       struct kernel_names *ret)
{
	*ret = (struct kernel_names){ .names = names, .names_nr = names_nr };
	kernel_modules_load(sys, &ret->modules);
	TRY(kallsyms_read(kallsyms, &ret->text));
	bool shown = kallsyms_find_names(strbuf_str(&ret->text), ret->text.len, names, names_nr, &ret->places);
	return shown ? NULL : kallsyms_hidden_error(kallsyms);
}

static void put_place(struct out *out, const struct kallsyms_place *p, const struct kernel_modules *modules)
{
	_cleanup_free_ char *file = p->module_bytes > 2 ? kernel_modules_path(modules, p->module + 1, p->module_bytes - 2) : NULL;
	out_str(out, ": ");
	out_text(out, file ? p->module : "[kernel]", file ? p->module_bytes : strlen("[kernel]"));
	out_ch(out, ' ');
	out_text_str(out, file ? file : "[kernel.kallsyms]");
	out_f(out, " 0x%" PRIx64 "-0x%" PRIx64 " (0x%" PRIx64 "-0x%" PRIx64 ")\n", p->start, p->end, p->start, p->end);
}

void kernel_names_text(const struct kernel_names *n, bool all, struct out *out)
{
	size_t at = 0;
	for (size_t i = 0; i < n->names_nr; i++) {
		size_t first = at;
		for (; at < n->places.len && n->places.data[at].name_index == i; at++) {
			if (at > first && !all)
				continue;
			out_text_str(out, n->names[i]);
			put_place(out, &n->places.data[at], &n->modules);
		}
		if (at == first) {
			out_text_str(out, n->names[i]);
			out_str(out, ": not found\n");
		}
	}
}

static void set_hex(struct table *t, size_t column, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	table_set_text(t, column, text);
}

void kernel_names_table(const struct kernel_names *n, struct table *t)
{
	static const char *const keys[] = { "symbol", "type", "module", "start", "end" };
	table_init(t, "strobe-kallsyms", 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		table_column(t, (struct table_column){ .key = keys[i], .type = TABLE_TEXT, .is_optional = i == 2 });
	for (size_t i = 0; i < n->places.len; i++) {
		const struct kallsyms_place *p = &n->places.data[i];
		_cleanup_free_ char *module = p->module_bytes ? xasprintf("%.*s", (int)p->module_bytes, p->module) : NULL;
		table_row(t);
		table_set_text(t, 0, n->names[p->name_index]);
		table_set_text(t, 1, (const char[]){ p->type, '\0' });
		if (module)
			table_set_text(t, 2, module);
		set_hex(t, 3, p->start);
		set_hex(t, 4, p->end);
	}
}

void kernel_names_deinit(struct kernel_names *n)
{
	vec_deinit(&n->places);
	strbuf_deinit(&n->text);
	kernel_modules_deinit(&n->modules);
}
