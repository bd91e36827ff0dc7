#include "daemon/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "daemon/client.h"
#include "daemon/session.h"
#include "daemon/settings.h"
#include "sys/signals.h"

#define TICK_MS       1000 /* interval of checks for new settings */
#define REQUEST_MAX   512
#define REQUEST_MS    2000
#define BACKLOG       8

struct server {
	const struct daemon_server_request *q;
	struct daemon_settings settings;
	VEC(struct daemon_session) sessions;
	struct signals signals;
	struct daemon_child child;
	int lock_fd, socket_fd, log_fd;
	time_t since;
	struct timespec changed; /* modification time of the settings file */
	bool stop;
};

/* ---- log ---- */

static void say(struct server *d, const char *fmt, ...)
{
	char now[32];
	struct timespec t;
	struct tm tm;
	va_list args;
	clock_gettime(CLOCK_REALTIME, &t);
	strftime(now, sizeof(now), "%Y-%m-%d %H:%M:%S", localtime_r(&t.tv_sec, &tm));
	_cleanup_strbuf_ struct strbuf line = {};
	strbuf_addf(&line, "[%s.%06ld] ", now, t.tv_nsec / 1000);
	va_start(args, fmt);
	_cleanup_free_ char *text = xvasprintf(fmt, args);
	va_end(args);
	strbuf_addf(&line, "%s\n", text);
	_cleanup_error_ struct strobe_error *ignored = file_write_fd(d->log_fd, "the log", line.data, line.len);
}

/* ---- sessions ---- */

static void start_session(struct server *d, const struct daemon_setting *setting)
{
	struct daemon_session s;
	_cleanup_error_ struct strobe_error *err = daemon_session_start(&s, d->settings.base, setting->name, setting->run, &d->child);
	if (err) {
		say(d, "session '%s' cannot be started: %s", setting->name, err->message);
		daemon_session_deinit(&s);
		return;
	}
	say(d, "session '%s' started (pid %d): %s", s.name, (int)s.pid, s.run);
	vec_push(&d->sessions, s);
}

