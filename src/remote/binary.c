#include "remote/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "config.h"
#include "remote/shell.h"
#include "sys/process_files.h"
#include "sys/sys.h"

/* Some login shells print text first, which must be skipped: the answer follows "strobe-facts". */
#define PROBE "echo strobe-facts; uname -m; strobe --version 2>/dev/null || echo"
/* $1: its path, $2: temporary name beside it until it is complete */
#define INSTALL "umask 077 && mkdir -p \"$(dirname \"$1\")\" && cat >\"$2\" && chmod 700 \"$2\" && mv \"$2\" \"$1\""

static char *line_of(char **at)
{
	char *line = *at, *end = strchr(line, '\n');
	if (!end)
		return NULL;
	*end = 0;
	*at = end + 1;
	return line;
}

bool remote_facts_parse(char *text, struct remote_facts *ret)
{
	for (char *line; (line = line_of(&text));) {
		if (strcmp(line, "strobe-facts"))
			continue;
		ret->machine = line_of(&text);
		ret->version = ret->machine ? line_of(&text) : NULL;
		return ret->version && *ret->machine && !ret->machine[strspn(ret->machine, "abcdefghijklmnopqrstuvwxyz0123456789_")];
	}
	return false;
}

/* One line that says what to do. */
static struct strobe_error *no_static(const char *machine, const char *destination, const char *installed)
{
	/* The machines that tools/make_static.sh builds for, by Debian's names. */
	const char *arch = !strcmp(machine, "x86_64") ? "amd64" : !strcmp(machine, "aarch64") ? "arm64" : NULL;
	if (!arch)
		return error_create(ERROR_NOT_FOUND, "%s has no strobe " STROBE_VERSION ", and static binaries are not built for %s: "
			"build and install strobe there", destination, machine);
	return error_create(ERROR_NOT_FOUND, "%s has no strobe " STROBE_VERSION ", and a static binary for %s to copy is missing: install "
		"strobe there, or build one ('make static STATIC=%s') and put it at %s", destination, machine, arch, installed);
}

/*
 * Our own executable, if it is one file and the other machine has the same architecture; else the result of `make static`, from here or
 * from the package.
 */
static struct strobe_error *find_static(const char *machine, const char *destination, char **ret)
{
	struct utsname here;
	_cleanup_free_ char *program = process_program();
	char *slash = program ? strrchr(program, '/') : NULL;
	if (STROBE_STATIC && program && !sys_uname(sys_live(), &here) && !strcmp(here.machine, machine)) {
		*ret = take_ptr(program);
		return NULL;
	}
	_cleanup_free_ char *built = slash ? xasprintf("%.*s/static/strobe-%s", (int)(slash - program), program, machine) : NULL;
	_cleanup_free_ char *beside = slash ? xasprintf("%.*s/strobe-%s", (int)(slash - program), program, machine) : NULL;
	_cleanup_free_ char *installed = xasprintf(STROBE_LIBDIR "/strobe/strobe-%s", machine);
	char **const tries[] = { &built, &beside, &installed };
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++)
		if (*tries[i] && !access(*tries[i], R_OK)) {
			*ret = take_ptr(*tries[i]);
			return NULL;
		}
	return no_static(machine, destination, installed);
}

/* Named by its content, so that a copy of another build is not used. */
static struct strobe_error *name_there(const char *path, char **ret)
{
	struct filemap map;
	TRY(filemap_open(&map, path));
	*ret = xasprintf(".cache/strobe/strobe-" STROBE_VERSION "-%016llx", (unsigned long long)hash_bytes(map.data, map.bytes));
	filemap_close(&map);
	return NULL;
}

static struct strobe_error *copy(const struct ssh *ssh, const char *path, const char *there)
{
	_cleanup_strbuf_ struct strbuf line = {};
	_cleanup_free_ char *part = xasprintf("%s.%d", there, (int)getpid());
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", path);
	shell_add_words(&line, (const char *const[]){ "sh", "-c", INSTALL, "sh", there, part, NULL });
	return ssh_run(ssh, strbuf_str(&line), fd, -1, "install strobe");
}

struct strobe_error *remote_binary(const struct session_host *host, const struct ssh *ssh, const char *destination, char **ret)
{
	_cleanup_strbuf_ struct strbuf answer = {}, line = {}, found = {};
	_cleanup_free_ char *path = NULL, *there = NULL;
	struct remote_facts facts;
	shell_add_words(&line, (const char *const[]){ "sh", "-c", PROBE, NULL });
	TRY(ssh_read(ssh, strbuf_str(&line), &answer, "run a command"));
	_cleanup_free_ char *text = strbuf_take(&answer);
	if (!text || !remote_facts_parse(text, &facts))
		return error_create(ERROR_UNSUPPORTED, "%s does not answer as a Unix system does", destination);
	if (!strcmp(facts.version, "strobe version " STROBE_VERSION)) {
		*ret = xstrdup("strobe");
		return NULL;
	}
	TRY(find_static(facts.machine, destination, &path));
	TRY(name_there(path, &there));
	strbuf_reset(&line);
	shell_add_words(&line, (const char *const[]){ "sh", "-c", "test -x \"$1\" && echo found; true", "sh", there, NULL });
	TRY(ssh_read(ssh, strbuf_str(&line), &found, "look for strobe"));
	if (!strstr(strbuf_str(&found), "found")) {
		session_say(host, "copying %s to %s:%s", path, destination, there);
		TRY(copy(ssh, path, there));
	}
	*ret = take_ptr(there);
	return NULL;
}
