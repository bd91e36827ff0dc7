/*
 * A resolver for recordings that anybody made: no file that their bytes name is opened, no process of this machine is looked at.
 */
#pragma once
#include <errno.h>

#include "resolve/resolve.h"

static int open_nothing(void *ctx, uint32_t pid, const char *path)
{
	(void)ctx;
	(void)pid;
	(void)path;
	return -ENOENT;
}

static uint32_t same_pid(void *ctx, uint32_t pid)
{
	(void)ctx;
	return pid;
}

static bool runs_as_nobody(void *ctx, uint32_t pid, uint32_t uid)
{
	(void)ctx;
	(void)pid;
	(void)uid;
	return false;
}

static void attach(void *ctx, struct machine *machine)
{
	(void)ctx;
	(void)machine;
}

static struct resolver *resolver_of(struct record_source *source, struct resolve_options options)
{
	static const struct symbols_processes nobody = {
		.open = open_nothing, .open_mapped = open_nothing, .inner_pid = same_pid, .runs_as = runs_as_nobody, .attach = attach,
	};
	struct symbols_options symbols = {
		.symfs = "/nowhere", .kallsyms = "/dev/null", .ignore_vmlinux = true, .processes = &nobody,
	};
	return resolver_create(source, symbols, options);
}
