#include "heap/processes.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "capture/workload.h"
#include "config.h"
#include "heap/leaks.h"
#include "sys/limits.h"
#include "sys/process_files.h"
#include "sys/signals.h"
#include "sys/sys.h"

#define NOFILE  65536
#define WAITING 128 /* limit of pending connections */

/* A process image: from fork or exec to the next exec or the end. */
struct image {
	uint32_t pid;
	int region_fd, pid_fd;
	struct heap_leaks leaks;
	bool knows_leaks;
};

struct processes {
	const struct heap_run *run;
	struct heap *heap;
	char *dir, *socket;
	int listen_fd;
	struct signals signals;
	struct workload workload;
	VEC(struct image) images;
	uint64_t next_snapshot_ns;
};

static uint64_t now_ns(void)
{
	return sys_clock_ns(sys_live(), CLOCK_MONOTONIC);
}

/* ---- what the command is given ---- */

static struct strobe_error *find_library(char **ret)
{
	_cleanup_free_ char *program = process_program();
	char *slash = program ? strrchr(program, '/') : NULL;
	_cleanup_free_ char *beside = slash ? xasprintf("%.*s/" ALLOC_LIBRARY, (int)(slash - program), program) : NULL;
	const char *const tries[] = { beside, STROBE_LIBDIR "/" ALLOC_LIBRARY };
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		if (!tries[i] || access(tries[i], R_OK))
			continue;
		if (strpbrk(tries[i], " :"))
			return error_create(ERROR_UNSUPPORTED, "'%s' cannot be preloaded: its path has a blank or a colon", tries[i]);
		*ret = xstrdup(tries[i]);
		return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "cannot find " ALLOC_LIBRARY " next to strobe or in " STROBE_LIBDIR);
}

/* Set in our own environment, which the command inherits. */
static struct strobe_error *set_environment(const struct processes *p)
{
	const struct heap_settings *s = &p->run->settings;
	_cleanup_strbuf_ struct strbuf preload = {}, settings = {};
	_cleanup_free_ char *library = NULL;
	const char *others = getenv("LD_PRELOAD");
	TRY(find_library(&library));
	strbuf_addf(&preload, "%s%s%s", library, others && *others ? ":" : "", others ? others : "");
	strbuf_addf(&settings, "socket=%s,rate=%llu", p->socket, (unsigned long long)s->rate);
	if (s->depth)
		strbuf_addf(&settings, ",depth=%llu", (unsigned long long)s->depth);
	if (s->seed)
		strbuf_addf(&settings, ",seed=%llu", (unsigned long long)s->seed);
	if (s->leaks)
		strbuf_addstr(&settings, ",leaks");
	if (s->mmap)
		strbuf_addstr(&settings, ",mmap");
	setenv("LD_PRELOAD", strbuf_str(&preload), 1);
	setenv(ALLOC_ENV, strbuf_str(&settings), 1);
	return NULL;
}

static struct strobe_error *listen_in_private(struct processes *p)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
	const char *parents[] = { runtime && *runtime == '/' ? runtime : NULL, temporary && *temporary == '/' ? temporary : NULL, "/tmp" };
	for (size_t i = 0; i < sizeof(parents) / sizeof(*parents) && !p->dir; i++) {
		char *dir = parents[i] ? xasprintf("%s/strobe-heap-XXXXXX", parents[i]) : NULL;
		if (dir && strlen(dir) + sizeof("/socket") < sizeof(address.sun_path) && mkdtemp(dir))
			p->dir = dir;
		else
			free(dir);
	}
	if (!p->dir)
		return error_errno(errno, "cannot create a private directory in /tmp");
	p->socket = xasprintf("%s/socket", p->dir);
	strcpy(address.sun_path, p->socket);
	p->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->listen_fd < 0 || bind(p->listen_fd, (struct sockaddr *)&address, sizeof(address)) || listen(p->listen_fd, WAITING))
		return error_errno(errno, "cannot listen at %s", p->socket);
	return NULL;
}

/* ---- images ---- */

/* Calls fn with the image's region; reports errors. */
static void with_region(const struct session_host *host, struct image *image,
			struct strobe_error *(*fn)(void *ctx, struct image *image, const struct heap_region *r), void *ctx)
{
	struct filemap map;
	struct heap_region region;
	_cleanup_free_ char *name = xasprintf("process %u", image->pid);
	struct strobe_error *err = filemap_open_fd(&map, image->region_fd, name);
	if (!err) {
		err = heap_region_open(&region, map.data, map.bytes, name);
		if (!err)
			err = error_prefix(fn(ctx, image, &region), "%s", name);
		filemap_close(&map);
	}
	if (err)
		session_say(host, "%s", err->message);
	error_destroy(err);
}

static struct strobe_error *add_region(void *ctx, struct image *image, const struct heap_region *r)
{
	heap_add(ctx, r, image->pid, image->knows_leaks ? &image->leaks : NULL);
	return NULL;
}

static void add_to_heap(struct heap *heap, const struct session_host *host, struct image *image)
{
	with_region(host, image, add_region, heap);
}

static struct strobe_error *find_leaks(void *ctx, struct image *image, const struct heap_region *r)
{
	static const struct heap_leaks_options all;
	TRY(heap_leaks_find(image->pid, r, &all, &image->leaks));
	image->knows_leaks = true;
	return NULL;
}

static void close_image(struct image *image)
{
	close(image->region_fd);
	if (image->pid_fd >= 0)
		close(image->pid_fd);
	heap_leaks_deinit(&image->leaks);
}

static void finish_image(struct processes *p, size_t i)
{
	add_to_heap(p->heap, p->run->host, &p->images.data[i]);
	close_image(&p->images.data[i]);
	p->images.data[i] = vec_last(&p->images);
	p->images.len--;
}

