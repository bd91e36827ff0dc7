/*
 * What a traced program put into its memory: the input is an architecture, a style, a number, six arguments, a result, and a
 * blob of pieces. Number 65535 prints the blob as each call of the architecture would have it.
 */
#include <string.h>

#include "decode/syscall.h"

struct head {
	uint8_t arch, style;
	uint16_t number;
	uint32_t unused;
	uint64_t arg[SYSCALL_ARGS];
	int64_t ret;
};

/* Descriptors are sockets of netlink by their number. */
static int fd_netlink(void *ctx, uint32_t pid, int fd)
{
	return fd % 20;
}

static void print(const struct syscall_event *ev, uint8_t style)
{
	struct syscall_style s = {
		.layout = style & 1 ? SYSCALL_STRACE : SYSCALL_NAMED,
		.raw = style & 2,
		.whole = style & 4,
		.show_zeros = style & 8,
		.str_limit = style & 16 ? 4096 : 0,
		.fd_netlink = fd_netlink,
	};
	struct out out;
	struct json json;
	out_init_mem(&out);
	json_init(&json, &out, false);
	json_object(&json);
	json_key(&json, "args");
	syscall_json_args(&json, &s, ev);
	syscall_json_result(&json, &s, ev);
	json_end(&json);
	syscall_print_args(&out, &s, ev);
	syscall_print_result(&out, &s, ev);
	error_destroy(out_close(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct arch *const arches[] = { &arch_x86_64, &arch_i386, &arch_aarch64 };
	struct head head;
	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	struct syscall_event ev = { .ret = head.ret, .has_ret = !(head.style & 32) };
	memcpy(ev.arg, head.arg, sizeof(ev.arg));
	syscall_payload_add(&ev.payload, data + sizeof(head), size - sizeof(head));

	struct syscall_table *table = syscall_table_create(arches[head.arch % 3]);
	const struct syscall_desc *const *all;
	size_t nr = syscall_table_all(table, &all);
	for (size_t i = 0; i < nr; i++)
		if (head.number == UINT16_MAX || all[i]->number == head.number) {
			ev.desc = all[i];
			print(&ev, head.style);
		}
	syscall_table_destroy(table);
	return 0;
}
