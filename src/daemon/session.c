#include "daemon/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/settings.h"

#define ANSWER_MS 3000
#define END_TRIES 1000
#define END_US    10000

static struct strobe_error *make_fifo(const char *directory, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", directory, name);
	unlink(path);
	return mkfifo(path, 0600) ? error_errno(errno, "cannot create %s", path) : NULL;
}

static _Noreturn void become_recording(const struct daemon_session *s, const struct daemon_child *child, char **argv)
{
	static const char output[] = "output";
	if (chdir(s->directory))
		_exit(1);
	int in = open("/dev/null", O_RDONLY), out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(1);
	close_range(3, ~0U, 0);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	execv(child->program, argv);
	_exit(127);
}

static struct strobe_error *run(struct daemon_session *s, const struct daemon_child *child)
{
	_cleanup_(arena_deinit) struct arena arena;
	char **words;
	size_t n = 0;
	arena_init(&arena);
	TRY(daemon_words(&arena, s->run, &words));
	while (words[n])
		n++;
	char **argv = arena_alloc(&arena, (n + 4) * sizeof(*argv));
	argv[0] = arena_strdup(&arena, child->program);
	argv[1] = arena_strdup(&arena, "record");
	argv[2] = arena_strdup(&arena, "--control=fifo:control,ack");
	memcpy(argv + 3, words, (n + 1) * sizeof(*argv));
	s->pid = fork();
	if (!s->pid)
		become_recording(s, child, argv);
	if (s->pid > 0)
		return NULL;
	s->pid = 0;
	return error_errno(errno, "cannot start a process");
}

struct strobe_error *daemon_session_start(struct daemon_session *s, const char *base, const char *name, const char *run_options,
					  const struct daemon_child *child)
{
	*s = (struct daemon_session){ .name = xstrdup(name), .run = xstrdup(run_options), .since = time(NULL) };
	s->directory = xasprintf("%s/session-%s", base, name);
	TRY(file_make_dirs(s->directory));
	TRY(make_fifo(s->directory, "control"));
	TRY(make_fifo(s->directory, "ack"));
	return run(s, child);
}

void daemon_session_deinit(struct daemon_session *s)
{
	free(s->name);
	free(s->run);
	free(s->directory);
	*s = (struct daemon_session){};
}

bool daemon_session_answers(const struct daemon_session *s)
{
	static const char ping[] = "ping\n", due[] = "ack\n";
	_cleanup_free_ char *control = xasprintf("%s/control", s->directory), *ack = xasprintf("%s/ack", s->directory);
	_cleanup_close_ int from = open(ack, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_close_ int to = open(control, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	char answer[16];
	if (!s->pid || from < 0 || to < 0 || write(to, ping, sizeof(ping) - 1) != sizeof(ping) - 1)
		return false;
	struct pollfd p = { .fd = from, .events = POLLIN };
	if (poll(&p, 1, ANSWER_MS) <= 0)
		return false;
	ssize_t n = read(from, answer, sizeof(answer));
	return n >= (ssize_t)sizeof(due) - 1 && !memcmp(answer, due, sizeof(due) - 1);
}

int daemon_session_stop(struct daemon_session *s)
{
	int status = 0;
	pid_t pid = s->pid;
	if (!pid)
		return 0;
	kill(pid, SIGTERM);
	for (unsigned i = 0; i < END_TRIES; i++) {
		if (waitpid(pid, &status, WNOHANG)) {
			s->pid = 0;
			return status;
		}
		usleep(END_US);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	s->pid = 0;
	return status;
}
