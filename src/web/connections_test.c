#include <poll.h>
#include <unistd.h>

#include <netinet/in.h>

#include "base/testing.h"
#include "web/connections.h"

#define LONG_MS 60000

struct pair {
	int ours, theirs;
	struct web_connection *w;
};

static struct pair connect_from(struct web_connections *c, uint32_t address)
{
	int fds[2];
	struct sockaddr_in peer = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	return (struct pair){ fds[0], fds[1], web_connection_add(c, fds[0], (struct sockaddr *)&peer) };
}

static void hang_up(struct pair *p)
{
	web_connection_remove(p->w);
	close(p->ours);
	close(p->theirs);
}

static bool is_shut(const struct pair *p, int wait_ms)
{
	struct pollfd fd = { .fd = p->theirs, .events = POLLIN };
	return poll(&fd, 1, wait_ms) == 1;
}

static void the_oldest_that_waits_goes_first(void **state)
{
	struct web_connections *c;
	struct pair p[4];
	assert_ok(web_connections_create(3, LONG_MS, &c));
	for (int i = 0; i < 3; i++)
		p[i] = connect_from(c, 1);
	web_connection_begin_answer(p[0].w);
	p[3] = connect_from(c, 1);
	assert_false(is_shut(&p[0], 0));
	assert_true(is_shut(&p[1], 0));
	assert_false(is_shut(&p[2], 0));
	hang_up(&p[1]);
	p[1] = connect_from(c, 1);
	assert_true(is_shut(&p[2], 0));
	assert_false(is_shut(&p[3], 0) || is_shut(&p[0], 0));
	for (int i = 0; i < 4; i++)
		hang_up(&p[i]);
	web_connections_destroy(c);
}

static void a_peer_with_many_makes_room_for_others(void **state)
{
	struct web_connections *c;
	struct pair other, p[4];
	assert_ok(web_connections_create(4, LONG_MS, &c));
	other = connect_from(c, 2);
	for (int i = 0; i < 4; i++)
		p[i] = connect_from(c, 1);
	assert_false(is_shut(&other, 0));
	assert_true(is_shut(&p[0], 0));
	for (int i = 0; i < 4; i++)
		web_connection_begin_answer(p[i].w);
	struct pair last = connect_from(c, 3);
	assert_true(is_shut(&p[1], 0)); /* all are being answered: shuts the oldest */
	assert_false(is_shut(&other, 0) || is_shut(&last, 0));
	for (int i = 0; i < 4; i++)
		hang_up(&p[i]);
	hang_up(&other);
	hang_up(&last);
	web_connections_destroy(c);
}

static void a_request_has_to_come_in_time(void **state)
{
	struct web_connections *c;
	assert_ok(web_connections_create(9, 30, &c));
	struct pair late = connect_from(c, 1), answered = connect_from(c, 1);
	web_connection_begin_answer(answered.w);
	assert_true(is_shut(&late, LONG_MS));
	assert_false(is_shut(&answered, 100));
	web_connection_end_answer(answered.w);
	assert_true(is_shut(&answered, LONG_MS));
	hang_up(&late);
	hang_up(&answered);
	web_connections_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_that_waits_goes_first),
		cmocka_unit_test(a_peer_with_many_makes_room_for_others),
		cmocka_unit_test(a_request_has_to_come_in_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
