#include "capture/target.h"

#include <config.h>
#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "capture/host_priv.h"
#include "event/open.h"

bool target_is_none(const struct target *t)
{
	return !t->system_wide && !t->cpus && !t->pids && !t->tids && !t->uid;
}

void target_map_deinit(struct target_map *m)
{
	vec_deinit(&m->cpus);
	vec_deinit(&m->threads);
}

static void add_thread(const struct sys *sys, struct target_map *m, pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < m->threads.len; i++)
		if (m->threads.data[i].tid == tid)
			return;
	struct thread_entry e = { .pid = pid, .tid = tid };
	_cleanup_free_ char *path = xasprintf("/proc/%d/task/%d/comm", pid, tid);
	_cleanup_strbuf_ struct strbuf comm = {};
	host_read(sys, path, &comm);
	snprintf(e.comm, sizeof(e.comm), "%.*s", (int)strcspn(strbuf_str(&comm), "\n"), strbuf_str(&comm));
	vec_push(&m->threads, e);
}

/* False: the process has ended. */
static bool add_process(const struct sys *sys, struct target_map *m, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", pid);
	sys_names names = {};
	struct strobe_error *err = sys_list(sys, path, &names);
	if (err) {
		error_destroy(err);
		return false;
	}
	size_t before = m->threads.len;
	for (size_t i = 0; i < names.len; i++)
		if (isdigit((unsigned char)names.data[i][0]))
			add_thread(sys, m, pid, atoi(names.data[i]));
	sys_names_deinit(&names);
	return m->threads.len > before;
}

static struct strobe_error *parse_ids(const struct sys *sys, const char *list, bool processes, struct target_map *m)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *save = NULL;
	size_t requested = 0, gone = 0;
	pid_t last = 0;
	for (char *word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		int64_t id;
		if (!text_to_i64(word, &id) || id <= 0 || id > INT32_MAX)
			return error_create(ERROR_USAGE, "\"%s\" is not a valid %s ID", word, processes ? "process" : "thread");
		requested++;
		last = (pid_t)id;
		if (processes) {
			gone += !add_process(sys, m, (pid_t)id);
		} else if (kill((pid_t)id, 0) && errno == ESRCH) {
			gone++;
		} else {
			/* /proc/TID exists for a thread too, though no listing shows it; its Tgid names the process. */
			_cleanup_free_ char *path = xasprintf("/proc/%d/status", (int)id);
			_cleanup_strbuf_ struct strbuf status = {};
			host_read(sys, path, &status);
			const char *tgid = strstr(strbuf_str(&status), "\nTgid:");
			add_thread(sys, m, tgid ? atoi(tgid + 6) : (pid_t)id, (pid_t)id);
		}
	}
	if (!requested)
		return error_create(ERROR_USAGE, "no %s id in \"%s\"", processes ? "process" : "thread", list);
	if (!m->threads.len)
		return error_with_status(error_create(ERROR_NOT_FOUND, "no such %s: %d is not running%s",
						      processes ? "process" : "thread", (int)last,
						      requested > 1 ? ", nor are the others" : ""),
					 EVENT_OPEN_STATUS);
	(void)gone;
	return NULL;
}

static struct passwd *user_of_name(const char *name)
{
	if (library_can_load())
		return getpwnam(name);
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *ret = NULL;
	while (file && (ret = fgetpwent(file)) && strcmp(ret->pw_name, name)) {
	}
	if (file)
		fclose(file);
	return ret;
}

static struct strobe_error *add_user(const struct sys *sys, const char *user, struct target_map *m)
{
	uint64_t uid;
	if (!text_to_u64(user, &uid)) {
		struct passwd *pw = user_of_name(user);
		if (!pw)
			return error_create(ERROR_NOT_FOUND, "no user \"%s\"", user);
		uid = pw->pw_uid;
	}
	sys_names names = {};
	TRY(sys_list(sys, "/proc", &names));
	for (size_t i = 0; i < names.len; i++) {
		struct stat st;
		if (!isdigit((unsigned char)names.data[i][0]))
			continue;
		_cleanup_free_ char *below = xasprintf("/proc/%s", names.data[i]);
		_cleanup_free_ char *path = sys_path(sys, below);
		if (!stat(path, &st) && st.st_uid == uid)
			add_process(sys, m, atoi(names.data[i]));
	}
	sys_names_deinit(&names);
	if (!m->threads.len)
		return error_create(ERROR_NOT_FOUND, "user %s has no running process", user);
	return NULL;
}

