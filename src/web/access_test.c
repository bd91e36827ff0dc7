#include <stdlib.h>

#include "base/testing.h"
#include "web/server.h"

static void check_address(const char *text, const char *host, uint16_t port)
{
	char *got;
	uint16_t got_port;
	assert_ok(web_parse_address(text, &got, &got_port));
	assert_string_equal(got, host);
	assert_int_equal(got_port, port);
	free(got);
}

static void addresses_are_taken_apart(void **state)
{
	char *host;
	uint16_t port;
	check_address("", "localhost", 0);
	check_address(":8080", "localhost", 8080);
	check_address("example:80", "example", 80);
	check_address("example", "example", 0);
	check_address("127.0.0.1:", "127.0.0.1", 0);
	check_address("[::1]:81", "::1", 81);
	check_address("[::1]", "::1", 0);
	check_address("::1", "::1", 0);
	assert_fails(web_parse_address("host:http", &host, &port), ERROR_USAGE);
	assert_fails(web_parse_address("host:65536", &host, &port), ERROR_USAGE);
	assert_fails(web_parse_address("host:-1", &host, &port), ERROR_USAGE);
}

/* A page of evil.example whose name was made to resolve to 127.0.0.1 sends its own name: DNS rebinding. */
static void only_our_names_are_answered(void **state)
{
	assert_true(web_host_allowed("localhost:8080", "localhost", 8080));
	assert_true(web_host_allowed("LOCALHOST:8080", "localhost", 8080));
	assert_true(web_host_allowed("127.0.0.1:8080", "localhost", 8080));
	assert_true(web_host_allowed("[::1]:8080", "localhost", 8080));
	assert_true(web_host_allowed("127.0.0.2:8080", "127.0.0.2", 8080));
	assert_true(web_host_allowed("localhost", "localhost", 80));
	assert_false(web_host_allowed("localhost", "localhost", 8080));
	assert_false(web_host_allowed("localhost:8081", "localhost", 8080));
	assert_false(web_host_allowed("evil.example:8080", "localhost", 8080));
	assert_false(web_host_allowed("localhost.evil.example:8080", "localhost", 8080));
	assert_false(web_host_allowed("", "localhost", 8080));
	assert_false(web_host_allowed(NULL, "localhost", 8080));
}

static void only_our_pages_are_answered(void **state)
{
	assert_true(web_origin_allowed(NULL, "localhost:8080"));
	assert_true(web_origin_allowed("http://localhost:8080", "localhost:8080"));
	assert_false(web_origin_allowed("http://evil.example", "localhost:8080"));
	assert_false(web_origin_allowed("https://localhost:8080", "localhost:8080"));
	assert_false(web_origin_allowed("http://localhost:8080.evil.example", "localhost:8080"));
	assert_false(web_origin_allowed("null", "localhost:8080"));
	assert_false(web_origin_allowed("", "localhost:8080"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_taken_apart),
		cmocka_unit_test(only_our_names_are_answered),
		cmocka_unit_test(only_our_pages_are_answered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
