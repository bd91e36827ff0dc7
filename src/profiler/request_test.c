/* Heads of requests from curl, Go and browsers, and malformed ones. */
#include "base/testing.h"

#include <string.h>

#include "profiler/request.c"

static int parse(const char *head, struct request *ret)
{
	return request_parse(head, strlen(head), ret);
}

static void test_whole(void **unused)
{
	struct request r;
	static const char head[] = "POST /debug/pprof/symbol?a=1&seconds=5 HTTP/1.1\r\nHost: localhost:6060\r\n"
				   "user-agent: Go-http-client/1.1\r\ncontent-LENGTH:  17 \r\nExpect: 100-continue\r\n\r\n";
	assert_int_equal(request_head_bytes(head, strlen(head)), strlen(head));
	assert_int_equal(request_head_bytes(head, strlen(head) - 1), 0);
	assert_int_equal(parse(head, &r), 0);
	assert_true(r.is_post && r.expects_continue && request_is_local(&r));
	assert_string_equal(r.path, "/debug/pprof/symbol");
	assert_int_equal(r.body_bytes, 17);
	assert_int_equal(request_number(&r, "seconds", 30), 5);
	assert_int_equal(request_number(&r, "second", 30), 30);
	assert_int_equal(parse("GET / HTTP/1.0\n\n", &r), 0);
	assert_false(request_is_local(&r));
}

static void test_bad(void **unused)
{
	static const struct {
		const char *head;
		int status;
	} cases[] = {
		{ "", 400 },
		{ "\r\n\r\n", 400 },
		{ "GET\r\n\r\n", 400 },
		{ "GET / HTTP/2.0\r\n\r\n", 400 },
		{ "GET x HTTP/1.1\r\n\r\n", 400 },
		{ "DELETE / HTTP/1.1\r\n\r\n", 405 },
		{ "GET /\x01 HTTP/1.1\r\n\r\n", 414 },
		{ "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413 },
		{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501 },
	};
	struct request r;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(parse(cases[i].head, &r), cases[i].status);
	char path[400] = "GET /";
	memset(path + 5, 'a', 300);
	strcpy(path + 305, " HTTP/1.1\r\n\r\n");
	assert_int_equal(parse(path, &r), 414);
}

static void test_local(void **unused)
{
	static const char *const local[] = { "localhost", "LOCALHOST:80", "127.0.0.1:6060", "127.1.2.3", "[::1]", "[::1]:6060" };
	static const char *const others[] = { "", "example.org", "localhost.example.org", "127.example.org", "localhost:80x",
					      "[::1].example.org", "10.0.0.1", "[::2]:80", "localhost:80@example.org" };
	struct request r = { .has_host = true };
	for (unsigned i = 0; i < sizeof(local) / sizeof(*local); i++) {
		strcpy(r.host, local[i]);
		assert_true(request_is_local(&r));
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++) {
		strcpy(r.host, others[i]);
		assert_false(request_is_local(&r));
	}
	strcpy(r.host, "localhost");
	r.has_origin = true;
	strcpy(r.origin, "http://localhost:6060");
	assert_true(request_is_local(&r));
	strcpy(r.origin, "http://evil.example");
	assert_false(request_is_local(&r));
	strcpy(r.origin, "null");
	assert_false(request_is_local(&r));
}

static void test_numbers(void **unused)
{
	struct request r = { .query = "a=&seconds=1x&b=1234567890&c=0&d" };
	assert_int_equal(request_number(&r, "a", 3), -1);
	assert_int_equal(request_number(&r, "seconds", 3), -1);
	assert_int_equal(request_number(&r, "b", 3), -1);
	assert_int_equal(request_number(&r, "c", 3), 0);
	assert_int_equal(request_number(&r, "d", 3), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
