#include "ptrace/fetch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/testing.h"

/* The test reads its own memory. */
struct call {
	struct syscall_table *table;
	const struct syscall_desc *desc;
	struct fetch_from from;
	struct fetched fetched;
	struct syscall_payload payload;
};

static void begin(struct call *c, const char *name, const uint64_t arg[SYSCALL_ARGS])
{
	skip_emulated(); /* no process_vm_readv(2) there */
	memset(c, 0, sizeof(*c));
	c->table = syscall_table_create(&arch_x86_64);
	c->desc = syscall_table_find(c->table, name);
	c->from = (struct fetch_from){ .tid = getpid(), .arch = &arch_x86_64, .str_limit = 16 };
	memcpy(c->from.arg, arg, sizeof(c->from.arg));
}

static void enter(struct call *c, const char *name, const uint64_t arg[SYSCALL_ARGS])
{
	begin(c, name, arg);
	fetch_at_entry(&c->fetched, &c->from, &c->desc->plan);
	syscall_payload_add(&c->payload, c->fetched.data, c->fetched.bytes);
}

static void leave(struct call *c, const char *name, const uint64_t arg[SYSCALL_ARGS], int64_t ret)
{
	begin(c, name, arg);
	fetch_at_exit(&c->fetched, &c->from, &c->desc->plan, ret);
	syscall_payload_add(&c->payload, c->fetched.data, c->fetched.bytes);
}

static void end(struct call *c)
{
	syscall_table_destroy(c->table);
}

static void assert_piece(const struct call *c, uint32_t i, unsigned arg, unsigned part, unsigned status, const void *bytes, size_t n)
{
	assert_true(i < c->payload.nr);
	assert_int_equal(c->payload.piece[i].arg, arg);
	assert_int_equal(c->payload.piece[i].part, part);
	assert_int_equal(c->payload.piece[i].status, status);
	assert_int_equal(c->payload.piece[i].bytes, n);
	if (n)
		assert_memory_equal(c->payload.piece[i].data, bytes, n);
}

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

static void test_strings_end_at_their_nul(void **state)
{
	struct call c;
	const char path[] = "/etc/hostname";
	enter(&c, "openat", (uint64_t[SYSCALL_ARGS]){ (uint64_t)-100, address(path) });
	assert_int_equal(c.payload.nr, 1);
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, path, strlen(path));
	end(&c);
}

static void test_null_and_small_numbers_are_not_followed(void **state)
{
	struct call c;
	enter(&c, "openat", (uint64_t[SYSCALL_ARGS]){ (uint64_t)-100, 0 });
	assert_int_equal(c.payload.nr, 0);
	end(&c);
	enter(&c, "openat", (uint64_t[SYSCALL_ARGS]){ (uint64_t)-100, 4095 });
	assert_int_equal(c.payload.nr, 0);
	end(&c);
}

/* A page with nothing after it. */
static char *last_page(size_t *ret_bytes)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(mprotect(p + bytes, bytes, PROT_NONE), 0);
	*ret_bytes = bytes;
	return p;
}

static void test_memory_that_ends_is_partial(void **state)
{
	struct call c;
	size_t bytes;
	char *page = last_page(&bytes), *end_of_page = page + bytes;
	memcpy(end_of_page - 5, "abcde", 5);
	enter(&c, "openat", (uint64_t[SYSCALL_ARGS]){ (uint64_t)-100, address(end_of_page - 5) });
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_PARTIAL, "abcde", 5);
	end(&c);
	enter(&c, "write", (uint64_t[SYSCALL_ARGS]){ 1, address(end_of_page - 5), 9 });
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_PARTIAL, "abcde", 5);
	end(&c);
	enter(&c, "write", (uint64_t[SYSCALL_ARGS]){ 1, address(end_of_page), 9 });
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_FAULT, NULL, 0);
	end(&c);
	munmap(page, 2 * bytes);
}

static void test_buffers_are_cut_at_the_limit(void **state)
{
	struct call c;
	const char text[] = "sixteen bytes, and more";
	enter(&c, "write", (uint64_t[SYSCALL_ARGS]){ 1, address(text), 23 });
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_TRUNCATED, text, 16);
	end(&c);
	enter(&c, "write", (uint64_t[SYSCALL_ARGS]){ 1, address(text), 7 });
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, text, 7);
	end(&c);
	enter(&c, "write", (uint64_t[SYSCALL_ARGS]){ 1, address(text), 0 });
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, NULL, 0);
	end(&c);
}

