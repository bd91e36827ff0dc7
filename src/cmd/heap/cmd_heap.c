/* strobe heap: the allocations of a command or a running process, and their call stacks. */
#include <sys/wait.h>
#include <unistd.h>

#include "base/new_file.h"
#include "cmd/cmd.h"
#include "heap/job.h"

struct heap_options {
	struct heap_job job;
	unsigned verbose;
};

#define AT(field) offsetof(struct heap_options, field)

static const struct option table[] = {
	{ OPTION_GROUP, .help = "Allocations" },
	{ OPTION_BOOL, 0, "exact", AT(job.exact), .help = "count every allocation" },
	{ OPTION_STRING, 0, "rate", AT(job.rate), .arg = "bytes", .help = "mean distance between samples: 64K, 1M (default: 512K)" },
	{ OPTION_BOOL, 0, "mmap", AT(job.settings.mmap), .help = "also count anonymous memory mapped by programs" },
	{ OPTION_BOOL, 0, "leaks", AT(job.settings.leaks),
	  .help = "find blocks without references at exit; implies --exact" },
	{ OPTION_STRING, 'p', "pid", AT(job.pids), .arg = "pid,...",
	  .help = "profile running processes that have libstrobe_alloc.so loaded" },
	{ OPTION_BOOL, 0, "heapcheck", AT(job.heapcheck),
	  .help = "answer a request of libstrobe_alloc.so's heap checker (HEAPCHECK) on standard input" },
	{ OPTION_U64, 0, "depth", AT(job.settings.depth), .arg = "n", .help = "maximum number of frames of a stack (default: 256)" },
	{ OPTION_U64, 0, "seed", AT(job.settings.seed), .arg = "n", .help = "seed of the sampling, for repeatable results" },
	{ OPTION_GROUP, .help = "Output" },
	{ OPTION_STRING, 'o', "output", AT(job.output), .arg = "file",
	  .help = "profile; the suffix selects the format, as with convert (default: heap.pb.gz)" },
	{ OPTION_F64, 0, "snapshots", AT(job.snapshots_s), .arg = "seconds",
	  .help = "write a profile of memory in use at this interval: heap.0001.pb.gz, ..." },
	{ OPTION_STRING, 0, "report", AT(job.report_file), .arg = "file",
	  .help = "write the tables to this file (default: standard error; JSON and CSV: standard output)" },
	{ OPTION_STRING, 0, "format", AT(job.format), .arg = "text|json|csv", .help = "format of the tables" },
	{ OPTION_U64, 0, "top", AT(job.report.functions), .arg = "n", .help = "number of functions listed (default: 10)" },
	{ OPTION_BOOL, 0, "sizes", AT(job.report.sizes), .help = "show the sizes of allocations" },
	{ OPTION_BOOL, 0, "growth", AT(job.report.growth), .help = "show memory in use over time" },
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "be more verbose" },
	OPTIONS_END,
};

static void set_defaults(void *options)
{
	heap_job_defaults(&((struct heap_options *)options)->job);
}

static int run(struct cmd_context *ctx, void *options)
{
	struct heap_options *o = options;
	int status;
	o->job.host = cmd_host(ctx);
	o->job.command = cmd_command(ctx);
	o->job.write_file = new_file_write_by;
	o->job.text_fd = STDERR_FILENO;
	o->job.data_fd = STDOUT_FILENO;
	o->job.request_fd = STDIN_FILENO;
	struct strobe_error *err = heap_job_check(&o->job);
	if (err)
		return cmd_fail_usage(ctx, err);
	cmd_set_verbosity(o->verbose);
	err = heap_job_run(&o->job, &status);
	if (err)
		return cmd_fail(ctx, err);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

const struct cmd cmd_heap = {
	.name = "heap",
	.summary = "Profile the memory that a program allocates",
	.usage = (const char *const[]){ "heap [<options>] [--] <command>", "heap [<options>] -p <pid>", NULL },
	.options = table,
	.options_bytes = sizeof(struct heap_options),
	.defaults = set_defaults,
	.run = run,
};
