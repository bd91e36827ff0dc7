/* A sink that stores lines, and x86-64 calls made by hand, for the tests of tracing/. */
#pragma once
#include <stdlib.h>

#include "base/mem.h"
#include "base/testing.h"
#include "tracing/lines.h"

struct kept_line {
	struct trace_line line;
	char call[32], comm[17];
	int64_t ret;
	const struct arch *arch; /* of the call */
};

struct line_keeper {
	struct trace_sink sink;
	struct kept_line lines[16];
	unsigned nr, room; /* room: the maximum number */
};

static inline bool keep_line(struct trace_sink *sink, const struct trace_line *line)
{
	struct line_keeper *k = (struct line_keeper *)sink;
	assert_in_range(k->nr, 0, 15);
	struct kept_line *to = &k->lines[k->nr++];
	to->line = *line;
	memcpy(to->comm, line->comm, strlen(line->comm) + 1);
	if (line->call) {
		memcpy(to->call, line->call->desc->name, strlen(line->call->desc->name) + 1);
		to->ret = line->call->ret;
		to->arch = line->call->desc->arch;
	}
	return k->nr < k->room;
}

#define LINE_KEEPER ((struct line_keeper){ .sink.line = keep_line, .room = 15 })

static inline struct syscall_event call_named(const struct syscall_table *t, const char *name, uint32_t pid, int64_t ret)
{
	const struct syscall_desc *d = syscall_table_find(t, name);
	assert_non_null(d);
	return (struct syscall_event){ .desc = d, .pid = pid, .ret = ret, .has_ret = true };
}
