/*
 * Any bytes as what the kernel says of guests and of its functions: print formats of kvm:kvm_exit, in which names of exit reasons are
 * found, exits and entries of virtual CPUs, and lines of the function_graph tracer.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kvm/kvm_exits.h"
#include "analysis/kvm/kvm_reasons.h"
#include "base/mem.h"
#include "ftrace/duration.h"
#include "ftrace/functions.h"
#include "table/table.h"

#define EVENT_BYTES 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_reasons(const char *print_format)
{
	struct kvm_reasons r;
	kvm_reasons_init(&r, print_format);
	for (unsigned list = 0; list < KVM_REASON_LISTS; list++)
		for (uint64_t number = 0; number < 64; number++) {
			const char *name = kvm_reasons_name(&r, list, number);
			if (name && strlen(name) > strlen(print_format))
				abort();
		}
	kvm_reasons_deinit(&r);
}

/* The rows together are the samples and the time. */
static void check_sums(const struct kvm_exits *x)
{
	uint64_t samples = 0, ns = 0;
	for (size_t i = 0; i < x->rows.len; i++) {
		samples += x->rows.data[i].ns.n;
		ns += x->rows.data[i].total_ns;
	}
	if (samples != x->samples || ns != x->total_ns)
		abort();
}

static void count_exits(const uint8_t *data, size_t size)
{
	struct kvm_exits x;
	uint64_t time_ns = 1;
	kvm_exits_init(&x, KVM_ALL_VCPUS);
	for (size_t at = 0; at + EVENT_BYTES <= size; at += EVENT_BYTES) {
		const uint8_t *e = data + at;
		const char name[] = { (char)('a' + e[2] % 16), '\0' };
		uint32_t tid = e[1] % 8, key = e[2] < 200 ? kvm_exits_key(&x, name) : KVM_NO_KEY;
		time_ns += (uint64_t)(int64_t)(int8_t)e[3]; /* also backwards */
		if (e[0] % 3 == 0)
			kvm_exits_vcpu(&x, tid, e[3] % 4);
		else if (e[0] % 3 == 1)
			kvm_exits_begin(&x, tid, time_ns, key);
		else
			kvm_exits_end(&x, tid, time_ns, key, NULL);
	}
	check_sums(&x);
	kvm_exits_sort(&x, size % 2 ? KVM_BY_TIME : KVM_BY_SAMPLES);
	check_sums(&x);
	kvm_exits_restart(&x);
	for (uint32_t tid = 0; tid < 8; tid++) /* those that have begun */
		kvm_exits_end(&x, tid, time_ns + 1, KVM_NO_KEY, NULL);
	check_sums(&x);
	kvm_exits_deinit(&x);
}

static void add_line(struct ftrace_functions *f, const char *line, size_t bytes)
{
	struct ftrace_duration d = {};
	(void)ftrace_lost_events(line, bytes);
	if (!ftrace_duration_parse(line, bytes, &d))
		return;
	if (isnan(d.us) || d.us < 0)
		abort();
	if (!d.function_bytes)
		return;
	if (d.function < line || d.function + d.function_bytes > line + bytes)
		abort();
	ftrace_functions_add(f, d.function, d.function_bytes, d.us);
}

static void read_trace(const char *text, size_t size)
{
	struct ftrace_functions f;
	struct table t;
	ftrace_functions_init(&f);
	for (const char *at = text, *end = text + size; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t bytes = (size_t)((newline ? newline : end) - at);
		add_line(&f, at, bytes);
		at += bytes + 1;
	}
	ftrace_functions_sort(&f, FTRACE_BY_TOTAL);
	ftrace_functions_table(&t, &f);
	table_deinit(&t);
	ftrace_functions_deinit(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	char *text = xcalloc(1, size);
	memcpy(text, data + 1, size - 1); /* a NUL follows */
	if (data[0] % 3 == 0)
		read_reasons(text);
	else if (data[0] % 3 == 1)
		count_exits(data + 1, size - 1);
	else
		read_trace(text, size - 1);
	free(text);
	return 0;
}