static struct image *find_image(struct processes *p, uint32_t pid)
{
	for (size_t i = 0; i < p->images.len; i++)
		if (p->images.data[i].pid == pid)
			return &p->images.data[i];
	return NULL;
}

static void take_region(struct processes *p, uint32_t pid, int fd)
{
	struct image *before = find_image(p, pid);
	if (before)
		finish_image(p, (size_t)(before - p->images.data));
	struct image image = { .pid = pid, .region_fd = fd, .pid_fd = (int)syscall(SYS_pidfd_open, pid, 0) };
	bool has_ended = image.pid_fd < 0 && errno == ESRCH;
	vec_push(&p->images, image);
	if (has_ended)
		finish_image(p, p->images.len - 1);
}

static void take_leaks(struct processes *p, uint32_t pid)
{
	struct image *image = find_image(p, pid);
	if (image && !image->knows_leaks)
		with_region(p->run->host, image, find_leaks, NULL);
}

/* ---- messages ---- */

static int descriptor_of(struct msghdr *m)
{
	int fd = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Reads one message and answers it; the process waits for the answer if leaks are searched. */
static void serve(struct processes *p, int fd)
{
	char what = 0;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = { &what, 1 };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	struct ucred peer;
	socklen_t peer_bytes = sizeof(peer);
	struct timeval wait = { .tv_sec = 2 };
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (recvmsg(fd, &m, MSG_CMSG_CLOEXEC) != 1 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_bytes))
		return;
	int region_fd = descriptor_of(&m);
	if (what == 'r' && region_fd >= 0) {
		take_region(p, (uint32_t)peer.pid, take_fd(region_fd));
	} else if (what == 'l') {
		take_leaks(p, (uint32_t)peer.pid);
	}
	if (region_fd >= 0)
		close(region_fd);
	send(fd, &what, 1, MSG_NOSIGNAL);
}

static void serve_all(struct processes *p)
{
	for (int fd; (fd = accept4(p->listen_fd, NULL, NULL, SOCK_CLOEXEC)) >= 0; close(fd))
		serve(p, fd);
}

/* ---- the run ---- */

static struct strobe_error *take_snapshot(struct processes *p)
{
	struct heap heap;
	p->next_snapshot_ns += p->run->settings.snapshot_ns;
	heap_init(&heap, true);
	for (size_t i = 0; i < p->images.len; i++)
		add_to_heap(&heap, p->run->host, &p->images.data[i]);
	struct strobe_error *err = heap.processes.len ? p->run->snapshot(p->run->ctx, &heap) : NULL;
	heap_deinit(&heap);
	return err;
}

/* Waits for a message, the end of a process, a signal, or the time of a snapshot. */
static void wait_for_more(struct processes *p)
{
	VEC(struct pollfd) fds = {};
	int timeout_ms = -1;
	vec_push(&fds, ((struct pollfd){ .fd = p->listen_fd, .events = POLLIN }));
	vec_push(&fds, ((struct pollfd){ .fd = p->signals.fd, .events = POLLIN }));
	for (size_t i = 0; i < p->images.len; i++)
		vec_push(&fds, ((struct pollfd){ .fd = p->images.data[i].pid_fd, .events = POLLIN }));
	if (p->run->settings.snapshot_ns) {
		uint64_t now = now_ns();
		timeout_ms = now >= p->next_snapshot_ns ? 0 : (int)((p->next_snapshot_ns - now) / 1000000 + 1);
	}
	poll(fds.data, fds.len, timeout_ms);
	for (size_t i = p->images.len; i--;)
		if (fds.data[2 + i].revents)
			finish_image(p, i);
	vec_deinit(&fds);
}

/* Ctrl-C also reaches the command, which may handle it; other signals end us. */
static bool is_over(struct processes *p)
{
	for (int number; (number = signals_next(&p->signals));)
		if (number != SIGCHLD && number != SIGINT)
			workload_terminate(&p->workload);
	return workload_reap(&p->workload, false);
}

static struct strobe_error *run_to_the_end(struct processes *p)
{
	static const int more[] = { SIGCHLD, 0 };
	TRY(listen_in_private(p));
	TRY(set_environment(p));
	TRY(signals_open(&p->signals, more));
	struct workload_options options = workload_options_of(&p->signals);
	options.stdout_to_stderr = p->run->stdout_to_stderr;
	TRY(workload_fork(p->run->command, options, &p->workload));
	sys_raise_nofile(NOFILE);
	p->next_snapshot_ns = now_ns() + p->run->settings.snapshot_ns;
	TRY(workload_start(&p->workload));
	while (!is_over(p)) {
		wait_for_more(p);
		serve_all(p);
		if (p->run->settings.snapshot_ns && now_ns() >= p->next_snapshot_ns)
			TRY(take_snapshot(p));
	}
	serve_all(p);
	while (p->images.len)
		finish_image(p, p->images.len - 1);
	return NULL;
}

struct strobe_error *heap_run_command(const struct heap_run *run, struct heap *heap, int *ret_status)
{
	struct processes p = { .run = run, .heap = heap, .listen_fd = -1, .signals = SIGNALS_NONE };
	struct strobe_error *err = run_to_the_end(&p);
	workload_end(&p.workload);
	*ret_status = p.workload.status;
	signals_close(&p.signals);
	for (size_t i = 0; i < p.images.len; i++)
		close_image(&p.images.data[i]);
	vec_deinit(&p.images);
	if (p.listen_fd >= 0)
		close(p.listen_fd);
	if (p.socket)
		unlink(p.socket);
	if (p.dir)
		rmdir(p.dir);
	free(p.socket);
	free(p.dir);
	return err;
}
