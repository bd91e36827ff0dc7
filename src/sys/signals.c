#include "sys/signals.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"

static bool is_ignored(int number)
{
	struct sigaction now;
	return !sigaction(number, NULL, &now) && now.sa_handler == SIG_IGN;
}

struct strobe_error *signals_open(struct signals *s, const int *more)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!is_ignored(SIGHUP))
		sigaddset(&set, SIGHUP);
	for (; more && *more; more++)
		sigaddset(&set, *more);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return error_errno(errno, "cannot wait for signals");
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	/* If our parent ignored it, no end of a child would be signalled. Programs that we start get the default, too. */
	signal(SIGCHLD, SIG_DFL);
	s->old_sigpipe = signal(SIGPIPE, SIG_IGN);
	return NULL;
}

int signals_next(const struct signals *s)
{
	struct signalfd_siginfo info;
	return read(s->fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

void signals_wait(const struct signals *s, int ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	poll(&p, 1, ms);
}

void signals_close(struct signals *s)
{
	if (s->fd < 0)
		return;
	close(take_fd(s->fd));
	signal(SIGPIPE, s->old_sigpipe);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

static void do_nothing(int number)
{
}

void signals_survive_file_limit(void)
{
	/* A handler and not SIG_IGN, which exec would keep. */
	if (!is_ignored(SIGXFSZ))
		signal(SIGXFSZ, do_nothing);
}

void signals_raise(struct signals *s, int number)
{
	signals_close(s);
	signal(number, SIG_DFL);
	raise(number);
}
