#include "sys/jvm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "sys/process_files.h"

enum { WAIT_MS = 20, WAITS = 100, ANSWER_S = 5 };

/* ---- which ---- */

static bool handles_quit(uint32_t pid)
{
	char path[64], line[256];
	unsigned long long caught = 0;
	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SigCgt: %llx", &caught) == 1)
			break;
	if (f)
		fclose(f);
	return caught >> (SIGQUIT - 1) & 1;
}

static bool has_library(uint32_t pid)
{
	static const char name[] = "/libjvm.so\n";
	char path[64], *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool found = false;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	FILE *f = fopen(path, "re");
	while (f && !found && (n = getline(&line, &cap, f)) > 0)
		found = (size_t)n >= sizeof(name) && !strcmp(line + n - (sizeof(name) - 1), name);
	if (f)
		fclose(f);
	free(line);
	return found;
}

bool jvm_is(uint32_t pid)
{
	return handles_quit(pid) && has_library(pid);
}

/* ---- the socket ---- */

/* -errno if the process does not listen at such a socket. */
static int connect_to(uint32_t pid, int tmp, uint32_t inner)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct ucred peer;
	socklen_t bytes = sizeof(peer);
	struct timeval limit = { .tv_sec = ANSWER_S };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/.java_pid%u", tmp, inner);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)))
		return -errno;
	if (connect(fd, (const struct sockaddr *)&at, sizeof(at)))
		return -errno;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes))
		return -errno;
	return peer.pid == (pid_t)pid ? take_fd(fd) : -EPERM;
}

/* The JVM opens its socket on SIGQUIT if this file exists and belongs to the same user or root. */
static int wake(uint32_t pid, int tmp, uint32_t inner)
{
	char name[32];
	int fd = -ENOENT;
	snprintf(name, sizeof(name), ".attach_pid%u", inner);
	_cleanup_close_ int mark = openat(tmp, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_WRONLY, 0600);
	if (mark < 0)
		return -errno;
	if (kill((pid_t)pid, SIGQUIT))
		fd = -errno;
	for (int i = 0; i < WAITS && (fd == -ENOENT || fd == -ECONNREFUSED); i++) {
		usleep(WAIT_MS * 1000);
		fd = connect_to(pid, tmp, inner);
	}
	unlinkat(tmp, name, 0);
	return fd;
}

/* The protocol version, the command, three arguments; the reply begins with its status. */
static struct strobe_error *request_map(int fd, uint32_t pid)
{
	static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char answer[256];
	size_t n = 0;
	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != (ssize_t)sizeof(request))
		return error_errno(errno, "cannot write to the JVM (process %u)", pid);
	for (ssize_t got = 1; got > 0 && n < sizeof(answer) - 1; n += got > 0 ? (size_t)got : 0)
		got = recv(fd, answer + n, sizeof(answer) - 1 - n, 0);
	answer[n] = 0;
	if (n >= 2 && answer[0] == '0' && answer[1] == '\n')
		return NULL;
	return error_create(ERROR_UNSUPPORTED, "the JVM (process %u) has no Compiler.perfmap: JDK 17 or later has", pid);
}

struct strobe_error *jvm_write_map(uint32_t pid)
{
	uint32_t inner = process_inner_pid(pid);
	_cleanup_close_ int tmp = process_file_open(pid, "/tmp");
	if (tmp < 0)
		return error_errno(-tmp, "cannot open /tmp of the JVM (process %u)", pid);
	_cleanup_close_ int fd = connect_to(pid, tmp, inner);
	if (fd == -ENOENT || fd == -ECONNREFUSED)
		fd = wake(pid, tmp, inner);
	if (fd < 0)
		return error_errno(-fd, "cannot attach to the JVM (process %u)", pid);
	return request_map(fd, pid);
}

/* ---- all of them ---- */

static void write_one(uint32_t pid)
{
	if (!pid || !jvm_is(pid))
		return;
	struct strobe_error *err = jvm_write_map(pid);
	if (err)
		log_info("names of compiled Java code are missing: %s", err->message);
	else
		log_info("the JVM (process %u) has written the names of its compiled code", pid);
	error_destroy(err);
}

void jvm_write_maps(const char *pids)
{
	if (pids) {
		for (const char *at = pids; *at; at += strcspn(at, ","), at += *at == ',')
			write_one((uint32_t)strtoul(at, NULL, 10));
		return;
	}
	DIR *dir = opendir("/proc");
	for (struct dirent *e; dir && (e = readdir(dir));)
		write_one((uint32_t)strtoul(e->d_name, NULL, 10));
	if (dir)
		closedir(dir);
}
