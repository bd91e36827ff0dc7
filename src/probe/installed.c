#include "probe/installed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "sys/tracefs.h"

#define BUSY_MS_MAX 512 /* last wait for a recording that has just ended, whose events the kernel is still closing; 1 s in all */

static const char *const files[] = { [PROBE_KERNEL] = "kprobe_events", [PROBE_PROGRAM] = "uprobe_events" };

static struct strobe_error *path_of(const struct sys *sys, const char *file, char **ret)
{
	_cleanup_free_ char *tracefs = NULL;
	struct strobe_error *err = sys_tracefs(sys, &tracefs);
	if (error_is(err, ERROR_PERMISSION)) {
		error_destroy(err);
		return error_with_check("tracefs", error_create(ERROR_PERMISSION,
					"not permitted to list, add or remove probes: run as root"));
	}
	TRY(err);
	*ret = xasprintf("%s/%s", tracefs, file);
	return NULL;
}

static bool is_right(int errnum)
{
	return errnum == EPERM || errnum == EACCES;
}

/* Root gets EPERM alone, of a kernel in lockdown. */
static struct strobe_error *no_right(int errnum, const char *path)
{
	if (errnum == EPERM)
		return error_with_check("lockdown", error_create(ERROR_PERMISSION,
					"not permitted to list, add or remove probes: the kernel is locked down (see "
					"/sys/kernel/security/lockdown)"));
	return error_with_check("uprobes", error_create(ERROR_PERMISSION, "not permitted to open %s; run as root", path));
}

struct strobe_error *probe_missing(enum probe_kind kind)
{
	if (kind == PROBE_KERNEL)
		return error_with_check("kprobes", error_create(ERROR_UNSUPPORTED,
					"this kernel does not support probes of kernel functions (it lacks CONFIG_KPROBE_EVENTS)"));
	return error_with_check("uprobes", error_create(ERROR_UNSUPPORTED,
				"this kernel does not support probes of programs (it lacks CONFIG_UPROBE_EVENTS)"));
}

/* ---- lines ---- */

/* The number after the last `sign` of a word, which is cut there; false: none. */
static bool cut_number(char *word, char sign, uint64_t *ret)
{
	char *at = strrchr(word, sign);
	if (!at || !text_to_u64(at + 1, ret))
		return false;
	*at = 0;
	return true;
}

/* "PATH:0xOFFSET(0xSEMAPHORE)" */
static bool parse_program_place(char *place, struct probe_installed *ret)
{
	char *open = strrchr(place, '(');
	if (open && open[strlen(open) - 1] == ')')
		*open = 0;
	ret->target = place;
	return cut_number(place, ':', &ret->offset);
}

/* "MODULE:SYMBOL+OFFSET", "SYMBOL", "0xADDRESS" */
static bool parse_kernel_place(char *place, struct probe_installed *ret)
{
	char *colon = strchr(place, ':');
	if (colon) {
		*colon = 0;
		ret->target = place;
		place = colon + 1;
	}
	if (text_to_u64(place, &ret->offset))
		return true;
	cut_number(place, '+', &ret->offset);
	ret->symbol = place;
	return *place;
}

bool probe_installed_parse(char *line, enum probe_kind kind, struct probe_installed *ret)
{
	*ret = (struct probe_installed){ .kind = kind, .is_return = *line == 'r', .target = "", .symbol = "" };
	char *rest = line, *head = strsep(&rest, " "), *place = rest ? strsep(&rest, " ") : NULL;
	char *group = strchr(head, ':'), *event = group ? strchr(group, '/') : NULL;
	if ((*head != 'p' && *head != 'r') || !event || !place)
		return false;
	*event = 0;
	ret->group = group + 1;
	ret->event = event + 1;
	ret->arguments = rest ? rest : "";
	return kind == PROBE_PROGRAM ? parse_program_place(place, ret) : parse_kernel_place(place, ret);
}

