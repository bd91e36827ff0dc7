#include "cmd/lock/options.h"

#include <string.h>

#include "cmd/unsupported.h"

#define DEFAULT_FRAMES 8
#define DEFAULT_SKIP   4
#define DEFAULT_ENTRIES 16384
#define ENTRIES_MAX     (1 << 24)

#define AT(field) offsetof(struct lock_options, field)
const struct option lock_option_table[] = {
	{ OPTION_STRING, 'i', "input", AT(replay.input), .arg = "file", .help = "input file (default: perf.data); - for standard input" },
	{ OPTION_STRING, 0, "output", AT(output), .arg = "file", .help = "write to this file instead of standard output" },
	{ OPTION_STRING, 0, "format", AT(format_name), .arg = "text|json|csv", .help = "output format" },
	{ OPTION_STRING, 'k', "key", AT(layout.key), .arg = "field",
	  .help = "sort by this field (default: wait_total; report: acquired)" },
	{ OPTION_STRING, 'F', "field", AT(layout.fields), .arg = "field,...",
	  .help = "show these fields: contended, wait_total, wait_max, wait_min, avg_wait; report: also acquired" },
	{ OPTION_U64, 'E', "entries", AT(layout.entries), .arg = "n", .help = "show only this many rows" },
	{ OPTION_BOOL, 't', "threads", AT(by_thread), .help = "one row for each thread; info: list only the threads" },
	{ OPTION_STRING, 'C', "cpu", AT(replay.choice.cpus), .arg = "list", .help = "only these CPUs" },
	{ OPTION_STRING, 'p', "pid", AT(replay.choice.pids), .arg = "pid,...", .help = "only these processes" },
	{ OPTION_STRING, 0, "tid", AT(replay.choice.tids), .arg = "tid,...", .help = "only these threads" },
	{ OPTION_BOOL, 'f', "force", AT(replay.force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 'q', "quiet", AT(layout.quiet), .help = "omit column titles and notes" },
	{ OPTION_BOOL, 'D', "dump-raw-trace", AT(dump), .help = "dump the records of the recording, as report -D does" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "contention: also show the stack of each row" },
	{ OPTION_STRING, 0, "vmlinux", AT(replay.symbols.vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_STRING, 0, "kallsyms", AT(replay.symbols.kallsyms), .arg = "file", .help = "file of kernel symbols, as /proc/kallsyms" },
	{ OPTION_GROUP, .help = "contention" },
	{ OPTION_BOOL, 0, "user", AT(replay.question.of_users),
	  .help = "analyse locks of programs (futexes): recorded by 'lock record --user' or 'record --wall', or of the running system" },
	{ OPTION_BOOL, 'b', "use-bpf", AT(in_kernel),
	  .help = "measure the running system with BPF (implied by -a and by a command)" },
	{ OPTION_BOOL, 'a', "all-cpus", AT(all_cpus), .help = "measure all tasks (default with -b and no command)" },
	{ OPTION_U64, 'M', "map-nr-entries", AT(map_entries), .arg = "n",
	  .help = "with -b: number of entries of each BPF map (default: 16384)" },
	{ OPTION_BOOL, 'o', "lock-owner", AT(by_owner), .help = "with -b: one row for each thread that owned a lock when a wait began" },
	{ OPTION_BOOL, 'l', "lock-addr", AT(by_lock), .help = "one row for each lock, with its address and symbol" },
	{ OPTION_STRING, 'Y', "type-filter", AT(replay.question.kinds), .arg = "type,...",
	  .help = "only these types of locks, e.g. spinlock, rwsem, rwsem:R, mutex" },
	{ OPTION_STRING, 'L', "lock-filter", AT(replay.question.locks), .arg = "addr|symbol,...",
	  .help = "only these locks, by hexadecimal address or symbol" },
	{ OPTION_STRING, 'S', "callstack-filter", AT(replay.question.functions), .arg = "name,...",
	  .help = "only waits with a kernel function in their stack whose name contains one of these" },
	{ OPTION_U64, 0, "max-stack", AT(replay.question.max_stack), .arg = "n",
	  .help = "maximum number of stack frames to examine (default: 8)" },
	{ OPTION_U64, 0, "stack-skip", AT(replay.question.skip), .arg = "n",
	  .help = "number of innermost frames to skip when looking for the caller (default: 4)" },
	{ OPTION_STRING, 'x', "field-separator", AT(separator), .arg = "separator",
	  .help = "print values separated by this, with times in nanoseconds" },
	{ OPTION_STRING, 'G', "cgroup-filter", AT(replay.question.cgroups), .arg = "cgroup,...",
	  .help = "with -b: only waits of tasks in these cgroups (version 2)" },
	{ OPTION_BOOL, 0, "lock-cgroup", AT(by_cgroup), .help = "with -b: one row for each cgroup (version 2)" },
	UNSUPPORTED_SHORT_OPTION('J', "inject-delay", unsupported_lock_delay),
	{ OPTION_GROUP, .help = "report" },
	{ OPTION_BOOL, 'c', "combine-locks", AT(layout.combine), .help = "merge locks with the same name" },
	{ OPTION_GROUP, .help = "info" },
	{ OPTION_BOOL, 'm', "map", AT(with_map), .help = "list only the locks, with their addresses and names" },
	OPTIONS_END,
};

void lock_options_defaults(void *options)
{
	struct lock_options *o = options;
	o->replay.question.max_stack = DEFAULT_FRAMES;
	o->replay.question.skip = DEFAULT_SKIP;
	o->map_entries = DEFAULT_ENTRIES;
}

/* The first given option that the subcommand does not have; NULL: none. */
static const char *not_of(const struct lock_options *o, enum lock_command command)
{
	const struct lock_question *q = &o->replay.question;
	const struct {
		bool given;
		unsigned of;
		const char *name;
	} rows[] = {
		{ o->by_lock, LOCK_CONTENTION, "--lock-addr" },
		{ o->by_owner, LOCK_CONTENTION, "--lock-owner" },
		{ q->of_users, LOCK_CONTENTION, "--user" },
		{ o->in_kernel, LOCK_CONTENTION, "--use-bpf" },
		{ o->all_cpus, LOCK_CONTENTION, "--all-cpus" },
		{ o->map_entries != DEFAULT_ENTRIES, LOCK_CONTENTION, "--map-nr-entries" },
		{ q->kinds != NULL, LOCK_CONTENTION, "--type-filter" },
		{ q->locks != NULL, LOCK_CONTENTION, "--lock-filter" },
		{ q->functions != NULL, LOCK_CONTENTION, "--callstack-filter" },
		{ q->cgroups != NULL, LOCK_CONTENTION, "--cgroup-filter" },
		{ o->by_cgroup, LOCK_CONTENTION, "--lock-cgroup" },
		{ o->separator != NULL, LOCK_CONTENTION, "--field-separator" },
		{ o->layout.combine, LOCK_REPORT, "--combine-locks" },
		{ o->with_map, LOCK_INFO, "--map" },
		{ o->layout.key != NULL, LOCK_CONTENTION | LOCK_REPORT, "--key" },
		{ o->layout.fields != NULL, LOCK_CONTENTION | LOCK_REPORT, "--field" },
		{ o->layout.entries != 0, LOCK_CONTENTION | LOCK_REPORT, "--entries" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].given && !(rows[i].of & command))
			return rows[i].name;
	return NULL;
}

static struct strobe_error *check_separator(const char *separator)
{
	if (!separator)
		return NULL;
	if (!*separator || strpbrk(separator, ":+."))
		return error_create(ERROR_USAGE, "-x: ':', '+' and '.' are parts of values, and the separator may not be empty");
	return NULL;
}

static struct strobe_error *settle_live(struct lock_options *o, bool has_command)
{
	o->is_live = o->in_kernel || o->all_cpus || has_command;
	if (o->is_live && o->replay.input)
		return error_create(ERROR_USAGE, "-i is for recordings, -b, -a and commands are for the running system");
	if (!o->is_live && ((o->by_owner && !o->replay.question.of_users) || o->map_entries != DEFAULT_ENTRIES))
		return error_create(ERROR_USAGE, "-o and -M require -b: recordings do not have the owners of locks");
	if ((o->by_cgroup || o->replay.question.cgroups) && (!o->is_live || o->replay.question.of_users))
		return error_create(ERROR_USAGE, "-G and --lock-cgroup require -b, and the kernel's locks: recordings of locks have no "
				    "cgroups");
	if (o->by_cgroup && (o->by_owner || o->by_lock || o->by_thread))
		return error_create(ERROR_USAGE, "--lock-cgroup cannot be combined with -t, -l or -o: rows are of one of them");
	if (o->by_owner && o->by_lock)
		return error_create(ERROR_USAGE, "-o and -l cannot be combined: rows are of owners, or of locks");
	if (!o->map_entries || o->map_entries > ENTRIES_MAX)
		return error_create(ERROR_USAGE, "-M: from 1 to %d entries", ENTRIES_MAX);
	if (o->is_live && o->replay.question.functions && !o->replay.question.of_users &&
	    (o->by_thread || o->by_lock || o->by_owner || o->by_cgroup))
		return error_create(ERROR_USAGE, "-S with -b requires rows by caller: the kernel does not sum up stacks by thread, lock or "
				    "cgroup");
	if (o->replay.question.of_users && (o->map_entries != DEFAULT_ENTRIES || o->replay.question.skip != DEFAULT_SKIP))
		return error_create(ERROR_USAGE, "-M and --stack-skip are for the kernel's locks: they cannot be combined with --user");
	o->replay.question.by_owner = o->by_owner;
	o->by_thread |= o->by_owner;
	return NULL;
}

struct strobe_error *lock_options_settle(struct lock_options *o, enum lock_command command, bool has_command)
{
	struct lock_question *q = &o->replay.question;
	const char *wrong = not_of(o, command);
	if (wrong)
		return error_create(ERROR_USAGE, "'lock %s' has no option %s",
				    command == LOCK_CONTENTION ? "contention" : command == LOCK_REPORT ? "report" : "info", wrong);
	if (o->by_thread && o->by_lock)
		return error_create(ERROR_USAGE, "-t and -l cannot be combined: rows are of threads, or of locks");
	if (q->max_stack > 127)
		return error_create(ERROR_USAGE, "--max-stack: at most 127 frames are recorded");
	if (q->skip > 127)
		return error_create(ERROR_USAGE, "--stack-skip: at most 127 frames are recorded");
	TRY(check_separator(o->separator));
	TRY(settle_live(o, has_command));
	TRY(table_format_parse(o->format_name, &o->format));
	if (o->separator && o->format_name)
		return error_create(ERROR_USAGE, "-x and --format cannot be combined");
	q->by = o->by_lock || command != LOCK_CONTENTION ? LOCK_BY_LOCK : LOCK_BY_CALLER;
	if (o->by_thread && command != LOCK_INFO)
		q->by = LOCK_BY_THREAD;
	if (o->by_cgroup)
		q->by = LOCK_BY_CGROUP;
	q->with_stacks = o->verbose && command == LOCK_CONTENTION;
	o->layout.is_report = command == LOCK_REPORT;
	o->layout.verbose = o->verbose;
	o->layout.question = q;
	o->replay.with_lockdep = command != LOCK_CONTENTION;
	return lock_table_check(&o->layout);
}
