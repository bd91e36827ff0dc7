/* Calls as a tracer passes them: numbers, bytes from memory, and the expected text. */
#include <stdio.h>

#include "base/testing.h"
#include "decode/syscall.h"

struct blob {
	uint8_t bytes[4096];
	size_t len;
};

static void piece(struct blob *b, uint8_t arg, uint8_t part, uint8_t status, const void *p, uint32_t n)
{
	struct syscall_piece head = { .arg = arg, .part = part, .status = status, .bytes = n };
	memcpy(b->bytes + b->len, &head, sizeof(head));
	memcpy(b->bytes + b->len + sizeof(head), p, n);
	b->len += sizeof(head) + (n + 7) / 8 * 8;
}

struct state {
	struct syscall_table *x86_64, *i386, *aarch64;
};

static int set_up(void **ret)
{
	static struct state s;
	s = (struct state){ syscall_table_create(&arch_x86_64), syscall_table_create(&arch_i386),
			   syscall_table_create(&arch_aarch64)};
	*ret = &s;
	return !(s.x86_64 && s.i386 && s.aarch64);
}

static int tear_down(void **state)
{
	struct state *s = *state;
	syscall_table_destroy(s->x86_64);
	syscall_table_destroy(s->i386);
	syscall_table_destroy(s->aarch64);
	return 0;
}

static const char *fd_text(void *ctx, uint32_t pid, int fd)
{
	return fd == 3 ? "/etc/ho\nsts" : NULL;
}

/* "named | strace | result" of the call. */
static const char *text_of(const struct syscall_event *ev, bool strace, bool with_fds)
{
	static char text[4096];
	struct syscall_style style = { .layout = strace ? SYSCALL_STRACE : SYSCALL_NAMED };
	if (with_fds)
		style.fd_text = fd_text;
	struct out out;
	out_init_mem(&out);
	syscall_print_args(&out, &style, ev);
	out_str(&out, " = ");
	syscall_print_result(&out, &style, ev);
	size_t n;
	const char *p = out_mem(&out, &n);
	assert_true(n < sizeof(text));
	memcpy(text, p, n);
	text[n] = '\0';
	error_destroy(out_close(&out));
	return text;
}

static struct syscall_event event(const struct syscall_table *t, const char *name, const struct blob *b, int64_t ret,
				  const uint64_t arg[SYSCALL_ARGS])
{
	struct syscall_event ev = { .desc = syscall_table_find(t, name), .ret = ret, .has_ret = true };
	assert_non_null(ev.desc);
	memcpy(ev.arg, arg, sizeof(ev.arg));
	if (b)
		syscall_payload_add(&ev.payload, b->bytes, b->len);
	return ev;
}

#define ARGS(...) ((const uint64_t[SYSCALL_ARGS]){__VA_ARGS__})
#define says(ev, named, strace)                                        \
	do {                                                           \
		assert_string_equal(text_of(ev, false, false), named); \
		assert_string_equal(text_of(ev, true, false), strace); \
	} while (0)

static void open_calls(void **state)
{
	const struct state *s = *state;
	struct blob b = {};
	piece(&b, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "/etc/ld.so.cache", 16);
	struct syscall_event ev = event(s->x86_64, "openat", &b, 3, ARGS((uint64_t)-100, 0x7f0000001000, 02000000));
	says(&ev, "dfd: CWD, filename: \"/etc/ld.so.cache\", flags: RDONLY|CLOEXEC = 3",
	     "AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC = 3");
	assert_string_equal(text_of(&ev, true, true),
			    "AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC = 3</etc/ho\\x0asts>");
	ev.arg[2] = 02 | 0100 | 0200;
	ev.arg[3] = 0640;
	ev.ret = -17;
	says(&ev,
	     "dfd: CWD, filename: \"/etc/ld.so.cache\", flags: RDWR|CREAT|EXCL, mode: 0640 = -1 EEXIST (File exists)",
	     "AT_FDCWD, \"/etc/ld.so.cache\", O_RDWR|O_CREAT|O_EXCL, 0640 = -1 EEXIST (File exists)");
	/* arm64 has other bits for O_DIRECTORY and O_NOFOLLOW */
	ev = event(s->aarch64, "openat", &b, 3, ARGS(0xffffff9c, 0x1000, 0140000));
	says(&ev, "dfd: CWD, filename: \"/etc/ld.so.cache\", flags: RDONLY|NOFOLLOW|DIRECTORY = 3",
	     "AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_NOFOLLOW|O_DIRECTORY = 3");
	/* not fetched: an address, which is not read */
	ev = event(s->x86_64, "openat", NULL, -14, ARGS((uint64_t)-100, 0x10, 0));
	says(&ev, "dfd: CWD, filename: 0x10, flags: RDONLY = -1 EFAULT (Bad address)",
	     "AT_FDCWD, 0x10, O_RDONLY = -1 EFAULT (Bad address)");
}

