/* Arguments of bpf, io_uring, clone3 and ptrace: bytes by hand from the kernel's headers, and strace's text for them. */
#include "base/testing.h"
#include "decode/syscall.h"

struct bytes {
	uint8_t data[512];
	size_t len;
};

static void put(struct bytes *b, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		b->data[b->len++] = (uint8_t)(v >> 8 * i);
}

#define PUT(b, n, ...)                                                            \
	do {                                                                      \
		const uint64_t values[] = {__VA_ARGS__};                          \
		for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++)     \
			put(b, values[k], n);                                     \
	} while (0)

static int set_up(void **state)
{
	*state = syscall_table_create(&arch_x86_64);
	return !*state;
}

static int tear_down(void **state)
{
	syscall_table_destroy(*state);
	return 0;
}

/* Checks the text of the call with these pieces. */
static void says_blob(const struct syscall_table *t, const char *name, const uint64_t args[SYSCALL_ARGS], int64_t ret,
		      const uint8_t *blob, size_t bytes, const char *expected)
{
	struct syscall_style style = { .layout = SYSCALL_STRACE };
	struct syscall_event ev = { .desc = syscall_table_find(t, name), .ret = ret, .has_ret = true };
	struct out out;
	char text[1024];
	size_t n;
	assert_non_null(ev.desc);
	memcpy(ev.arg, args, sizeof(ev.arg));
	syscall_payload_add(&ev.payload, blob, bytes);
	out_init_mem(&out);
	syscall_print_args(&out, &style, &ev);
	const char *p = out_mem(&out, &n);
	assert_true(n < sizeof(text));
	memcpy(text, p, n);
	text[n] = '\0';
	assert_string_equal(text, expected);
	error_destroy(out_close(&out));
}

/* The call with these bytes after argument arg; part: SYSCALL_PART_WHOLE, or EXIT. */
static void says(const struct syscall_table *t, const char *name, const uint64_t args[SYSCALL_ARGS], int64_t ret, unsigned arg,
		 unsigned part, const struct bytes *b, const char *expected)
{
	static uint8_t blob[1024];
	struct syscall_piece head = { .arg = (uint8_t)arg, .part = (uint8_t)part, .bytes = (uint32_t)b->len };
	memcpy(blob, &head, sizeof(head));
	memcpy(blob + sizeof(head), b->data, b->len);
	says_blob(t, name, args, ret, blob, sizeof(head) + b->len, expected);
}

#define ARGS(...) ((const uint64_t[SYSCALL_ARGS]){__VA_ARGS__})
enum { AT = 0x7ffe00001000 };

static void bpf_commands(void **state)
{
	struct bytes b = {};
	PUT(&b, 4, 3);
	says(*state, "bpf", ARGS(1, AT, 4), -9, 1, SYSCALL_PART_WHOLE, &b, "BPF_MAP_LOOKUP_ELEM, {map_fd=3, key=NULL, value=NULL}, 4");
	says(*state, "bpf", ARGS(19, AT, 4), -2, 1, SYSCALL_PART_WHOLE, &b, "BPF_BTF_GET_FD_BY_ID, {btf_id=3}, 4");
	PUT(&b, 4, 4, 1, 4);
	says(*state, "bpf", ARGS(28, AT, 16), -9, 1, SYSCALL_PART_WHOLE, &b,
	     "BPF_LINK_CREATE, {link_create={prog_fd=3, target_fd=4, attach_type=BPF_CGROUP_INET_EGRESS, flags=0x4}}, 16");
	b = (struct bytes){};
	PUT(&b, 8, 0, 0, 0xdeadf00d, 0);
	PUT(&b, 4, 3, UINT32_MAX);
	PUT(&b, 8, 4, 0);
	says(*state, "bpf", ARGS(24, AT, 56), -9, 1, SYSCALL_PART_WHOLE, &b,
	     "BPF_MAP_LOOKUP_BATCH, {batch={in_batch=NULL, out_batch=NULL, keys=0xdeadf00d, values=NULL, count=3, map_fd=-1, "
	     "elem_flags=BPF_F_LOCK, flags=0}}, 56");
	b = (struct bytes){};
	PUT(&b, 4, 3, 4, 28, 0);
	PUT(&b, 8, 0x1000);
	PUT(&b, 4, 2);
	says(*state, "bpf", ARGS(28, AT, 28), -22, 1, SYSCALL_PART_WHOLE, &b,
	     "BPF_LINK_CREATE, {link_create={prog_fd=3, target_fd=4, attach_type=BPF_TRACE_ITER, flags=0, iter_info=0x1000, "
	     "iter_info_len=2}}, 28");
}

/* Of two pieces the one at exit has the size of the answer. */
static void bpf_info(void **state)
{
	struct bytes b = {};
	PUT(&b, 1, 1, 0, 0, 0);
	put(&b, 16, 4);
	PUT(&b, 4, 5, 152);
	put(&b, 0x6000, 8);
	PUT(&b, 1, 1, 1, 0, 0);
	put(&b, 16, 4);
	PUT(&b, 4, 5, 104);
	put(&b, 0x6000, 8);
	says_blob(*state, "bpf", ARGS(15, AT, 16), 0, b.data, b.len,
		  "BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=5, info_len=152 => 104, info=0x6000}}, 16");
}