static void note(struct target_map *m, const char *sentence)
{
	if (m->notes_nr < sizeof(m->notes) / sizeof(m->notes[0]))
		m->notes[m->notes_nr++] = sentence;
}

static struct strobe_error *resolve_cpus(const struct sys *sys, const struct target *t, struct target_map *m)
{
	sys_cpus online = {}, requested = {};
	struct strobe_error *err = sys_cpus_online(sys, &online);
	if (err) { /* without sysfs: what the C library knows */
		error_destroy(err);
		err = NULL;
		long n = sysconf(_SC_NPROCESSORS_ONLN);
		for (uint32_t i = 0; (long)i < n; i++)
			vec_push(&online, i);
	}
	if (t->cpus)
		err = error_prefix(sys_cpus_parse(t->cpus, &requested), "-C %s", t->cpus);
	const sys_cpus *use = t->cpus ? &requested : &online;
	for (size_t i = 0; !err && i < use->len; i++) {
		if (!sys_cpus_has(&online, use->data[i]))
			err = error_create(ERROR_USAGE, "CPU %u is not online (see /sys/devices/system/cpu/online)",
					   use->data[i]);
		vec_push(&m->cpus, (int)use->data[i]);
	}
	vec_deinit(&online);
	vec_deinit(&requested);
	return err;
}

struct strobe_error *target_resolve(const struct sys *sys, const struct target *given, pid_t workload,
				    struct target_map *ret)
{
	struct target t = *given;
	*ret = (struct target_map){};
	if (t.pids && t.tids) {
		note(ret, "PID switch overriding TID");
		t.tids = NULL;
	}
	bool tasks = t.pids || t.tids;
	if (tasks && t.cpus) {
		note(ret, "PID/TID switch overriding CPU");
		t.cpus = NULL;
	}
	if (tasks && t.uid) {
		note(ret, "PID/TID switch overriding UID");
		t.uid = NULL;
	}
	if (t.uid && t.cpus) {
		note(ret, "UID switch overriding CPU");
		t.cpus = NULL;
	}
	if (tasks && t.system_wide) {
		note(ret, "PID/TID switch overriding SYSTEM");
		t.system_wide = false;
	}
	if (t.uid && t.system_wide) {
		note(ret, "UID switch overriding SYSTEM");
		t.system_wide = false;
	}
	bool cpus = t.system_wide || t.cpus || (target_is_none(&t) && !workload);
	if (t.per_thread && cpus) {
		note(ret, "SYSTEM/CPU switch overriding PER-THREAD");
		t.per_thread = false;
	}
	struct strobe_error *err = NULL;
	if (t.pids)
		err = parse_ids(sys, t.pids, true, ret);
	else if (t.tids)
		err = parse_ids(sys, t.tids, false, ret);
	else if (t.uid)
		err = add_user(sys, t.uid, ret);
	if (!err && !ret->threads.len) {
		ret->system_wide = cpus;
		ret->is_workload = !cpus;
		struct thread_entry e = { .pid = cpus ? -1 : workload, .tid = cpus ? -1 : workload };
		vec_push(&ret->threads, e);
	}
	if (!err && t.per_thread)
		vec_push(&ret->cpus, -1);
	else if (!err)
		err = resolve_cpus(sys, &t, ret);
	if (err)
		target_map_deinit(ret);
	return err;
}

bool target_is_task_alive(const struct sys *sys, pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/stat", tid);
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(sys, path, &line);
	const char *name_end = err ? NULL : strrchr(line, ')');
	return name_end && name_end[1] && !strchr("ZXx", name_end[2]);
}

static bool has_living_thread(const struct sys *sys, pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task", pid);
	sys_names names = {};
	bool alive = false;
	error_destroy(sys_list(sys, path, &names));
	for (size_t i = 0; i < names.len && !alive; i++)
		alive = isdigit((unsigned char)names.data[i][0]) && target_is_task_alive(sys, atoi(names.data[i]));
	sys_names_deinit(&names);
	return alive;
}

bool target_is_process_alive(const struct sys *sys, pid_t pid)
{
	bool is_alive = has_living_thread(sys, pid);
	/* Between listing and checking the last thread, that one may have taken the ID of the first by an exec. */
	return is_alive || has_living_thread(sys, pid);
}

bool target_map_is_alive(const struct target_map *m, const struct sys *sys)
{
	for (size_t i = 0; i < m->threads.len; i++) {
		const struct thread_entry *t = &m->threads.data[i];
		if (target_is_task_alive(sys, t->tid) || (t->tid == t->pid && target_is_process_alive(sys, t->pid)))
			return true;
	}
	return false;
}