static void buffers(void **state)
{
	const struct state *s = *state;
	struct blob b = {};
	piece(&b, 1, SYSCALL_PART_EXIT, SYSCALL_FETCH_TRUNCATED,
	      "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0\260\214\2\0\0\0\0\0", 32);
	struct syscall_event ev = event(s->x86_64, "read", &b, 832, ARGS(3, 0x7ffe00000000, 832));
	says(&ev,
	     "fd: 3, buf: "
	     "\"\\177ELF\\2\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\3\\0>\\0\\1\\0\\0\\0\\260\\214\\2\\0\\0\\0\\0\\0\"..., "
	     "count: 832 = 832",
	     "3, "
	     "\"\\177ELF\\2\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\3\\0>\\0\\1\\0\\0\\0\\260\\214\\2\\0\\0\\0\\0\\0\"..., "
	     "832 = 832");
	ev = event(s->x86_64, "read", NULL, 0, ARGS(0, 0x7ffe00000000, 10));
	says(&ev, "fd: 0, buf: \"\", count: 10 = 0", "0, \"\", 10 = 0");
	/* a byte that a digit follows takes three digits; control characters are escaped */
	b = (struct blob){};
	piece(&b, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\0331\33[m\1a\"\\\n", 10);
	ev = event(s->x86_64, "write", &b, 10, ARGS(1, 0x7ffe00000000, 10));
	says(&ev, "fd: 1, buf: \"\\0331\\33[m\\1a\\\"\\\\\\n\", count: 10 = 10",
	     "1, \"\\0331\\33[m\\1a\\\"\\\\\\n\", 10 = 10");
	/* runs: their last byte may have a digit after it */
	b = (struct blob){};
	piece(&b, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\0\0\0001111\377\377\3777aaa\n\n\n", 17);
	ev = event(s->x86_64, "write", &b, 17, ARGS(1, 0x7ffe00000000, 17));
	says(&ev, "fd: 1, buf: \"\\0\\0\\0001111\\377\\377\\3777aaa\\n\\n\\n\", count: 17 = 17",
	     "1, \"\\0\\0\\0001111\\377\\377\\3777aaa\\n\\n\\n\", 17 = 17");
}

static void sockets(void **state)
{
	const struct state *s = *state;
	struct blob b = {};
	piece(&b, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\2\0\0\120\177\0\0\1\0\0\0\0\0\0\0\0", 16);
	struct syscall_event ev = event(s->x86_64, "connect", &b, -111, ARGS(3, 0x7ffe00000000, 16));
	says(&ev,
	     "fd: 3, uservaddr: { .family: INET, .port: 80, .addr: 127.0.0.1 }, addrlen: 16 = -1 ECONNREFUSED "
	     "(Connection refused)",
	     "3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}, 16 = -1 ECONNREFUSED "
	     "(Connection refused)");
	b = (struct blob){};
	piece(&b, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\1\0/run/x.sock", 13);
	ev = event(s->x86_64, "connect", &b, 0, ARGS(3, 0x7ffe00000000, 110));
	says(&ev, "fd: 3, uservaddr: { .family: UNIX, .path: \"/run/x.sock\" }, addrlen: 110 = 0",
	     "3, {sa_family=AF_UNIX, sun_path=\"/run/x.sock\"}, 110 = 0");
	ev = event(s->x86_64, "socket", NULL, 3, ARGS(2, 02000001, 0));
	says(&ev, "family: INET, type: STREAM|CLOEXEC, protocol: IP = 3",
	     "AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP = 3");
	b = (struct blob){};
	piece(&b, 3, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\1\0\0\0", 4);
	ev = event(s->x86_64, "setsockopt", &b, 0, ARGS(3, 1, 2, 0x7ffe00000000, 4));
	says(&ev, "fd: 3, level: SOCKET, optname: REUSEADDR, optval: [1], optlen: 4 = 0",
	     "3, SOL_SOCKET, SO_REUSEADDR, [1], 4 = 0");
}

static void times(void **state)
{
	const struct state *s = *state;
	struct blob b = {};
	piece(&b, 2, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\1\0\0\0\0\0\0\0\0\312\232\73\0\0\0\0",
	      16); /* 1 s, 0x3b9aca00 ns */
	struct syscall_event ev = event(s->x86_64, "clock_nanosleep", &b, -516, ARGS(0, 0, 0x7ffe00000000, 0));
	says(&ev,
	     "which_clock: REALTIME, rqtp: { .tv_sec: 1, .tv_nsec: 1000000000 } = ? ERESTART_RESTARTBLOCK (Interrupted "
	     "by signal)",
	     "CLOCK_REALTIME, 0, {tv_sec=1, tv_nsec=1000000000}, NULL = ? ERESTART_RESTARTBLOCK (Interrupted by "
	     "signal)");
	/* the same struct has words of four bytes on i386 */
	b = (struct blob){};
	piece(&b, 0, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\2\0\0\0\5\0\0\0", 8);
	ev = event(s->i386, "nanosleep", &b, 0, ARGS(0xffffd000, 0));
	says(&ev, "rqtp: { .tv_sec: 2, .tv_nsec: 5 } = 0", "{tv_sec=2, tv_nsec=5}, NULL = 0");
}

static void processes(void **state)
{
	const struct state *s = *state;
	struct syscall_event ev = event(s->x86_64, "clone", NULL, 42, ARGS(0x1200011, 0, 0, 0x7f12, 0));
	says(&ev, "clone_flags: CHILD_CLEARTID|CHILD_SETTID|SIGCHLD, child_tidptr: 0x7f12 = 42",
	     "child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7f12 = 42");
	struct blob b = {};
	piece(&b, 1, SYSCALL_PART_EXIT, SYSCALL_FETCH_OK, "\0\3\0\0", 4);
	ev = event(s->x86_64, "wait4", &b, 42, ARGS((uint64_t)-1, 0x7ffe00000000, 0, 0));
	says(&ev, "upid: -1, stat_addr: [{WIFEXITED(s) && WEXITSTATUS(s) == 3}] = 42",
	     "-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL = 42");
	ev = event(s->x86_64, "kill", NULL, 0, ARGS(42, 10));
	says(&ev, "pid: 42, sig: USR1 = 0", "42, SIGUSR1 = 0");
	ev = event(s->x86_64, "exit_group", NULL, 0, ARGS(0));
	says(&ev, " = ?", "0 = ?");
	b = (struct blob){};
	piece(&b, 1, SYSCALL_PART_DATA, SYSCALL_FETCH_OK, "ls", 2);
	piece(&b, 1, SYSCALL_PART_DATA + 1, SYSCALL_FETCH_OK, "-l", 2);
	piece(&b, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\2\0\0\0", 4);
	piece(&b, 0, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "/bin/ls", 7);
	piece(&b, 2, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "\50\0\0\0", 4);
	ev = event(s->x86_64, "execve", &b, 0, ARGS(0x5000, 0x6000, 0x7000));
	says(&ev, "filename: \"/bin/ls\", argv: [\"ls\", \"-l\"], envp: 0x7000 /* 40 vars */ = 0",
	     "\"/bin/ls\", [\"ls\", \"-l\"], 0x7000 /* 40 vars */ = 0");
}

static void memory_calls(void **state)
{
	const struct state *s = *state;
	struct syscall_event ev =
		event(s->x86_64, "mmap", NULL, 0x7f0000000000, ARGS(0, 8192, 3, 0x22, (uint64_t)-1, 0));
	says(&ev, "len: 8192, prot: READ|WRITE, flags: PRIVATE|ANONYMOUS, fd: -1 = 0x7f0000000000",
	     "NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0 = 0x7f0000000000");
	ev = event(s->x86_64, "mprotect", NULL, 0, ARGS(0x1000, 4096, 0));
	says(&ev, "start: 0x1000, len: 4096, prot: NONE = 0", "0x1000, 4096, PROT_NONE = 0");
	ev = event(s->x86_64, "futex", NULL, 1, ARGS(0x1000, 129, 1, 0, 0, 0));
	says(&ev, "uaddr: 0x1000, op: WAKE_PRIVATE, val: 1 = 1", "0x1000, FUTEX_WAKE_PRIVATE, 1 = 1");
	ev = event(s->x86_64, "fcntl", NULL, 0100002, ARGS(3, 3));
	says(&ev, "fd: 3, cmd: GETFL = 0x8002 (flags RDWR|LARGEFILE)",
	     "3, F_GETFL = 0x8002 (flags O_RDWR|O_LARGEFILE)");
}

/* Two registers make a 64-bit number on i386. */
static void wide_numbers(void **state)
{
	const struct state *s = *state;
	struct syscall_event ev = event(s->i386, "ftruncate64", NULL, 0, ARGS(3, 0x80000001, 1));
	says(&ev, "fd: 3, offset: 6442450945 = 0", "3, 6442450945 = 0");
	ev = event(s->i386, "_llseek", NULL, 0, ARGS(3, 1, 0x80000001, 0, 1));
	says(&ev, "fd: 3, offset: 6442450945, whence: CUR = 0", "3, 6442450945, NULL, SEEK_CUR = 0");
	assert_string_equal(syscall_arg_name(ev.desc, 0), "fd");
}

static void stat_layouts(void **state)
{
	const struct state *s = *state;
	uint8_t st[144] = {};
	st[25] = 0x81, st[24] = 0xa4; /* st_mode 0100644 at 24 */
	st[48] = 5;                   /* st_size */
	struct blob b = {};
	piece(&b, 1, SYSCALL_PART_EXIT, SYSCALL_FETCH_OK, st, sizeof(st));
	struct syscall_event ev = event(s->x86_64, "fstat", &b, 0, ARGS(3, 0x7ffe00000000));
	says(&ev, "fd: 3, statbuf: { .st_mode: S_IFREG|0644, .st_size: 5, ... } = 0",
	     "3, {st_mode=S_IFREG|0644, st_size=5, ...} = 0");
	assert_int_equal(syscall_table_find(s->x86_64, "fstat")->plan.step[0].max, 144);
	assert_int_equal(syscall_table_find(s->aarch64, "fstat")->plan.step[0].max, 128);
	assert_int_equal(syscall_table_find(s->i386, "fstat")->plan.step[0].max, 64);
	assert_int_equal(syscall_table_find(s->i386, "fstat64")->plan.step[0].max, 96);
}

static void selection(void **state)
{
	const struct state *s = *state;
	struct syscall_set set;
	assert_ok(syscall_select(s->x86_64, "openat,close", &set));
	assert_true(syscall_set_has(&set, 257) && syscall_set_has(&set, 3) && !syscall_set_has(&set, 2));
	assert_ok(syscall_select(s->x86_64, "!%memory", &set));
	assert_true(syscall_set_has(&set, 0) && !syscall_set_has(&set, 9) && !syscall_set_has(&set, 12));
	assert_ok(syscall_select(s->x86_64, "epoll_*", &set));
	assert_true(syscall_set_has(&set, 232) && syscall_set_has(&set, 441) && !syscall_set_has(&set, 7));
	assert_ok(syscall_select(s->x86_64, "newstat", &set)); /* the kernel's name */
	assert_true(syscall_set_has(&set, 4));
	assert_ok(syscall_select(s->x86_64, "%%stat", &set));
	assert_true(syscall_set_has(&set, 4) && syscall_set_has(&set, 5) && syscall_set_has(&set, 6) &&
		    syscall_set_has(&set, 332));
	assert_ok(syscall_select(s->aarch64, "open", &set)); /* x86-64 has it: no error, and nothing selected */
	assert_false(syscall_set_has(&set, 2));
	struct strobe_error *err = syscall_select(s->x86_64, "opnat", &set);
	assert_non_null(err);
	assert_string_equal(err->message, "unknown system call 'opnat': did you mean 'openat'?");
	error_destroy(err);
	assert_fails(syscall_select(s->x86_64, "%nofile", &set), ERROR_USAGE);
	assert_fails(syscall_select(s->x86_64, "open*,!openat2", &set), ERROR_USAGE);
	assert_ok(syscall_select(s->x86_64, "?opnat", &set));
	assert_true(syscall_is_known_word("epoll_*") && syscall_is_known_word("file") &&
		    !syscall_is_known_word("cycles"));
}

/* Every call of every table: described, with room for its plan, printable with nothing fetched and with hostile bytes.
 */
static void all_calls(void **state)
{
	const struct state *s = *state;
	const struct syscall_table *const tables[] = { s->x86_64, s->i386, s->aarch64 };
	struct syscall_style style = {};
	for (size_t t = 0; t < 3; t++) {
		const struct syscall_desc *const *all;
		size_t nr = syscall_table_all(tables[t], &all);
		for (size_t i = 0; i < nr; i++) {
			struct syscall_event ev = { .desc = all[i] };
			assert_true(all[i]->nargs <= SYSCALL_ARGS);
			memset(ev.arg, 0x41, sizeof(ev.arg));
			struct out out;
			out_init_mem(&out);
			syscall_print_args(&out, &style, &ev);
			syscall_print_result(&out, &style, &ev);
			error_destroy(out_close(&out));
		}
	}
	assert_true(syscall_table_find(s->x86_64, "listns")->described);
	assert_true(syscall_table_find(s->aarch64, "file_setattr")->described);
}

/* Each byte at each place of a text of three words, by the rule of C: since eight bytes are examined at once. */
static void quoted_bytes(void **state)
{
	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 0; at < 24; at++) {
			static const char named[] = "\"\\\t\n\v\f\r", letters[] = "\"\\tnvfr";
			char text[25] = "aaaaaaaaaaaaaaaaaaaaaaaa", expected[64], one[8];
			const char *name = c ? strchr(named, (int)c) : NULL;
			text[at] = (char)c;
			if (name)
				snprintf(one, sizeof(one), "\\%c", letters[name - named]);
			else
				snprintf(one, sizeof(one), c >= ' ' && c < 0x7f ? "%c" : "\\%o", c);
			snprintf(expected, sizeof(expected), "\"%.*s%s%.*s\"", (int)at, "aaaaaaaaaaaaaaaaaaaaaaaa", one, (int)(23 - at),
				 "aaaaaaaaaaaaaaaaaaaaaaaa");
			struct out out;
			size_t n;
			out_init_mem(&out);
			syscall_print_quoted(&out, text, 24);
			const char *got = out_mem(&out, &n);
			assert_int_equal(n, strlen(expected));
			assert_memory_equal(got, expected, n);
			error_destroy(out_close(&out));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_calls),   cmocka_unit_test(buffers),      cmocka_unit_test(sockets),
		cmocka_unit_test(times),        cmocka_unit_test(processes),    cmocka_unit_test(memory_calls),
		cmocka_unit_test(wide_numbers), cmocka_unit_test(stat_layouts), cmocka_unit_test(selection),
		cmocka_unit_test(all_calls), cmocka_unit_test(quoted_bytes),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
