/*
 * Profiles made by hand, for the unit tests of the views.
 *
 * Stacks are written "main>work>leaf"; a frame may have its module after '@': "read@[kernel.kallsyms]", "f@/tmp/perf-7.map";
 * "?" is code without a symbol.
 */
#pragma once
#include "base/testing.h"
#include "profile/profile.h"

#include <stdio.h>

static inline frame_id test_frame(struct profile *p, const char *text, size_t bytes)
{
	char name[256], path[256] = "/usr/bin/prog";
	snprintf(name, sizeof(name), "%.*s", (int)bytes, text);
	char *at = strrchr(name, '@');
	if (at) {
		*at = 0;
		snprintf(path, sizeof(path), "%s", at + 1);
	}
	const char *slash = strrchr(path, '/');
	bool kernel = path[0] == '[' && strcmp(path, "[vdso]") != 0;
	struct profile_mapping m = {
		.name = strtab_add(&p->strings, slash ? slash + 1 : path),
		.path = strtab_add(&p->strings, path),
		.space = kernel ? SPACE_KERNEL : SPACE_USER,
	};
	struct profile_frame f = { .mapping = profile_mapping(p, &m), .function = PROFILE_NONE, .space = m.space };
	f.addr = 0x1000;
	f.ip = 0x7f0000001000;
	if (name[0] == '~') { /* inlined into its caller */
		f.flags = FRAME_INLINED;
		memmove(name, name + 1, strlen(name));
	}
	if (strcmp(name, "?") != 0) {
		struct profile_function fn = { .mapping = f.mapping, .name = strtab_add(&p->strings, name) };
		f.function = profile_function(p, &fn);
	}
	return profile_frame(p, &f);
}

__attribute__((noinline, unused)) static stack_id test_stack(struct profile *p, const char *frames)
{
	stack_id s = PROFILE_NONE;
	while (*frames) {
		size_t bytes = strcspn(frames, ">");
		/* "->" is part of a name */
		while (frames[bytes] && bytes && frames[bytes - 1] == '-')
			bytes += 1 + strcspn(frames + bytes + 1, ">");
		s = profile_stack(p, s, test_frame(p, frames, bytes));
		frames += bytes + (frames[bytes] == '>');
	}
	return s;
}

struct test_sample {
	const char *comm, *frames;
	uint64_t value;
};

/* Events "cycles" and "sched:sched_switch" (a tracepoint); all samples belong to the first one. */
static inline struct profile *test_profile(const struct test_sample *samples, size_t n)
{
	struct profile *p = profile_create();
	profile_column(p, "comm", COLUMN_STRING);
	profile_column(p, "pid", COLUMN_U64);
	profile_column(p, "tid", COLUMN_U64);
	profile_event(p, "cycles", "");
	p->events.data[profile_event(p, "sched:sched_switch", "")].is_tracepoint = true;
	for (size_t i = 0; i < n; i++) {
		uint64_t labels[] = { strtab_add(&p->strings, samples[i].comm), 40, 41 };
		profile_add(p, test_stack(p, samples[i].frames), profile_labels(p, labels), 0, 1, samples[i].value, 0);
	}
	return p;
}
