#include "counting/exposition.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/text.h"

#define REQUEST_BYTES 4096
/* A scraper sends its request at once; slower clients are dropped, since counting waits meanwhile. */
#define CLIENT_WAIT_MS 200

/* "[ADDRESS:]PORT"; false: not an address. */
static bool parse_address(const char *text, struct sockaddr_in *ret)
{
	uint64_t port;
	const char *colon = strrchr(text, ':');
	_cleanup_free_ char *address = colon ? xstrndup(text, (size_t)(colon - text)) : xstrdup("127.0.0.1");
	if (!text_to_u64(colon ? colon + 1 : text, &port) || !port || port > UINT16_MAX)
		return false;
	*ret = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	return inet_pton(AF_INET, address, &ret->sin_addr) == 1;
}

static struct strobe_error *listen_on(struct exposition *e, const char *text, const struct sockaddr_in *address)
{
	e->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (e->listen_fd < 0)
		return error_errno(errno, "--prometheus: cannot create a socket");
	setsockopt(e->listen_fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (bind(e->listen_fd, (const struct sockaddr *)address, sizeof(*address)) || listen(e->listen_fd, 8))
		return error_errno(errno, "--prometheus: cannot listen on %s", text);
	return NULL;
}

struct strobe_error *exposition_open(struct exposition *e, const char *text)
{
	struct sockaddr_in address;
	*e = EXPOSITION_NONE;
	if (parse_address(text, &address))
		return listen_on(e, text, &address);
	e->file = text;
	e->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct itimerspec spec = { .it_value = { .tv_nsec = 1 }, .it_interval = { .tv_sec = 1 } };
	if (e->timer_fd < 0 || timerfd_settime(e->timer_fd, 0, &spec, NULL))
		return error_errno(errno, "cannot set a timer");
	return NULL;
}

void exposition_close(struct exposition *e)
{
	if (e->listen_fd >= 0)
		close(take_fd(e->listen_fd));
	if (e->timer_fd >= 0)
		close(take_fd(e->timer_fd));
}

/* Readers see the old file or the complete new one. */
static struct strobe_error *replace_file(const char *path, const char *text, size_t n)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	TRY(new_file_create(path, &file));
	TRY(file_write_fd(file.fd, path, text, n));
	return new_file_keep(&file, 0644);
}

/* Reads the head of a request; false: not received in time. */
static bool read_request(int fd, char *request)
{
	struct timeval wait = { .tv_usec = CLIENT_WAIT_MS * 1000 };
	size_t len = 0;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	while (len < REQUEST_BYTES - 1) {
		ssize_t n = recv(fd, request + len, REQUEST_BYTES - 1 - len, 0);
		if (n <= 0)
			return false;
		len += (size_t)n;
		request[len] = '\0';
		if (strstr(request, "\r\n\r\n") || strstr(request, "\n\n"))
			return true;
	}
	return false;
}

static void answer(int fd, const char *status, const char *body, size_t n)
{
	_cleanup_free_ char *head = xasprintf("HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
					      "Content-Length: %zu\r\nConnection: close\r\n\r\n", status, n);
	ssize_t sent = send(fd, head, strlen(head), MSG_NOSIGNAL | MSG_MORE);
	for (size_t at = 0; sent >= 0 && at < n; at += (size_t)sent)
		sent = send(fd, body + at, n - at, MSG_NOSIGNAL);
}

static struct strobe_error *answer_with_counts(int fd, exposition_writer *write, void *ctx)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	struct strobe_error *err = write(ctx, &out);
	const char *body = out_mem(&out, &n);
	if (!err)
		answer(fd, "200 OK", body, n);
	error_destroy(out_close(&out));
	return err;
}

static struct strobe_error *serve_client(struct exposition *e, exposition_writer *write, void *ctx)
{
	char request[REQUEST_BYTES];
	_cleanup_close_ int fd = accept4(e->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0 || !read_request(fd, request))
		return NULL;
	bool get = text_has_prefix(request, "GET ");
	const char *path = request + 4;
	if (get && (text_has_prefix(path, "/metrics") || text_has_prefix(path, "/ ")))
		return answer_with_counts(fd, write, ctx);
	const char *body = get ? "counts are at /metrics\n" : "only GET is supported\n";
	answer(fd, get ? "404 Not Found" : "405 Method Not Allowed", body, strlen(body));
	return NULL;
}

static struct strobe_error *write_file(struct exposition *e, exposition_writer *write, void *ctx)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	struct strobe_error *err = write(ctx, &out);
	const char *text = out_mem(&out, &n);
	if (!err)
		err = error_prefix(replace_file(e->file, text, n), "--prometheus");
	error_destroy(out_close(&out));
	return err;
}

struct strobe_error *exposition_serve(struct exposition *e, exposition_writer *write, void *ctx)
{
	uint64_t ticks;
	if (e->listen_fd >= 0)
		return serve_client(e, write, ctx);
	return read(e->timer_fd, &ticks, sizeof(ticks)) > 0 ? write_file(e, write, ctx) : NULL;
}

struct strobe_error *exposition_finish(struct exposition *e, exposition_writer *write, void *ctx)
{
	return e->file ? write_file(e, write, ctx) : NULL;
}
