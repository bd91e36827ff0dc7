#include "tracing/call_choice.h"

#include "arch/syscalls.h"
#include "base/strbuf.h"

struct strobe_error *call_choice_make(struct call_choice *c, const struct arch *arch, const char *words)
{
	*c = (struct call_choice){ .all = !words };
	c->native = arch ? syscall_table_create(arch) : NULL;
	c->compat = arch && arch->compat ? syscall_table_create(arch->compat) : NULL;
	if (!c->native || !words)
		return NULL;
	TRY(syscall_select(c->native, words, &c->chosen));
	return c->compat ? syscall_select(c->compat, words, &c->compat_chosen) : NULL;
}

void call_choice_deinit(struct call_choice *c)
{
	syscall_table_destroy(c->native);
	syscall_table_destroy(c->compat);
	*c = (struct call_choice){};
}

struct call_pairs_setup call_choice_pairs(const struct call_choice *c, struct trace_lines *lines)
{
	return (struct call_pairs_setup){
		.lines = lines,
		.calls = c->native,
		.compat_calls = c->compat,
		.chosen = c->all ? NULL : &c->chosen,
		.compat_chosen = c->all ? NULL : &c->compat_chosen,
	};
}

char *call_choice_filter(const struct syscall_set *calls)
{
	struct strbuf text = {};
	for (unsigned i = 0; i < SYSCALL_NUMBERS; i++) {
		unsigned last = i;
		if (!syscall_set_has(calls, i))
			continue;
		while (syscall_set_has(calls, last + 1))
			last++;
		strbuf_addf(&text, "%s", text.len ? " || " : "");
		if (last > i)
			strbuf_addf(&text, "(id >= %u && id <= %u)", i, last);
		else
			strbuf_addf(&text, "id == %u", i);
		i = last;
	}
	if (!text.len)
		strbuf_addf(&text, "id == %u", SYSCALL_NUMBERS); /* none */
	return strbuf_take(&text);
}

uint64_t call_choice_registers(void)
{
	const struct arch *a = arch_native();
	size_t calls;
	if (!a || !a->compat || !arch_syscalls(a->compat, &calls))
		return 0;
	return a->task_regs & -a->task_regs;
}
