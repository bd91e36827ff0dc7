#include "decode/syscall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/syscalls.h"
#include "base/mem.h"
#include "base/text.h"
#include "decode/syscall/types.h"

struct syscall_table {
	const struct arch *arch;
	size_t nr;
	struct syscall_desc *descs; /* by number */
	const struct syscall_desc **all;
	const struct syscall_desc *by_number[SYSCALL_NUMBERS];
};

static enum syscall_fds fds_of(const char *name)
{
	static const struct {
		const char *name;
		enum syscall_fds fds;
	} calls[] = {
		{ "open", SYSCALL_FDS_OPENED }, { "openat", SYSCALL_FDS_OPENED_AT }, { "openat2", SYSCALL_FDS_OPENED_AT },
		{ "dup", SYSCALL_FDS_COPIED }, { "dup2", SYSCALL_FDS_COPIED }, { "dup3", SYSCALL_FDS_COPIED },
		{ "fcntl", SYSCALL_FDS_COPIED }, { "fcntl64", SYSCALL_FDS_COPIED },
		{ "pipe", SYSCALL_FDS_PIPE }, { "pipe2", SYSCALL_FDS_PIPE }, { "socketpair", SYSCALL_FDS_PAIR },
		{ "chdir", SYSCALL_FDS_MOVED }, { "fchdir", SYSCALL_FDS_MOVED_TO },
		{ "close", SYSCALL_FDS_CLOSED }, { "close_range", SYSCALL_FDS_CLOSED_ALL },
	};
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (text_equal(calls[i].name, name))
			return calls[i].fds;
	return SYSCALL_FDS_KEPT;
}

static void describe(struct syscall_desc *d, const struct arch *a, const struct arch_syscall *s, const struct call *c)
{
	*d = (struct syscall_desc){
		.number = s->number,
		.name = s->name,
		.entry = s->entry ? s->entry : s->name,
		.arch = a,
		.nargs = SYSCALL_ARGS,
	};
	if (c) {
		d->described = true;
		d->ret = c->ret;
		d->classes = c->classes;
		d->nargs = c->nargs;
		d->args = c->args;
	}
	d->fds = (uint8_t)fds_of(d->name);
	d->shown_zeros = shown_zeros_of(d);
	d->fd_args = fd_args_of(d);
	plan_make(d);
}

struct syscall_table *syscall_table_create(const struct arch *a)
{
	size_t nr;
	struct call_names names;
	const struct arch_syscall *numbers = arch_syscalls(a, &nr);
	if (!nr)
		return NULL;
	struct syscall_table *t = xcalloc(1, sizeof(*t));
	t->arch = a;
	t->nr = nr;
	t->descs = xcalloc(nr, sizeof(*t->descs));
	t->all = xcalloc(nr, sizeof(*t->all));
	call_names_init(&names, a);
	for (size_t i = 0; i < nr; i++) {
		describe(&t->descs[i], a, &numbers[i], call_find(&names, numbers[i].name));
		t->all[i] = &t->descs[i];
		if (numbers[i].number < SYSCALL_NUMBERS)
			t->by_number[numbers[i].number] = &t->descs[i];
	}
	call_names_deinit(&names);
	return t;
}

void syscall_table_destroy(struct syscall_table *t)
{
	if (!t)
		return;
	free(t->descs);
	free(t->all);
	free(t);
}

const struct syscall_desc *syscall_table_get(const struct syscall_table *t, uint64_t number)
{
	return number < SYSCALL_NUMBERS ? t->by_number[number] : NULL;
}

const struct syscall_desc *syscall_table_find(const struct syscall_table *t, const char *name)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->descs[i].name, name))
			return &t->descs[i];
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->descs[i].entry, name))
			return &t->descs[i];
	return NULL;
}

const struct arch *syscall_table_arch(const struct syscall_table *t, bool compat)
{
	return compat && t->arch->compat ? t->arch->compat : t->arch;
}

size_t syscall_table_all(const struct syscall_table *t, const struct syscall_desc *const **ret)
{
	*ret = t->all;
	return t->nr;
}

const char *syscall_arg_name(const struct syscall_desc *d, unsigned i)
{
	static const char *const numbered[SYSCALL_ARGS] = { "arg1", "arg2", "arg3", "arg4", "arg5", "arg6" };
	if (i >= d->nargs)
		return NULL;
	return d->described ? d->args[i].name : numbered[i];
}

struct syscall_desc syscall_desc_unknown(const struct arch *a, uint64_t number, char (*name)[24])
{
	snprintf(*name, sizeof(*name), "syscall_0x%llx", (unsigned long long)(uint32_t)number);
	return (struct syscall_desc){
		.number = (uint16_t)(number < UINT16_MAX ? number : UINT16_MAX),
		.nargs = SYSCALL_ARGS,
		.name = *name,
		.entry = *name,
		.arch = a,
	};
}
