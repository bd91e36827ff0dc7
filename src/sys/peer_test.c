#include <netinet/in.h>

#include "sys/peer.h"

#include "base/testing.h"

/* The form of /proc/net/tcp (proc(5)); the uid column as Linux 6.18 prints it. */
static const char v4[] =
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 31172 1\n"
	"   1: 0100007F:1F90 0100007F:C8DE 01 00000000:00000000 00:00000000 00000000     7        0 31190 1\n"
	"   2: 0100007F:C8DE 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 31189 1\n"
	"   3: 0100007F:C8E0 0100007F:1F90 06 00000000:00000000 03:00000F6C 00000000     0        0 0 3\n"
	"   4: 0100007F:C8E2 0100007F:1F90 01 00000000:00000000 00:00000000 0000";

static void users(void **state)
{
	uint32_t uid = 0;
	assert_true(peer_user_in(v4, "0100007F:C8DE 0100007F:1F90 01 ", &uid));
	assert_int_equal(uid, 1000);
	assert_true(peer_user_in(v4, "0100007F:1F90 0100007F:C8DE 01 ", &uid));
	assert_int_equal(uid, 7);
	/* one that was closed, one that was cut off, none */
	assert_false(peer_user_in(v4, "0100007F:C8E0 0100007F:1F90 01 ", &uid));
	assert_false(peer_user_in(v4, "0100007F:C8E2 0100007F:1F90 01 ", &uid));
	assert_false(peer_user_in(v4, "0100007F:C8E4 0100007F:1F90 01 ", &uid));
	assert_false(peer_user_in("", "", &uid));
}

static void expect_address(const struct sockaddr *a, bool mapped, const char *text)
{
	struct strbuf b = {};
	peer_address(a, mapped, &b);
	assert_string_equal(strbuf_str(&b), text);
	strbuf_deinit(&b);
}

/* On a little-endian machine; the kernel prints the words of the machine. */
static void addresses(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(8080), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 b = { .sin6_family = AF_INET6, .sin6_port = htons(51422), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	if (htonl(1) == 1)
		skip();
	expect_address((struct sockaddr *)&a, false, "0100007F:1F90");
	expect_address((struct sockaddr *)&a, true, "0000000000000000FFFF00000100007F:1F90");
	expect_address((struct sockaddr *)&b, false, "00000000000000000000000001000000:C8DE");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(users), cmocka_unit_test(addresses) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