static void end_session(struct server *d, uint32_t i)
{
	struct daemon_session *s = &d->sessions.data[i];
	bool has_run = s->pid;
	int status = daemon_session_stop(s);
	if (has_run)
		say(d, "session '%s' exited, status=%d", s->name, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	daemon_session_deinit(s);
	d->sessions.data[i] = d->sessions.data[--d->sessions.len];
}

static bool is_running(const struct server *d, const char *name)
{
	for (uint32_t i = 0; i < d->sessions.len; i++)
		if (!strcmp(d->sessions.data[i].name, name))
			return true;
	return false;
}

/* Stops sessions that were removed or changed in the settings, and starts new ones. */
static void follow_settings(struct server *d)
{
	for (uint32_t i = (uint32_t)d->sessions.len; i-- > 0;) {
		const struct daemon_setting *setting = daemon_settings_find(&d->settings, d->sessions.data[i].name);
		if (!setting || strcmp(setting->run, d->sessions.data[i].run) != 0)
			end_session(d, i);
	}
	for (uint32_t i = 0; i < d->settings.sessions.len; i++)
		if (!is_running(d, d->settings.sessions.data[i].name))
			start_session(d, &d->settings.sessions.data[i]);
}

static void reap(struct server *d)
{
	int status;
	for (uint32_t i = 0; i < d->sessions.len; i++) {
		struct daemon_session *s = &d->sessions.data[i];
		if (!s->pid || waitpid(s->pid, &status, WNOHANG) != s->pid)
			continue;
		s->pid = 0;
		say(d, "session '%s' exited, status=%d", s->name, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	}
}

/* ---- settings ---- */

static struct timespec time_of_settings(const struct daemon_server_request *q)
{
	struct stat st;
	_cleanup_free_ char *path = q->config ? xstrdup(q->config) : config_path(CONFIG_USER);
	return path && !stat(path, &st) ? st.st_mtim : (struct timespec){};
}

static void look_at_settings(struct server *d)
{
	struct daemon_settings now;
	struct timespec changed = time_of_settings(d->q);
	if (changed.tv_sec == d->changed.tv_sec && changed.tv_nsec == d->changed.tv_nsec)
		return;
	d->changed = changed;
	/* the base cannot change: socket and lock are there */
	_cleanup_error_ struct strobe_error *err = daemon_settings_read(d->q->config, d->settings.base, &now);
	if (err) {
		say(d, "keeping the previous configuration: %s", err->message);
		daemon_settings_deinit(&now);
		return;
	}
	daemon_settings_deinit(&d->settings);
	d->settings = now;
	follow_settings(d);
}

/* ---- requests ---- */

static long minutes_since(time_t then)
{
	return (long)(time(NULL) - then) / 60;
}

static void list(const struct server *d, struct strbuf *answer)
{
	strbuf_addf(answer, "daemon\t%d\t%s\t%ld\n", (int)getpid(), d->settings.base, minutes_since(d->since));
	for (uint32_t i = 0; i < d->sessions.len; i++) {
		const struct daemon_session *s = &d->sessions.data[i];
		strbuf_addf(answer, "session\t%d\t%s\t%ld\t%s\t%s\n", (int)s->pid, s->name, minutes_since(s->since), s->directory, s->run);
	}
}

static void signal_session(const struct daemon_session *s, struct strbuf *answer)
{
	if (s->pid && !kill(s->pid, SIGUSR2))
		strbuf_addf(answer, "signal %d sent to session '%s [%d]'\n", SIGUSR2, s->name, (int)s->pid);
	else
		strbuf_addf(answer, "session '%s' has ended\n", s->name);
}

static void ping_session(const struct daemon_session *s, struct strbuf *answer)
{
	strbuf_addf(answer, "%-4s %s\n", daemon_session_answers(s) ? "OK" : "FAIL", s->name);
}

/* name "": all. */
static void each_session(const struct server *d, const char *name, void (*fn)(const struct daemon_session *s, struct strbuf *answer),
			 struct strbuf *answer)
{
	for (uint32_t i = 0; i < d->sessions.len; i++)
		if (!*name || !strcmp(d->sessions.data[i].name, name))
			fn(&d->sessions.data[i], answer);
	if (!answer->len)
		strbuf_addf(answer, "error\t%s\n", *name ? "no session has this name" : "no session runs");
}

/* As in perf, a session that is not there does not answer: scripts wait for that after it was taken out of the configuration. */
static void ping(const struct server *d, const char *name, struct strbuf *answer)
{
	for (uint32_t i = 0; i < d->sessions.len; i++)
		if (!strcmp(d->sessions.data[i].name, name))
			return ping_session(&d->sessions.data[i], answer);
	if (*name)
		strbuf_addf(answer, "FAIL %s (not found)\n", name);
	else
		each_session(d, name, ping_session, answer);
}

static void answer_request(struct server *d, char *line, struct strbuf *answer)
{
	char *name = line;
	const char *word = strsep(&name, " ");
	name = name ? name : (char[]){ 0 };
	if (!strcmp(word, "list"))
		list(d, answer);
	else if (!strcmp(word, "signal"))
		each_session(d, name, signal_session, answer);
	else if (!strcmp(word, "ping"))
		ping(d, name, answer);
	else if (!strcmp(word, "stop"))
		d->stop = true;
	else
		strbuf_addstr(answer, "error\tunknown request\n");
}

static void take_request(struct server *d)
{
	char line[REQUEST_MAX];
	_cleanup_strbuf_ struct strbuf answer = {};
	_cleanup_close_ int fd = accept4(d->socket_fd, NULL, NULL, SOCK_CLOEXEC);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	if (fd < 0 || poll(&p, 1, REQUEST_MS) <= 0)
		return;
	ssize_t n = read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	answer_request(d, line, &answer);
	_cleanup_error_ struct strobe_error *gone = file_write_fd(fd, "the client", strbuf_str(&answer), answer.len);
}

/* ---- the whole ---- */

static struct strobe_error *take_lock(struct server *d)
{
	_cleanup_free_ char *path = xasprintf("%s/lock", d->settings.base);
	char owner[32] = {};
	d->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (d->lock_fd < 0)
		return error_errno(errno, "cannot open %s", path);
	if (flock(d->lock_fd, LOCK_EX | LOCK_NB)) {
		ssize_t n = read(d->lock_fd, owner, sizeof(owner) - 1);
		return error_create(ERROR_OTHER, "another daemon (pid %.*s) runs in %s: stop it with 'daemon stop --base %s'",
				    n > 0 ? (int)strcspn(owner, "\n") : 1, n > 0 ? owner : "?", d->settings.base, d->settings.base);
	}
	_cleanup_free_ char *pid = xasprintf("%d\n", (int)getpid());
	if (ftruncate(d->lock_fd, 0))
		return error_errno(errno, "cannot write %s", path);
	return file_write_fd(d->lock_fd, path, pid, strlen(pid));
}

static struct strobe_error *listen_here(struct server *d)
{
	struct sockaddr_un address;
	TRY(daemon_address(d->settings.base, &address));
	d->socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (d->socket_fd < 0)
		return error_errno(errno, "cannot create a socket");
	unlink(address.sun_path); /* left by a killed daemon: we hold the lock */
	mode_t mask = umask(0177);
	int failed = bind(d->socket_fd, (const struct sockaddr *)&address, sizeof(address)) || listen(d->socket_fd, BACKLOG) ? errno : 0;
	umask(mask);
	return failed ? error_errno(failed, "cannot listen at %s", address.sun_path) : NULL;
}

static struct strobe_error *open_log(struct server *d)
{
	_cleanup_free_ char *path = xasprintf("%s/output", d->settings.base);
	d->log_fd = d->q->foreground ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	return d->log_fd < 0 ? error_errno(errno, "cannot open %s", path) : NULL;
}

static struct strobe_error *prepare(struct server *d)
{
	static const int more[] = { SIGCHLD, 0 };
	d->changed = time_of_settings(d->q);
	TRY(daemon_settings_read(d->q->config, d->q->base, &d->settings));
	TRY(file_make_dirs(d->settings.base));
	TRY(take_lock(d));
	TRY(open_log(d));
	TRY(signals_open(&d->signals, more));
	d->child = (struct daemon_child){ .program = d->q->program, .mask = d->signals.old_mask };
	d->since = time(NULL);
	return listen_here(d);
}

static void serve(struct server *d)
{
	say(d, "daemon started (pid %d)", (int)getpid());
	follow_settings(d);
	while (!d->stop) {
		struct pollfd fds[] = { { .fd = d->signals.fd, .events = POLLIN }, { .fd = d->socket_fd, .events = POLLIN } };
		poll(fds, 2, TICK_MS);
		for (int number; (number = signals_next(&d->signals));) {
			if (number == SIGCHLD)
				reap(d);
			else
				d->stop = true;
		}
		if (fds[1].revents & POLLIN)
			take_request(d);
		look_at_settings(d);
	}
	while (d->sessions.len)
		end_session(d, 0);
	say(d, "daemon exited");
}

static void release(struct server *d)
{
	struct sockaddr_un address;
	_cleanup_error_ struct strobe_error *too_long = d->socket_fd >= 0 ? daemon_address(d->settings.base, &address) : NULL;
	if (d->socket_fd >= 0 && !too_long)
		unlink(address.sun_path);
	const int fds[] = { d->socket_fd, d->log_fd, d->lock_fd };
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	signals_close(&d->signals);
	vec_deinit(&d->sessions);
	daemon_settings_deinit(&d->settings);
}

/* ready_fd: receives the error of a failed start, closed once requests are answered; -1: none. */
static struct strobe_error *run(const struct daemon_server_request *q, int ready_fd)
{
	struct server d = { .q = q, .signals = SIGNALS_NONE, .lock_fd = -1, .socket_fd = -1, .log_fd = -1 };
	struct strobe_error *err = prepare(&d);
	if (ready_fd >= 0) {
		const char *said = err ? err->message : "";
		_cleanup_error_ struct strobe_error *unread = file_write_fd(ready_fd, "the pipe", said, strlen(said));
		close(ready_fd);
	}
	if (!err)
		serve(&d);
	release(&d);
	return err;
}

static _Noreturn void run_in_background(const struct daemon_server_request *q, int ready_fd)
{
	int null = open("/dev/null", O_RDWR);
	setsid();
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	_cleanup_error_ struct strobe_error *err = run(q, ready_fd);
	_exit(err ? 1 : 0);
}

struct strobe_error *daemon_start(const struct daemon_server_request *q)
{
	int ends[2];
	_cleanup_strbuf_ struct strbuf said = {};
	if (q->foreground)
		return run(q, -1);
	if (pipe2(ends, O_CLOEXEC))
		return error_errno(errno, "cannot create a pipe");
	pid_t pid = fork();
	if (!pid) {
		close(ends[0]);
		run_in_background(q, ends[1]);
	}
	close(ends[1]);
	struct strobe_error *err = pid < 0 ? error_errno(errno, "cannot start a process") :
					     file_read_fd(ends[0], "the pipe", &said, REQUEST_MAX);
	close(ends[0]);
	if (!err && said.len)
		err = error_create(ERROR_OTHER, "%s", strbuf_str(&said));
	return err;
}
