#include "profiler/serve.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "profiler/pages.h"
#include "profiler/request.h"

#define EXPORT __attribute__((visibility("default")))
#define CONNECTIONS_MOST  16
#define REQUEST_MS	  5000
#define ANSWER_MS	  60000
#define THREAD_BYTES	  ((size_t)512 * 1024)
#define ADDRESS_TEXT_MOST 64

static struct {
	pthread_mutex_t control;
	int fd; /* -1: not serving */
	int connections;
	bool has_handler;
} server = { .control = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

/* ---- bytes, until a time ---- */

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool wait_until(int fd, short events, int64_t end_ms)
{
	int64_t left = end_ms - now_ms();
	struct pollfd p = { .fd = fd, .events = events };
	return left > 0 && poll(&p, 1, (int)left) > 0;
}

/* Receives bytes; 0 at the end or after the time. */
static size_t receive(int fd, char *to, size_t most, int64_t end_ms)
{
	ssize_t n;
	do {
		if (!most || !wait_until(fd, POLLIN, end_ms))
			return 0;
		n = recv(fd, to, most, MSG_DONTWAIT);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n > 0 ? (size_t)n : 0;
}

static bool send_all(int fd, const char *bytes, size_t n, int64_t end_ms)
{
	while (n && wait_until(fd, POLLOUT, end_ms)) {
		ssize_t done = send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return !n;
}

/* ---- an answer ---- */

static const char *reason_of(int status)
{
	static const struct {
		int status;
		const char *reason;
	} reasons[] = {
		{ 200, "OK" }, { 400, "Bad Request" }, { 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 408, "Request Timeout" }, { 413, "Content Too Large" }, { 414, "URI Too Long" },
		{ 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" }, { 501, "Not Implemented" },
		{ 503, "Service Unavailable" },
	};
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Error";
}

/* SIGPIPE is blocked in this thread, like all signals. */
static void send_reply(int fd, const struct reply *r)
{
	char head[512];
	int64_t end_ms = now_ms() + ANSWER_MS;
	off_t bytes = lseek(r->fd, 0, SEEK_END), at = 0;
	int n = snprintf(head, sizeof(head),
			 "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\nX-Content-Type-Options: nosniff\r\n"
			 "Content-Security-Policy: default-src 'none'\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
			 r->status, reason_of(r->status), r->type, (long long)bytes);
	if (!send_all(fd, head, (size_t)n, end_ms))
		return;
	while (at < bytes && wait_until(fd, POLLOUT, end_ms)) {
		ssize_t sent = sendfile(fd, r->fd, &at, (size_t)(bytes - at));
		if (sent <= 0 && errno != EINTR && errno != EAGAIN)
			return;
	}
	/* If the peer still sends data, closing would make its kernel drop the unread response. */
	shutdown(fd, SHUT_WR);
	while (receive(fd, head, sizeof(head), now_ms() + 1000 < end_ms ? now_ms() + 1000 : end_ms))
		;
}

/* ---- a request ---- */

static char *receive_body(int fd, const struct request *r, const char *had, size_t had_bytes, int64_t end_ms)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	char *body = malloc(r->body_bytes + 1);
	size_t got = had_bytes < r->body_bytes ? had_bytes : r->body_bytes, n;
	if (!body || (r->expects_continue && !send_all(fd, go_on, sizeof(go_on) - 1, end_ms))) {
		free(body);
		return NULL;
	}
	memcpy(body, had, got);
	while ((n = receive(fd, body + got, r->body_bytes - got, end_ms)))
		got += n;
	body[got] = 0;
	if (got == r->body_bytes)
		return body;
	free(body);
	return NULL;
}

static void answer(int fd, struct reply *ret)
{
	char bytes[REQUEST_HEAD_MOST];
	struct request head;
	size_t got = 0, head_bytes = 0, n;
	int64_t end_ms = now_ms() + REQUEST_MS;
	while (!head_bytes && (n = receive(fd, bytes + got, sizeof(bytes) - got, end_ms))) {
		got += n;
		head_bytes = request_head_bytes(bytes, got);
	}
	int status = head_bytes ? request_parse(bytes, head_bytes, &head) : got == sizeof(bytes) ? 431 : 408;
	if (status) {
		pages_refuse(ret, status, reason_of(status));
		return;
	}
	if (!request_is_local(&head)) {
		pages_refuse(ret, 403, "only for programs of this machine: localhost, 127.0.0.1 or [::1]");
		return;
	}
	char *body = receive_body(fd, &head, bytes + head_bytes, got - head_bytes, end_ms);
	if (body)
		pages_write(&(struct page_request){ .head = &head, .body = body, .connection = fd }, ret);
	else
		pages_refuse(ret, 408, reason_of(408));
	free(body);
}

static void *serve_one(void *arg)
{
	int fd = (int)(intptr_t)arg;
	struct reply r = { .status = 200, .type = "text/plain; charset=utf-8", .fd = memfd_create("strobe-page", MFD_CLOEXEC) };
	prctl(PR_SET_NAME, "strobe_page", 0, 0, 0);
	if (r.fd >= 0) {
		answer(fd, &r);
		send_reply(fd, &r);
		close(r.fd);
	}
	close(fd);
	__atomic_fetch_sub(&server.connections, 1, __ATOMIC_ACQ_REL);
	return NULL;
}

/* ---- listening ---- */

static int start_thread(void *(*run)(void *), intptr_t arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, THREAD_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, &attr, run, (void *)arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

static void *listen_on(void *arg)
{
	static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
	int listening = (int)(intptr_t)arg;
	prctl(PR_SET_NAME, "strobe_serve", 0, 0, 0);
	for (;;) {
		int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0) {
			/* Probably out of descriptors or memory: retries later. */
			nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
			continue;
		}
		bool has_room = __atomic_add_fetch(&server.connections, 1, __ATOMIC_ACQ_REL) <= CONNECTIONS_MOST;
		if (has_room && !start_thread(serve_one, fd))
			continue;
		__atomic_fetch_sub(&server.connections, 1, __ATOMIC_ACQ_REL);
		(void)send(fd, busy, sizeof(busy) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

/* A child of fork() inherits the descriptors but not the threads. */
/* glibc's pthread_atfork() is linked statically and calls this function, which musl lacks. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static int call_in_children(void (*fn)(void))
{
	if (__register_atfork)
		return __register_atfork(NULL, NULL, fn, &__dso_handle);
	int (*at_fork)(void (*)(void), void (*)(void), void (*)(void));
	*(void **)&at_fork = dlsym(RTLD_DEFAULT, "pthread_atfork");
	return at_fork ? at_fork(NULL, NULL, fn) : ENOSYS;
}

static void close_in_child(void)
{
	if (server.fd >= 0)
		close(server.fd);
	server.fd = -1;
	server.connections = 0;
	pthread_mutex_init(&server.control, NULL);
}

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Parses 127.0.0.1:6060, localhost:6060, :6060, [::1]:6060; returns 0 or an error. */
static int parse_address(const char *text, union address *ret, socklen_t *ret_bytes)
{
	char host[ADDRESS_TEXT_MOST];
	const char *colon = strrchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : sizeof(host), digits = colon ? strspn(colon + 1, "0123456789") : 0;
	if (n >= sizeof(host) || !digits || digits > 5 || colon[1 + digits] || atoi(colon + 1) > UINT16_MAX)
		return EINVAL;
	memcpy(host, text, n);
	host[n] = 0;
	in_port_t port = htons((uint16_t)atoi(colon + 1));
	*ret = (union address){};
	if (!n || !strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (inet_pton(AF_INET, host, &ret->v4.sin_addr) == 1) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = port;
		*ret_bytes = sizeof(ret->v4);
		return ntohl(ret->v4.sin_addr.s_addr) >> 24 == 127 ? 0 : EACCES;
	}
	if (n < 2 || host[0] != '[' || host[n - 1] != ']')
		return EINVAL;
	host[n - 1] = 0;
	*ret = (union address){};
	if (inet_pton(AF_INET6, host + 1, &ret->v6.sin6_addr) != 1)
		return EINVAL;
	ret->v6.sin6_family = AF_INET6;
	ret->v6.sin6_port = port;
	*ret_bytes = sizeof(ret->v6);
	return IN6_IS_ADDR_LOOPBACK(&ret->v6.sin6_addr) ? 0 : EACCES;
}

/* Returns the port, or -1 with errno. */
static int listen_at(const union address *at, socklen_t bytes)
{
	union address bound;
	int fd = socket(at->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	int error = bind(fd, &at->any, bytes) || listen(fd, SOMAXCONN) || getsockname(fd, &bound.any, &bytes) ? errno : 0;
	if (!error)
		error = start_thread(listen_on, fd);
	if (error) {
		close(fd);
		errno = error;
		return -1;
	}
	server.fd = fd;
	return ntohs(bound.any.sa_family == AF_INET ? bound.v4.sin_port : bound.v6.sin6_port);
}

EXPORT int strobe_serve(const char *address)
{
	union address at;
	socklen_t bytes;
	int port = -1, error = getauxval(AT_SECURE) ? EPERM : parse_address(address, &at, &bytes);
	pthread_mutex_lock(&server.control);
	if (!error && server.fd >= 0)
		error = EALREADY;
	if (!error && !server.has_handler)
		server.has_handler = !call_in_children(close_in_child);
	if (!error)
		port = listen_at(&at, bytes);
	pthread_mutex_unlock(&server.control);
	if (error)
		errno = error;
	return port;
}

/* The first process with the variable takes the port: its children do not serve. */
static __attribute__((constructor)) void begin(void)
{
	const char *address = getenv("STROBE_SERVE");
	if (!address || !*address || getauxval(AT_SECURE) || strobe_serve(address) >= 0 || errno == EADDRINUSE)
		return;
	dprintf(STDERR_FILENO, "strobe_profiler: cannot serve at STROBE_SERVE=%.100s: %s\n", address, strerror(errno));
}