static int by_name(const void *a, const void *b)
{
	const struct probe_installed *l = a, *r = b;
	int order = strcmp(l->group, r->group);
	return order ? order : strcmp(l->event, r->event);
}

static struct strobe_error *read_events(const struct sys *sys, enum probe_kind kind, struct probe_list *ret)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(path_of(sys, files[kind], &path));
	ret->exists[kind] = sys_exists(sys, path);
	if (!ret->exists[kind])
		return NULL;
	struct strobe_error *unread = sys_read(sys, path, &text, 0);
	if (unread && is_right(unread->errnum)) {
		int errnum = unread->errnum;
		error_destroy(unread);
		return no_right(errnum, path);
	}
	TRY(unread);
	struct probe_installed event;
	char *rest = arena_strdup(&ret->arena, strbuf_str(&text));
	for (char *line; (line = strsep(&rest, "\n"));)
		if (probe_installed_parse(line, kind, &event))
			vec_push(&ret->events, event);
	return NULL;
}

struct strobe_error *probe_list_read(const struct sys *sys, struct probe_list *ret)
{
	*ret = (struct probe_list){};
	arena_init(&ret->arena);
	struct strobe_error *err = read_events(sys, PROBE_KERNEL, ret);
	if (!err)
		err = read_events(sys, PROBE_PROGRAM, ret);
	if (err)
		probe_list_deinit(ret);
	else if (ret->events.len)
		qsort(ret->events.data, ret->events.len, sizeof(*ret->events.data), by_name);
	return err;
}

void probe_list_deinit(struct probe_list *l)
{
	vec_deinit(&l->events);
	arena_deinit(&l->arena);
}

const struct probe_installed *probe_list_find(const struct probe_list *l, const char *group, const char *event)
{
	const struct probe_installed key = { .group = group, .event = event };
	return l->events.len ? bsearch(&key, l->events.data, l->events.len, sizeof(key), by_name) : NULL;
}

/* ---- changes ---- */

/*
 * The kernel's last error for the definition: "trace_uprobe: error: Invalid register name" and the position. NULL: no error for
 * this one.
 */
static char *kernel_words(const struct sys *sys, const char *line)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = path_of(sys, "error_log", &path);
	_cleanup_error_ struct strobe_error *unread = err ? NULL : sys_read(sys, path, &text, 0);
	if (err || unread || !text.data)
		return NULL;
	char *last = NULL;
	for (char *at = text.data; (at = strstr(at, ": error: ")); at++)
		last = at + strlen(": error: ");
	const char *command = last ? strstr(last, "Command: ") : NULL;
	if (!command || !text_has_prefix(command + strlen("Command: "), line))
		return NULL;
	return xasprintf("%.*s", (int)strcspn(last, "\n"), last);
}

static struct strobe_error *refusal(const struct sys *sys, int errnum, const char *path, const char *line)
{
	if (is_right(errnum))
		return no_right(errnum, path);
	_cleanup_free_ char *words = kernel_words(sys, line);
	if (words)
		return error_create(ERROR_OTHER, "the kernel refuses '%s': %s", line, words);
	return error_errno(errnum, "the kernel refuses '%s'", line);
}

static struct strobe_error *write_line(const struct sys *sys, enum probe_kind kind, const char *line)
{
	_cleanup_free_ char *path = NULL;
	TRY(path_of(sys, files[kind], &path));
	_cleanup_close_ int fd = sys_open(sys, path, O_WRONLY | O_APPEND);
	if (fd == -ENOENT)
		return probe_missing(kind);
	if (fd < 0)
		return refusal(sys, -fd, path, line);
	size_t bytes = strlen(line);
	ssize_t n = write(fd, line, bytes);
	return n == (ssize_t)bytes ? NULL : refusal(sys, n < 0 ? errno : EIO, path, line);
}

