#include "ptrace/call_filter.h"

#include <linux/seccomp.h>
#include <stddef.h>

static void add(struct call_filter *f, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
	vec_push(&f->code, ((struct sock_filter){ .code = code, .k = k, .jt = if_true, .jf = if_false }));
}

/* Numbers from first to last stop; lower ones pass, since they are in no earlier range; the next range follows for the others. */
static void add_range(struct call_filter *f, uint32_t first, uint32_t last)
{
	add(f, BPF_JMP | BPF_JGT | BPF_K, last, 3, 0);
	add(f, BPF_JMP | BPF_JGE | BPF_K, first, 0, 1);
	add(f, BPF_RET | BPF_K, SECCOMP_RET_TRACE, 0, 0);
	add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static void add_ranges(struct call_filter *f, const struct syscall_set *chosen)
{
	for (uint32_t first = 0; first < SYSCALL_NUMBERS; first++) {
		uint32_t last = first;
		if (!syscall_set_has(chosen, first))
			continue;
		while (syscall_set_has(chosen, last + 1))
			last++;
		add_range(f, first, last);
		first = last;
	}
	add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* The calls of an architecture: skipped, by a jump that is wide enough, by those of another one. */
static void add_calls(struct call_filter *f, const struct arch *arch, const struct syscall_set *chosen)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	add(f, BPF_JMP | BPF_JEQ | BPF_K, arch_audit_number(arch), 1, 0);
	size_t skip = f->code.len;
	add(f, BPF_JMP | BPF_JA, 0, 0, 0);
	add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	add_ranges(f, chosen);
	f->code.data[skip].k = (uint32_t)(f->code.len - skip - 1);
}

bool call_filter_make(struct call_filter *f, const struct arch *native, const struct syscall_set *chosen, const struct arch *compat,
		      const struct syscall_set *compat_chosen)
{
	add_calls(f, native, chosen);
	if (compat)
		add_calls(f, compat, compat_chosen);
	add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	return f->code.len <= BPF_MAXINSNS;
}

void call_filter_deinit(struct call_filter *f)
{
	vec_deinit(&f->code);
}
