#include "remote/remote_record.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "remote/binary.h"
#include "remote/shell.h"
#include "remote/ssh.h"
#include "sys/signals.h"
#include "transfer/archive.h"

/* Marks the name of the directory there: safe for a shell, and safe to remove with its contents. */
#define DIR_PREFIX "strobe-dir "
#define MAKE_DIRECTORY "echo \"" DIR_PREFIX "$(mktemp -d \"${TMPDIR:-/tmp}/strobe-record-XXXXXXXX\")\""
/* $0: the directory, $1: strobe. Writes the archive to standard output. */
#define PACK \
	"\"$1\" --buildid-dir \"$0/ids\" archive --all -i \"$0/perf.data\" -o \"$0/all.tar.zst\" >/dev/null && cat \"$0/all.tar.zst\""

struct run {
	const struct session_host *host;
	const struct remote_record *r;
	struct ssh *ssh;
	char *strobe; /* there */
	char *dir;    /* likewise: for this recording; removed at the end */
	struct signals signals;
};

static struct strobe_error *make_directory(struct run *u)
{
	_cleanup_strbuf_ struct strbuf line = {}, answer = {};
	shell_add_words(&line, (const char *const[]){ "sh", "-c", MAKE_DIRECTORY, NULL });
	TRY(ssh_read(u->ssh, strbuf_str(&line), &answer, "create a directory"));
	const char *dir = strstr(strbuf_str(&answer), DIR_PREFIX "/");
	size_t n = dir ? strcspn(dir, "\n") : 0;
	if (!dir || !memmem(dir, n, "/strobe-record-", 15))
		return error_create(ERROR_IO, "cannot create a directory on %s", u->r->destination);
	u->dir = xstrndup(dir + strlen(DIR_PREFIX), n - strlen(DIR_PREFIX));
	return NULL;
}

/* Run by a shell, so that a signal that ends the recorder becomes an exit status. */
static void recorder_line(const struct run *u, struct strbuf *line)
{
	_cleanup_strbuf_ struct strbuf words = {}, script = {};
	_cleanup_free_ char *pid = xasprintf("%s/pid", u->dir), *ids = xasprintf("%s/ids", u->dir),
			    *output = xasprintf("%s/perf.data", u->dir);
	shell_add_words(&words, (const char *const[]){ "sh", "-c", "echo $$ >\"$0\" && exec \"$@\"", pid, u->strobe, "--buildid-dir", ids,
						       "record", NULL });
	shell_add_words(&words, u->r->options);
	shell_add_words(&words, (const char *const[]){ "-o", output, u->r->had_dashes ? "--" : NULL, NULL });
	if (u->r->command)
		shell_add_words(&words, u->r->command);
	strbuf_addf(&script, "%s; exit $?", strbuf_str(&words));
	shell_add_words(line, (const char *const[]){ "sh", "-c", strbuf_str(&script), NULL });
}

static void forward(const struct run *u, int number)
{
	_cleanup_strbuf_ struct strbuf line = {}, script = {};
	strbuf_addf(&script, "kill -%d \"$(cat \"$0/pid\")\"", number);
	shell_add_words(&line, (const char *const[]){ "sh", "-c", strbuf_str(&script), u->dir, NULL });
	/* It may have ended already. */
	error_destroy(ssh_run(u->ssh, strbuf_str(&line), -1, -1, "stop the recording"));
}

static struct strobe_error *record(struct run *u, int *ret_status)
{
	_cleanup_strbuf_ struct strbuf line = {};
	pid_t pid;
	int waited = 0;
	bool was_forwarded = false;
	recorder_line(u, &line);
	TRY(ssh_start(u->ssh, strbuf_str(&line), -1, -1, &pid));
	for (pid_t ended = 0; ended != pid;) {
		struct pollfd p = { .fd = u->signals.fd, .events = POLLIN };
		poll(&p, 1, -1);
		int number = signals_next(&u->signals);
		if (number && number != SIGCHLD && was_forwarded)
			kill(pid, SIGKILL);
		else if (number && number != SIGCHLD)
			forward(u, number);
		was_forwarded |= number && number != SIGCHLD;
		ended = waitpid(pid, &waited, WNOHANG);
		if (ended < 0)
			return error_errno(errno, "cannot wait for ssh");
	}
	*ret_status = ssh_status(waited);
	return NULL;
}

static struct strobe_error *has_recording(const struct run *u, bool *ret)
{
	_cleanup_strbuf_ struct strbuf line = {}, answer = {};
	shell_add_words(&line, (const char *const[]){ "sh", "-c", "test -e \"$0/perf.data\" && echo recorded; true", u->dir, NULL });
	TRY(ssh_read(u->ssh, strbuf_str(&line), &answer, "look for the recording"));
	*ret = strstr(strbuf_str(&answer), "recorded") != NULL;
	return NULL;
}

/* Like record itself does with an older recording of that name. */
static struct strobe_error *make_way(const char *output)
{
	_cleanup_free_ char *old = xasprintf("%s.old", output);
	if (rename(output, old) && errno != ENOENT)
		return error_errno(errno, "cannot move the older %s to %s", output, old);
	return NULL;
}

static struct strobe_error *fetch(const struct run *u)
{
	_cleanup_strbuf_ struct strbuf line = {};
	_cleanup_free_ char *name = xasprintf("%s.tar.zst", u->r->output), *recording = NULL;
	_cleanup_new_file_ struct new_file archive = NEW_FILE_NONE; /* always deleted */
	TRY(new_file_create(name, &archive));
	shell_add_words(&line, (const char *const[]){ "sh", "-c", PACK, u->dir, u->strobe, NULL });
	TRY(ssh_run(u->ssh, strbuf_str(&line), -1, archive.fd, "pack the recording"));
	if (lseek(archive.fd, 0, SEEK_SET))
		return error_errno(errno, "cannot read %s", name);
	TRY(make_way(u->r->output));
	const struct archive_options o = { .unpack = true, .force = true, .recording = u->r->output };
	return archive_unpack_fd(u->host, &o, archive.fd, u->r->destination, &recording);
}

static void clean(struct run *u)
{
	_cleanup_strbuf_ struct strbuf line = {};
	if (!u->dir)
		return;
	shell_add_words(&line, (const char *const[]){ "rm", "-rf", "--", u->dir, NULL });
	struct strobe_error *err = ssh_run(u->ssh, strbuf_str(&line), -1, -1, "remove the recording");
	if (err)
		session_say(u->host, "%s: %s is left there", err->message, u->dir);
	error_destroy(err);
}

static struct strobe_error *run(struct run *u, int *ret_status, bool *ret_recorded)
{
	TRY(ssh_create(u->r->destination, &u->ssh));
	TRY(remote_binary(u->host, u->ssh, u->r->destination, &u->strobe));
	TRY(make_directory(u));
	TRY(record(u, ret_status));
	TRY(has_recording(u, ret_recorded));
	return *ret_recorded ? fetch(u) : NULL;
}

struct strobe_error *remote_record_run(const struct session_host *host, const struct remote_record *r, int *ret_status, bool *ret_recorded)
{
	struct run u = { .host = host, .r = r, .signals = SIGNALS_NONE };
	*ret_status = 0;
	*ret_recorded = false;
	struct strobe_error *err = signals_open(&u.signals, (int[]){ SIGCHLD, 0 });
	if (!err)
		err = run(&u, ret_status, ret_recorded);
	if (err)
		*ret_recorded = false;
	clean(&u);
	ssh_destroy(u.ssh);
	free(u.strobe);
	free(u.dir);
	signals_close(&u.signals);
	return err;
}