static void uring(void **state)
{
	struct bytes b = {};
	PUT(&b, 4, 0, 1);
	PUT(&b, 8, 0, 0, 0x5000, 0xa7a6a5a4a3a2a1a0);
	says(*state, "io_uring_register", ARGS(3, 13, AT, 40), -95, 2, SYSCALL_PART_WHOLE, &b,
	     "3, IORING_REGISTER_FILES2, {nr=0, flags=IORING_RSRC_REGISTER_SPARSE, data=NULL, tags=[], /* bytes 32..39 */ "
	     "\"\\xa0\\xa1\\xa2\\xa3\\xa4\\xa5\\xa6\\xa7\"}, 40");
	says(*state, "io_uring_register", ARGS(3, 13, AT, 31), -22, 2, SYSCALL_PART_WHOLE, &b,
	     "3, IORING_REGISTER_FILES2, 0x7ffe00001000, 31");
	b = (struct bytes){};
	PUT(&b, 4, 5, 7);
	says(*state, "io_uring_register", ARGS(3, 19, AT, 2), 0, 2, SYSCALL_PART_WHOLE, &b,
	     "3, IORING_REGISTER_IOWQ_MAX_WORKERS, [[IO_WQ_BOUND]=5, [IO_WQ_UNBOUND]=7], 2");
	says(*state, "io_uring_register", ARGS(3, 17, AT, 8), 0, 2, SYSCALL_PART_WHOLE, &b,
	     "3, IORING_REGISTER_IOWQ_AFF, [0 2 32 33 34], 8");
	says(*state, "io_uring_register", ARGS(3, 17, AT, 9), 0, 2, SYSCALL_PART_WHOLE, &b,
	     "3, IORING_REGISTER_IOWQ_AFF, 0x7ffe00001000, 9"); /* truncated */
	b = (struct bytes){};
	PUT(&b, 4, 0, 0, 32, 1, 2, 0, 9);
	while (b.len < 120)
		put(&b, 0, 1);
	says(*state, "io_uring_setup", ARGS(2, AT), -22, 1, SYSCALL_PART_WHOLE, &b,
	     "2, {flags=IORING_SETUP_ATTACH_WQ, sq_thread_cpu=1, sq_thread_idle=2, wq_fd=9}");
	b = (struct bytes){};
	PUT(&b, 8, ~0x200ULL);
	says(*state, "io_uring_enter", ARGS(3, 1, 1, 1, AT, 8), 1, 4, SYSCALL_PART_WHOLE, &b,
	     "3, 1, 1, IORING_ENTER_GETEVENTS, ~[USR1], 8");
}

static void clones(void **state)
{
	struct bytes b = {};
	PUT(&b, 8, 0x1000 | 0x80 | 0x200000000, 0, 0x1111, 0x2222, 17, 0, 0, 0x3333, 0x4000, 2, 5);
	says(*state, "clone3", ARGS(AT, 88), 42, 0, SYSCALL_PART_WHOLE, &b,
	     "{flags=CLONE_NEWTIME|CLONE_PIDFD|CLONE_INTO_CGROUP, pidfd=NULL, exit_signal=SIGCHLD, stack=NULL, stack_size=0, "
	     "set_tid=0x4000, set_tid_size=2, cgroup=5}, 88");
	says(*state, "clone3", ARGS(AT, 64), 42, 0, SYSCALL_PART_WHOLE, &b,
	     "{flags=CLONE_NEWTIME|CLONE_PIDFD|CLONE_INTO_CGROUP, pidfd=NULL, exit_signal=SIGCHLD, stack=NULL, stack_size=0}, 64");
	says(*state, "clone3", ARGS(AT, 63), -22, 0, SYSCALL_PART_WHOLE, &b, "0x7ffe00001000, 63");
}

static void ptraces(void **state)
{
	struct bytes b = {};
	PUT(&b, 4, 11, 0, 4, 0);
	PUT(&b, 8, 0xfacefeed, 0, 7);
	while (b.len < 128)
		put(&b, 0, 1);
	says(*state, "ptrace", ARGS(0x4203, 42, 0, AT), -3, 3, SYSCALL_PART_WHOLE, &b,
	     "PTRACE_SETSIGINFO, 42, NULL, {si_signo=SIGSEGV, si_code=SEGV_PKUERR, si_addr=0xfacefeed, si_pkey=7}");
	says(*state, "ptrace", ARGS(0x4202, 42, 0, AT), -3, 3, SYSCALL_PART_EXIT, &b, "PTRACE_GETSIGINFO, 42, NULL, 0x7ffe00001000");
	says(*state, "ptrace", ARGS(0, 42, 0, AT), 0, 3, SYSCALL_PART_EXIT, &b, "PTRACE_TRACEME");
	says(*state, "ptrace", ARGS(7, 42, 0, 10), 0, 3, SYSCALL_PART_EXIT, &(struct bytes){}, "PTRACE_CONT, 42, NULL, SIGUSR1");
	says(*state, "ptrace", ARGS(0x4206, 42, 0, 9), 0, 3, SYSCALL_PART_EXIT, &(struct bytes){},
	     "PTRACE_SEIZE, 42, NULL, PTRACE_O_TRACESYSGOOD|PTRACE_O_TRACECLONE");
	b = (struct bytes){};
	PUT(&b, 4, 2, 0xc000003e);
	PUT(&b, 8, 0x1000, 0x2000, (uint64_t)-2, 1);
	says(*state, "ptrace", ARGS(0x420e, 42, 88, AT), 33, 3, SYSCALL_PART_EXIT, &b,
	     "PTRACE_GET_SYSCALL_INFO, 42, 88, {op=PTRACE_SYSCALL_INFO_EXIT, arch=AUDIT_ARCH_X86_64, instruction_pointer=0x1000, "
	     "stack_pointer=0x2000, rval=-2, is_error=1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bpf_commands),
		cmocka_unit_test(bpf_info),
		cmocka_unit_test(uring),
		cmocka_unit_test(clones),
		cmocka_unit_test(ptraces),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