static void test_a_read_has_as_many_bytes_as_its_result(void **state)
{
	struct call c;
	const char text[] = "read by the kernel";
	leave(&c, "read", (uint64_t[SYSCALL_ARGS]){ 0, address(text), 100 }, 4);
	assert_piece(&c, 0, 1, SYSCALL_PART_EXIT, SYSCALL_FETCH_OK, text, 4);
	end(&c);
	leave(&c, "read", (uint64_t[SYSCALL_ARGS]){ 0, address(text), 100 }, -9);
	assert_int_equal(c.payload.nr, 0);
	end(&c);
}

static void test_arguments_of_exec(void **state)
{
	struct call c;
	const char *const argv[] = { "ls", "-l", NULL }, *const envp[] = { "A=1", "B=2", "C=3", NULL };
	uint32_t nr = 2;
	enter(&c, "execve", (uint64_t[SYSCALL_ARGS]){ address("/bin/ls"), address(argv), address(envp) });
	assert_int_equal(c.payload.nr, 5);
	assert_piece(&c, 0, 0, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, "/bin/ls", 7);
	assert_piece(&c, 1, 1, SYSCALL_PART_DATA, SYSCALL_FETCH_OK, "ls", 2);
	assert_piece(&c, 2, 1, SYSCALL_PART_DATA + 1, SYSCALL_FETCH_OK, "-l", 2);
	assert_piece(&c, 3, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, &nr, 4);
	nr = 3;
	assert_piece(&c, 4, 2, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, &nr, 4);
	end(&c);
}

static void test_vectors_share_the_result(void **state)
{
	struct call c;
	char first[] = "first", second[] = "second";
	struct iovec v[] = { { first, 5 }, { second, 6 } };
	leave(&c, "readv", (uint64_t[SYSCALL_ARGS]){ 0, address(v), 2 }, 7);
	assert_int_equal(c.payload.nr, 3);
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, v, sizeof(v));
	assert_piece(&c, 1, 1, SYSCALL_PART_DATA, SYSCALL_FETCH_OK, "first", 5);
	assert_piece(&c, 2, 1, SYSCALL_PART_DATA + 1, SYSCALL_FETCH_OK, "se", 2);
	end(&c);
}

static void test_what_a_message_points_to(void **state)
{
	struct call c;
	char name[] = "name", data[] = "data", control[] = "control";
	struct iovec v = { data, 4 };
	struct msghdr m;
	memset(&m, 0, sizeof(m)); /* padding, too */
	m.msg_name = name;
	m.msg_namelen = 4;
	m.msg_iov = &v;
	m.msg_iovlen = 1;
	m.msg_control = control;
	m.msg_controllen = 7;
	enter(&c, "sendmsg", (uint64_t[SYSCALL_ARGS]){ 3, address(&m), 0 });
	assert_int_equal(c.payload.nr, 5);
	assert_piece(&c, 0, 1, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, &m, sizeof(m));
	assert_piece(&c, 1, 1, SYSCALL_PART_NAME, SYSCALL_FETCH_OK, name, 4);
	assert_piece(&c, 2, 1, SYSCALL_PART_CONTROL, SYSCALL_FETCH_OK, control, 7);
	assert_piece(&c, 3, 1, SYSCALL_PART_IOV, SYSCALL_FETCH_OK, &v, sizeof(v));
	assert_piece(&c, 4, 1, SYSCALL_PART_DATA, SYSCALL_FETCH_OK, data, 4);
	end(&c);
}

static void test_what_does_not_fit_is_left_out(void **state)
{
	struct fetched f = {};
	char bytes[4096] = "";
	unsigned nr = 0;
	while (fetch_put(&f, 0, 0, 0, bytes, sizeof(bytes)))
		nr++;
	assert_int_equal(nr, FETCHED_BYTES_MAX / (sizeof(bytes) + sizeof(struct syscall_piece)));
	assert_true(f.bytes <= FETCHED_BYTES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings_end_at_their_nul),
		cmocka_unit_test(test_null_and_small_numbers_are_not_followed),
		cmocka_unit_test(test_memory_that_ends_is_partial),
		cmocka_unit_test(test_buffers_are_cut_at_the_limit),
		cmocka_unit_test(test_a_read_has_as_many_bytes_as_its_result),
		cmocka_unit_test(test_arguments_of_exec),
		cmocka_unit_test(test_vectors_share_the_result),
		cmocka_unit_test(test_what_a_message_points_to),
		cmocka_unit_test(test_what_does_not_fit_is_left_out),
	};
	return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
