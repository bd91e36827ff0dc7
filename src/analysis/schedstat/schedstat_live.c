#include "analysis/schedstat/schedstat_live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>

#include "analysis/schedstat/schedstat_file.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "capture/environment.h"
#include "capture/workload.h"
#include "config.h"
#include "perfdata/writer.h"
#include "sys/signals.h"

#define STATS_PATH  "/proc/schedstat"
#define SWITCH_PATH "/proc/sys/kernel/sched_schedstats"

/* ---- reading ---- */

static void choose(struct schedstat *s, const sys_cpus *cpus)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->cpus.len; i++)
		if (!cpus->len || sys_cpus_has(cpus, s->cpus.data[i].cpu))
			s->cpus.data[kept++] = s->cpus.data[i];
	s->cpus.len = kept;
}

static struct strobe_error *take_reading(const struct sys *sys, const sys_cpus *cpus, struct schedstat *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	if (!sys_exists(sys, STATS_PATH))
		return error_with_check("schedstats", error_create(ERROR_UNSUPPORTED, "cannot read " STATS_PATH ": this kernel is built "
								   "without CONFIG_SCHEDSTATS"));
	TRY(sys_read(sys, STATS_PATH, &text, 0));
	TRY(schedstat_parse(ret, strbuf_str(&text), text.len));
	choose(ret, cpus);
	return ret->cpus.len ? NULL : error_create(ERROR_USAGE, "-C: " STATS_PATH " has none of these CPUs");
}

static struct strobe_error *set_switch(const struct sys *sys, const char *digit)
{
	_cleanup_close_ int fd = sys_open(sys, SWITCH_PATH, O_WRONLY);
	if (fd < 0)
		return error_with_check("schedstats", error_errno(-fd, "cannot enable kernel.sched_schedstats"));
	return file_write_fd(fd, SWITCH_PATH, digit, 1);
}

/* ---- waiting ---- */

static void wait_for_end(struct workload *w, struct signals *s)
{
	for (;;) {
		struct pollfd p = { .fd = s->fd, .events = POLLIN };
		for (int number; (number = signals_next(s));)
			if (number != SIGCHLD || (w->pid && workload_reap(w, false)))
				return;
		poll(&p, 1, -1);
	}
}

static struct strobe_error *run_command(struct workload *w, struct signals *s)
{
	if (w->pid)
		TRY(workload_start(w));
	wait_for_end(w, s);
	return NULL;
}

static struct strobe_error *measure_running(const struct sys *sys, const sys_cpus *cpus, struct workload *w, struct signals *s,
					    struct schedstat_times *ret)
{
	int64_t was_on;
	TRY(sys_read_i64(sys, SWITCH_PATH, &was_on));
	if (!was_on)
		TRY(set_switch(sys, "1"));
	struct strobe_error *err = take_reading(sys, cpus, &ret->before);
	if (!err)
		err = run_command(w, s);
	if (!err)
		err = take_reading(sys, cpus, &ret->after);
	return was_on ? err : error_first(err, set_switch(sys, "0"));
}

struct strobe_error *schedstat_measure(const struct sys *sys, const sys_cpus *cpus, char *const *command, struct schedstat_times *ret)
{
	static const int more[] = { SIGCHLD, 0 };
	struct signals signals = SIGNALS_NONE;
	struct workload workload = {};
	struct schedstat first = {};
	struct strobe_error *err = take_reading(sys, cpus, &first); /* before anything is changed or started */
	schedstat_deinit(&first);
	if (!err)
		err = signals_open(&signals, more);
	if (!err && command)
		err = workload_fork(command, workload_options_of(&signals), &workload);
	if (!err)
		err = measure_running(sys, cpus, &workload, &signals, ret);
	workload_end(&workload);
	signals_close(&signals);
	return err;
}

/* ---- recording ---- */

static struct strobe_error *write_file(int fd, const char *path, struct env *env, const struct schedstat_times *t)
{
	struct writer *w = NULL;
	struct strobe_error *err = writer_create(fd, path, env, (struct writer_options){}, &w);
	if (!err)
		err = schedstat_put(&w->sink, &t->before);
	if (!err)
		err = schedstat_put(&w->sink, &t->after);
	if (!err)
		err = writer_finish(w, env);
	writer_destroy(w);
	return err;
}

/* An older recording becomes FILE.old. */
static struct strobe_error *move_older(const char *path)
{
	struct stat st;
	_cleanup_free_ char *old = xasprintf("%s.old", path);
	if (lstat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size || !rename(path, old))
		return NULL;
	return error_errno(errno, "cannot move the older %s to %s", path, old);
}

struct strobe_error *schedstat_record(const struct sys *sys, const struct schedstat_times *t, const char *path)
{
	struct new_file file = NEW_FILE_NONE;
	struct env *env = env_create();
	environment_fill(env, sys, STROBE_VERSION, false);
	schedstat_describe(env, &t->after);
	struct strobe_error *err = new_file_create(path, &file);
	if (!err)
		err = write_file(fcntl(file.fd, F_DUPFD_CLOEXEC, 0), path, env, t);
	if (!err)
		err = move_older(path);
	if (!err)
		err = new_file_keep(&file, 0600);
	new_file_deinit(&file);
	env_destroy(env);
	return err;
}
