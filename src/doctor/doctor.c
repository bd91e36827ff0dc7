#include "doctor/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "doctor/priv.h"
#include "sys/cpus.h"
#include "sys/limits.h"

enum column { COLUMN_STATE, COLUMN_KEY, COLUMN_CHECK, COLUMN_SUBJECT, COLUMN_FOUND, COLUMN_LOSS, COLUMN_REMEDY };

static const struct {
	const char *name;
	const struct check *checks;
} subjects[] = {
	{ "events", checks_events },   { "tracing", checks_tracing }, { "bpf", checks_bpf },
	{ "symbols", checks_symbols }, { "limits", checks_limits },
};
#define SUBJECTS_NR (sizeof(subjects) / sizeof(*subjects))

static const struct {
	const char *word;
	enum table_mark mark;
} states[] = {
	[FINDING_OK] = { "ok", TABLE_GOOD },
	[FINDING_PARTLY] = { "partly", TABLE_MEDIUM },
	[FINDING_MISSING] = { "missing", TABLE_BAD },
};

int doctor_try_event(const struct doctor *d, struct perf_event_attr attr, pid_t pid, int cpu)
{
	attr.size = PERF_ABI_ATTR_BYTES;
	attr.disabled = 1;
	int fd = sys_perf_event_open(d->sys, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -fd : 0;
}

int64_t doctor_sysctl(const struct doctor *d, const char *name)
{
	_cleanup_free_ char *path = xasprintf("/proc/sys/%s", name);
	int64_t value;
	_cleanup_error_ struct strobe_error *err = sys_read_i64(d->sys, path, &value);
	return err ? -1 : value;
}

/* x86 has a CPU flag, other machines a node in the device tree; Xen has a file. */
static bool is_virtual_machine(const struct sys *sys)
{
	_cleanup_strbuf_ struct strbuf cpus = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, "/proc/cpuinfo", &cpus, 1 << 20);
	return (!err && strstr(strbuf_str(&cpus), " hypervisor")) || sys_exists(sys, "/sys/hypervisor/type") ||
	       sys_exists(sys, "/proc/device-tree/hypervisor");
}

static const char *container(const struct sys *sys)
{
	static const struct {
		const char *path, *name;
	} signs[] = {
		{ "/.dockerenv", "Docker" },
		{ "/run/.containerenv", "Podman" },
		{ "/run/systemd/container", "systemd's" },
		{ "/var/run/secrets/kubernetes.io", "Kubernetes" },
	};
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (sys_exists(sys, signs[i].path))
			return signs[i].name;
	return "none known";
}

/* Adds facts on the machine and the user, above the checks. */
static void add_facts(const struct doctor *d, struct table *t)
{
	struct utsname u;
	if (!sys_uname(d->sys, &u))
		table_fact(t, "kernel", "%s %s %s", u.sysname, u.release, u.machine);
	_cleanup_free_ char *processor = sys_cpu_description(d->sys);
	table_fact(t, "processor", "%s", processor ? processor : "not known");
	table_fact(t, "virtual_machine", "%s", d->is_virtual ? "yes" : "no");
	table_fact(t, "container", "%s", container(d->sys));
	table_fact(t, "user", "%s", d->is_root ? "root" : d->is_perfmon ? "with CAP_PERFMON" : "without privileges");
}

static void add_columns(struct table *t)
{
	table_column(t, (struct table_column){ .key = "state", .title = "" });
	table_column(t, (struct table_column){ .key = "check" });
	table_column(t, (struct table_column){ .key = "title", .data_only = true });
	table_column(t, (struct table_column){ .key = "subject", .data_only = true });
	table_column(t, (struct table_column){ .key = "found" });
	table_column(t, (struct table_column){ .key = "loss", .data_only = true });
	table_column(t, (struct table_column){ .key = "remedy", .data_only = true });
	t->layout.has_no_titles = true;
}

static void add_finding(struct table *t, const char *subject, const struct check *c, const struct finding *f)
{
	table_row(t);
	table_set_text(t, COLUMN_STATE, states[f->state].word);
	table_mark(t, COLUMN_STATE, states[f->state].mark);
	table_set_text(t, COLUMN_KEY, c->key);
	table_set_text(t, COLUMN_CHECK, c->title);
	table_set_text(t, COLUMN_SUBJECT, subject);
	table_set_text(t, COLUMN_FOUND, f->found);
	if (f->loss) {
		table_set_text(t, COLUMN_LOSS, f->loss);
		table_line(t, "             lost: %s", f->loss);
	}
	if (f->remedy) {
		table_set_text(t, COLUMN_REMEDY, f->remedy);
		table_line(t, "             to do: %s", f->remedy);
	}
}

static bool is_chosen(const char *key, char *const *keys, size_t keys_nr)
{
	bool found = !keys_nr;
	for (size_t i = 0; i < keys_nr && !found; i++)
		found = !strcmp(keys[i], key);
	return found;
}

static bool is_known(const char *key)
{
	for (size_t s = 0; s < SUBJECTS_NR; s++)
		for (const struct check *c = subjects[s].checks; c->key; c++)
			if (!strcmp(c->key, key))
				return true;
	return false;
}

static struct strobe_error *check_keys(char *const *keys, size_t keys_nr)
{
	for (size_t i = 0; i < keys_nr; i++)
		if (!is_known(keys[i]))
			return error_create(ERROR_USAGE, "unknown check '%s'; without arguments, all checks are run", keys[i]);
	return NULL;
}

static void examine(struct doctor *d, struct table *t, char *const *keys, size_t keys_nr, struct doctor_summary *ret)
{
	for (size_t s = 0; s < SUBJECTS_NR; s++) {
		for (const struct check *c = subjects[s].checks; c->key; c++) {
			if (!is_chosen(c->key, keys, keys_nr))
				continue;
			struct finding f = c->examine(d);
			add_finding(t, subjects[s].name, c, &f);
			*(f.state == FINDING_OK ? &ret->ok : f.state == FINDING_PARTLY ? &ret->partly : &ret->missing) += 1;
		}
	}
}

struct strobe_error *doctor_examine(const struct sys *sys, char *const *keys, size_t keys_nr, struct table *ret,
				    struct doctor_summary *ret_summary)
{
	TRY(check_keys(keys, keys_nr));
	struct doctor d = {
		.sys = sys,
		.is_root = !geteuid(),
		.is_perfmon = sys_is_perfmon(sys),
		.is_virtual = is_virtual_machine(sys),
	};
	*ret_summary = (struct doctor_summary){};
	arena_init(&d.arena);
	table_init(ret, "strobe-doctor", 1);
	add_columns(ret);
	if (!keys_nr)
		add_facts(&d, ret);
	examine(&d, ret, keys, keys_nr, ret_summary);
	table_fact_number(ret, "ok", ret_summary->ok, "%u of %u checks", ret_summary->ok,
			  ret_summary->ok + ret_summary->partly + ret_summary->missing);
	arena_deinit(&d.arena);
	return NULL;
}
