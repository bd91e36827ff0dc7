/* Counts for a scraper, over a socket of this machine and in a file. */
#include "base/testing.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "counting/exposition.h"

static struct strobe_error *write_counts(void *ctx, struct out *out)
{
	int *calls = ctx;
	out_f(out, "calls %d\n", ++*calls);
	return NULL;
}

static struct strobe_error *write_nothing(void *ctx, struct out *out)
{
	return error_create(ERROR_OTHER, "no counts");
}

/* A port that nothing listens on. */
static uint16_t free_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(address);
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	return ntohs(address.sin_port);
}

/* The reply to a client's request; "": it was dropped. */
static void request_page(struct exposition *e, uint16_t port, const char *request, int *calls, char *ret, size_t bytes)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(send(fd, request, strlen(request), 0), strlen(request));
	assert_ok(exposition_serve(e, write_counts, calls));
	ssize_t n = recv(fd, ret, bytes - 1, MSG_WAITALL);
	ret[n < 0 ? 0 : n] = '\0';
}

static void a_port_answers_requests_for_metrics_alone(void **state)
{
	struct exposition e;
	char text[12], reply[600];
	int calls = 0;
	uint16_t port = free_port();
	snprintf(text, sizeof(text), "%u", port);
	assert_ok(exposition_open(&e, text));
	assert_int_equal(exposition_fd(&e), e.listen_fd);
	request_page(&e, port, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", &calls, reply, sizeof(reply));
	assert_string_equal(reply, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
				   "Content-Length: 8\r\nConnection: close\r\n\r\ncalls 1\n");
	request_page(&e, port, "GET /other HTTP/1.1\r\n\r\n", &calls, reply, sizeof(reply));
	assert_memory_equal(reply, "HTTP/1.1 404 ", 13);
	request_page(&e, port, "POST /metrics HTTP/1.1\r\n\r\n", &calls, reply, sizeof(reply));
	assert_memory_equal(reply, "HTTP/1.1 405 ", 13);
	/* One that does not end its request is dropped after a while. */
	request_page(&e, port, "GET /metrics", &calls, reply, sizeof(reply));
	assert_string_equal(reply, "");
	assert_int_equal(calls, 1);
	/* A server has no file to finish. */
	assert_ok(exposition_finish(&e, write_counts, &calls));
	assert_int_equal(calls, 1);
	exposition_close(&e);
}

static void assert_file(const char *path, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = {};
	assert_ok(file_read(path, &text, 0));
	assert_string_equal(strbuf_str(&text), expected);
}

static void a_file_is_replaced_when_its_timer_ticks(void **state)
{
	char path[] = "/tmp/exposition_test.XXXXXX";
	struct exposition e;
	int calls = 0;
	_cleanup_close_ int fd = mkstemp(path);
	assert_ok(exposition_open(&e, path));
	struct pollfd ticks = { .fd = exposition_fd(&e), .events = POLLIN };
	assert_int_equal(poll(&ticks, 1, 1000), 1);
	assert_ok(exposition_serve(&e, write_counts, &calls));
	assert_file(path, "calls 1\n");
	/* The tick was consumed: nothing is written before the next one. */
	assert_ok(exposition_serve(&e, write_counts, &calls));
	assert_int_equal(calls, 1);
	/* If the writer fails the file is kept. */
	assert_fails(exposition_finish(&e, write_nothing, NULL), ERROR_OTHER);
	assert_file(path, "calls 1\n");
	assert_ok(exposition_finish(&e, write_counts, &calls));
	assert_file(path, "calls 2\n");
	exposition_close(&e);
	unlink(path);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
	struct exposition e;
	assert_ok(exposition_open(&e, "/nonexistent/folder/file"));
	assert_fails(exposition_finish(&e, write_counts, &(int){ 0 }), ERROR_NOT_FOUND);
	exposition_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_answers_requests_for_metrics_alone),
		cmocka_unit_test(a_file_is_replaced_when_its_timer_ticks),
		cmocka_unit_test(what_cannot_be_opened_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
