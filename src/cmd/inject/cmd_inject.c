/* strobe inject: copies a recording with additions or changes. */
#include "cmd/cmd.h"
#include "cmd/unsupported.h"
#include "rewrite/injection.h"

static int run(struct cmd_context *ctx, void *options)
{
	struct strobe_error *err = ctx->rest.argc ?
		error_create(ERROR_USAGE, "unexpected argument '%s': specify a recording with -i", ctx->rest.argv[0]) :
		injection_check(options);
	return err ? cmd_fail_usage(ctx, err) : cmd_fail(ctx, injection_run(cmd_host(ctx), options));
}

static void defaults(void *options)
{
	((struct injection_options *)options)->output = "-";
}

#define AT(field) offsetof(struct injection_options, field)
static const struct option table[] = {
	{ OPTION_STRING, 'i', "input", AT(input), .arg = "file", .help = "input file (default: perf.data)" },
	{ OPTION_STRING, 'o', "output", AT(output), .arg = "file", .help = "output file (default: -, standard output, in pipe format)" },
	{ OPTION_BOOL, 'f', "force", AT(force), .help = "skip the ownership check" },
	{ OPTION_BOOL, 'b', "build-ids", AT(build_ids), .help = "add build IDs of the files with samples" },
	{ OPTION_BOOL, 0, "buildid-all", AT(all_build_ids), .help = "add build IDs of all mapped files" },
	{ OPTION_BOOL, 'B', "mmap2-buildids", AT(drop_unused),
	  .help = "add build IDs to MMAP2 records, and drop mappings without samples" },
	{ OPTION_BOOL, 0, "mmap2-buildid-all", AT(mmap_ids), .help = "add build IDs to the MMAP2 records of all mappings" },
	{ OPTION_BOOL, 0, "aslr", AT(aslr),
	  .help = "replace addresses, so that they do not reveal address space layouts" },
	{ OPTION_STRING, 0, "known-build-ids", AT(known_ids), .arg = "buildid path,...",
	  .help = "build IDs of these paths, as \"BUILD-ID PATH\"; @FILE or file://FILE: one per line" },
	{ OPTION_BOOL, 'j', "jit", AT(jit), .help = "write the code of jitdumps to ELF files, and add mmap records for them" },
	{ OPTION_BOOL, 's', "sched-stat", AT(sleeps),
	  .help = "merge sched_stat samples with the sched_switch samples where the sleeps began" },
	{ OPTION_STRING, 'k', "vmlinux", AT(symbol_files.vmlinux), .arg = "file", .help = "kernel image" },
	{ OPTION_STRING, 0, "kallsyms", AT(symbol_files.kallsyms), .arg = "file", .help = "file of kernel symbols, as /proc/kallsyms" },
	{ OPTION_BOOL, 0, "ignore-vmlinux", AT(symbol_files.ignore_vmlinux), .help = "do not search for a kernel image" },
	{ OPTION_BOOL, 0, "convert-callchain", AT(convert),
	  .help = "unwind stack dumps and replace them with call chains" },
	NEEDLESS_OPTION("unwind-style"),
	UNSUPPORTED_OPTION("itrace", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("strip", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("vm-time-correlation", unsupported_trace_decoder),
	UNSUPPORTED_OPTION("guest-data", unsupported_guests),
	UNSUPPORTED_OPTION("guestmount", unsupported_guests),
	{ OPTION_COUNT, 'v', "verbose", AT(verbose), .help = "report what was added, and the change in size" },
	OPTIONS_END,
};

const struct cmd cmd_inject = {
	.name = "inject",
	.summary = "Copy a recording with build IDs or call chains added",
	.usage = (const char *const[]){ "inject [<options>]", NULL },
	.options = table,
	.options_bytes = sizeof(struct injection_options),
	.defaults = defaults,
	.run = run,
	.permute = true,
};