/* Has the kernel make the directory of the event, whose time says when it was defined (probe_warn_replaced()). */
static void look_at_event(const struct sys *sys, const char *line)
{
	_cleanup_free_ char *path = NULL;
	const char *name = strchr(line, ':');
	_cleanup_free_ char *events = name ? xasprintf("events/%.*s", (int)strcspn(name + 1, " "), name + 1) : NULL;
	_cleanup_error_ struct strobe_error *err = events ? path_of(sys, events, &path) : NULL;
	if (path)
		sys_exists(sys, path);
}

struct strobe_error *probe_install(const struct sys *sys, enum probe_kind kind, const char *line)
{
	TRY(write_line(sys, kind, line));
	look_at_event(sys, line);
	return NULL;
}

struct strobe_error *probe_remove(const struct sys *sys, enum probe_kind kind, const char *group, const char *event)
{
	_cleanup_free_ char *line = xasprintf("-:%s/%s", group, event);
	struct strobe_error *err = write_line(sys, kind, line);
	for (unsigned ms = 1; err && err->errnum == EBUSY && ms <= BUSY_MS_MAX; ms *= 2) {
		error_destroy(err);
		usleep(ms * 1000);
		err = write_line(sys, kind, line);
	}
	if (err && err->errnum == EBUSY) {
		error_destroy(err);
		return error_create(ERROR_OTHER, "the event %s:%s is in use: end the recording or the trace that counts it", group, event);
	}
	return err;
}

/* ---- programs that were replaced ---- */

static bool is_later(struct statx_timestamp a, struct statx_timestamp b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static void warn_if_replaced(const struct sys *sys, const struct probe_installed *e)
{
	_cleanup_free_ char *tracefs = NULL;
	_cleanup_error_ struct strobe_error *err = sys_tracefs(sys, &tracefs);
	_cleanup_free_ char *directory = err ? NULL : xasprintf("%s/events/%s/%s", tracefs, e->group, e->event);
	struct statx defined, file;
	if (e->kind != PROBE_PROGRAM || !directory || statx(AT_FDCWD, directory, 0, STATX_MTIME, &defined))
		return;
	if (statx(AT_FDCWD, e->target, 0, STATX_MTIME | STATX_BTIME, &file)) {
		if (errno == ENOENT)
			log_warn("%s:%s is in a file that was deleted, %s: no program hits it any more; remove it with probe -d", e->group,
				 e->event, e->target);
		return;
	}
	if (is_later(file.stx_mtime, defined.stx_mtime) ||
	    (file.stx_mask & STATX_BTIME && is_later(file.stx_btime, defined.stx_mtime)))
		log_warn("%s:%s is in an older %s, which was replaced: programs started since do not hit it; remove it with probe -d, and "
			 "add it again", e->group, e->event, e->target);
}

void probe_warn_replaced(const struct sys *sys, const struct probe_list *list, const struct probe_filter *filter)
{
	for (size_t i = 0; i < list->events.len; i++)
		if (probe_filter_matches_event(filter, list->events.data[i].group, list->events.data[i].event))
			warn_if_replaced(sys, &list->events.data[i]);
}

void probe_warn_replaced_events(const struct sys *sys, const struct event_list *events)
{
	struct probe_list list;
	size_t first = 0;
	while (first < events->events.len && (!events->events.data[first].tracepoint || events->events.data[first].code))
		first++;
	if (first == events->events.len)
		return;
	_cleanup_error_ struct strobe_error *err = probe_list_read(sys, &list);
	if (err)
		return;
	for (size_t i = first; i < events->events.len && list.events.len; i++) {
		const struct event *e = &events->events.data[i];
		bool is_tracepoint = e->tracepoint && !e->code;
		const struct probe_installed *installed = is_tracepoint ? probe_list_find(&list, e->system, e->tracepoint) : NULL;
		if (installed)
			warn_if_replaced(sys, installed);
	}
	probe_list_deinit(&list);
}
