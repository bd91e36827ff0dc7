/*
 * stat-attrs ROOT OPTIONS… [COMMAND]: what `strobe stat OPTIONS… COMMAND` would open with perf_event_open(2) on a machine whose
 * sysfs, procfs and tracefs are files below ROOT. A line for each event:
 *
 *	TYPE/CONFIG[/CONFIG1[/CONFIG2[/CONFIG3]]] [+FLAG -FLAG …] [precise=N] [bp=TYPE/LENGTH] [cpus=LIST] [member] [cgroup]
 *
 * Flags are those that differ from what an event of a command has: disabled, inherit, enable_on_exec, exclude_guest. Without
 * cpus= it is opened on the command; with it, on those CPUs for everyone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "capture/target.h"
#include "cmd/stat/options.h"
#include "sys/faked.h"

#define COMMAND_PID 4242

static void print_configs(const struct sys_faked_open *o)
{
	const struct perf_event_attr *a = &o->attr;
	bool breakpoint = a->type == PERF_TYPE_BREAKPOINT;
	uint64_t configs[] = { a->config, a->config1, breakpoint ? 0 : a->config2, o->config3, o->config4 };
	size_t n = 5;
	while (n > 1 && !configs[n - 1])
		n--;
	printf("%u", a->type);
	for (size_t i = 0; i < n; i++)
		printf("/0x%llx", (unsigned long long)configs[i]);
}

static void print_flags(const struct perf_event_attr *a, bool is_member)
{
	const struct {
		const char *name;
		bool is, usual;
	} flags[] = {
		{ "disabled", a->disabled, !is_member },
		{ "enable_on_exec", a->enable_on_exec, !is_member },
		{ "exclude_guest", a->exclude_guest, true },
		{ "exclude_host", a->exclude_host, false },
		{ "exclude_hv", a->exclude_hv, false },
		{ "exclude_idle", a->exclude_idle, false },
		{ "exclude_kernel", a->exclude_kernel, false },
		{ "exclude_user", a->exclude_user, false },
		{ "exclusive", a->exclusive, false },
		{ "inherit", a->inherit, true },
		{ "pinned", a->pinned, false },
	};
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (flags[i].is != flags[i].usual)
			printf(" %c%s", flags[i].is ? '+' : '-', flags[i].name);
	if (a->precise_ip)
		printf(" precise=%u", a->precise_ip);
	if (a->type == PERF_TYPE_BREAKPOINT)
		printf(" bp=%u/%llu", a->bp_type, (unsigned long long)a->bp_len);
}

static bool is_same_event(const struct sys_faked_open *a, const struct sys_faked_open *b)
{
	/* The next CPU for the same attr; the same CPU again is the next event. */
	return !memcmp(&a->attr, &b->attr, sizeof(a->attr)) && a->cpu < b->cpu && a->pid == b->pid;
}

static void print_opens(const struct sys_faked *f)
{
	for (size_t i = 0; i < f->opens.len;) {
		const struct sys_faked_open *o = &f->opens.data[i];
		size_t end = i + 1;
		while (end < f->opens.len && is_same_event(&f->opens.data[end - 1], &f->opens.data[end]))
			end++;
		print_configs(o);
		print_flags(&o->attr, o->group_fd >= 0);
		for (size_t k = i; k < end && o->cpu >= 0; k++)
			printf("%s%d", k == i ? " cpus=" : ",", f->opens.data[k].cpu);
		printf("%s%s\n", o->group_fd >= 0 ? " member" : "", o->flags & PERF_FLAG_PID_CGROUP ? " cgroup" : "");
		i = end;
	}
}

static struct strobe_error *open_counters(struct sys_faked *f, struct stat_options *o, int argc, char **argv)
{
	struct options_result rest = {};
	const struct sys *sys = sys_faked_sys(f);
	struct target_map map = {};
	struct metric_set metrics;
	struct counter_set set;
	TRY(options_parse(stat_option_table, o, argc, argv, false, &rest));
	TRY(stat_options_settle(o, rest.argc));
	TRY(target_resolve(sys, &o->request.target, target_is_none(&o->request.target) ? COMMAND_PID : 0, &map));
	metric_set_init(&metrics);
	TRY(events_choose(&o->events, sys, &o->measure.choice, &metrics));
	counter_init(&set, sys, &o->events, &map, o->measure.counters);
	TRY(counter_open(&set));
	print_opens(f);
	counter_deinit(&set);
	metric_set_deinit(&metrics);
	target_map_deinit(&map);
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	struct sys_faked *f = sys_faked_create();
	struct stat_options o = {};
	stat_options_defaults(&o);
	f->sys.root = argv[1];
	o.sys = sys_faked_sys(f);
	struct strobe_error *err = open_counters(f, &o, argc - 1, argv + 1);
	if (err)
		printf("error: %s\n", err->message);
	error_destroy(err);
	stat_options_deinit(&o);
	sys_faked_destroy(f);
	return 0;
}
