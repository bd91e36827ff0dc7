#include "daemon/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/text.h"
#include "table/table.h"

#define ANSWER_MAX (1u << 20)

struct strobe_error *daemon_address(const char *base, struct sockaddr_un *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/control", base);
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(ret->sun_path))
		return error_create(ERROR_LIMIT, "%s is too long for a socket: at most %zu bytes", path, sizeof(ret->sun_path) - 1);
	memcpy(ret->sun_path, path, strlen(path) + 1);
	return NULL;
}

struct strobe_error *daemon_request(const char *base, const char *request, struct strbuf *ret)
{
	struct sockaddr_un address;
	TRY(daemon_address(base, &address));
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_errno(errno, "cannot create a socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return error_create(ERROR_NOT_FOUND, "no daemon runs in %s (%s): start one with 'daemon start'", base, strerror(errno));
	_cleanup_free_ char *line = xasprintf("%s\n", request);
	TRY(file_write_fd(fd, "the daemon's socket", line, strlen(line)));
	TRY(file_read_fd(fd, "the daemon's socket", ret, ANSWER_MAX));
	if (!text_has_prefix(strbuf_str(ret), "error\t"))
		return NULL;
	return error_create(ERROR_OTHER, "%.*s", (int)strcspn(ret->data + 6, "\n"), ret->data + 6);
}

void daemon_answer_text(struct out *out, char *answer)
{
	for (char *line; (line = strsep(&answer, "\n"));) {
		out_text_str(out, line);
		out_str(out, *line || answer ? "\n" : "");
	}
}

/* ---- the list ---- */

/* "daemon PID BASE MINUTES" or "session PID NAME MINUTES DIRECTORY OPTIONS"; PID 0: ended. */
struct row {
	const char *pid, *name, *minutes, *directory, *run;
	bool is_daemon;
};

static bool next_row(char **rest, struct row *ret)
{
	char *line = strsep(rest, "\n");
	if (!line || !*line)
		return false;
	*ret = (struct row){ .is_daemon = !strcmp(strsep(&line, "\t"), "daemon") };
	ret->pid = strsep(&line, "\t");
	ret->name = strsep(&line, "\t");
	ret->minutes = strsep(&line, "\t");
	ret->directory = ret->is_daemon ? ret->name : strsep(&line, "\t");
	ret->run = line ? line : "";
	if (ret->is_daemon)
		ret->name = "daemon";
	return ret->directory != NULL;
}

static void put_separated(struct out *out, const struct row *r, const char *s)
{
	out_f(out, "%s%s%s%s", r->pid, s, r->name, s);
	if (r->is_daemon)
		out_f(out, "%s%s%s/output%s%s/lock%s%s\n", r->directory, s, r->directory, s, r->directory, s, r->minutes);
	else
		out_f(out, "%s%s%s%s%s/output%s%s/control%s%s/ack%s%s\n", r->run, s, r->directory, s, r->directory, s, r->directory, s,
		      r->directory, s, r->minutes);
}

static void put_row(struct out *out, const struct row *r, const char *program, bool verbose)
{
	out_f(out, "[%s:%s] ", strcmp(r->pid, "0") ? r->pid : "ended", r->name);
	if (r->is_daemon)
		out_f(out, "base: %s\n", r->directory);
	else
		out_f(out, "%s record %s\n", program, r->run);
	if (!verbose)
		return;
	if (!r->is_daemon)
		out_f(out, "  base:    %s\n", r->directory);
	out_f(out, "  output:  %s/output\n", r->directory);
	if (r->is_daemon)
		out_f(out, "  lock:    %s/lock\n", r->directory);
	else
		out_f(out, "  control: %s/control\n  ack:     %s/ack\n", r->directory, r->directory);
	out_f(out, "  up:      %s minutes\n", r->minutes);
}

void daemon_list_text(struct out *out, char *answer, const char *program, bool verbose, const char *separator)
{
	for (struct row r; next_row(&answer, &r);) {
		if (separator)
			put_separated(out, &r, separator);
		else
			put_row(out, &r, program, verbose);
	}
}

void daemon_list_table(struct table *t, char *answer)
{
	static const struct table_column columns[] = {
		{ .key = "pid", .type = TABLE_COUNT },
		{ .key = "name", .type = TABLE_TEXT },
		{ .key = "options", .type = TABLE_TEXT },
		{ .key = "base", .type = TABLE_TEXT },
		{ .key = "minutes", .type = TABLE_COUNT },
	};
	table_init(t, "strobe-daemon", 1);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
	for (struct row r; next_row(&answer, &r);) {
		table_row(t);
		if (strcmp(r.pid, "0") != 0)
			table_set_count(t, 0, strtoull(r.pid, NULL, 10));
		table_set_text(t, 1, r.name);
		if (!r.is_daemon)
			table_set_text(t, 2, r.run);
		table_set_text(t, 3, r.directory);
		table_set_count(t, 4, strtoull(r.minutes, NULL, 10));
	}
}
