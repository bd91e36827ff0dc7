/* A filter of perf's binary interface that prints its arguments and all that it may look up, and drops some samples. */
#include <stdio.h>
#include <string.h>

#include "dlfilter/abi.h"

struct filter_functions perf_dlfilter_fns;

static unsigned seen, kept;

static void print_place(const char *what, const struct filter_place *p)
{
	if (!p) {
		printf(" %s none", what);
		return;
	}
	printf(" %s %s+%x [%llx %llx] %llx %s %d %d %d %d %s id ", what, p->symbol ? p->symbol : "-", p->symbol_offset,
	       (unsigned long long)p->symbol_start, (unsigned long long)p->symbol_end, (unsigned long long)p->addr, p->dso ? p->dso : "-",
	       p->binding, p->is_64bit, p->is_kernel, p->is_left_out, p->comm ? p->comm : "-");
	for (unsigned i = 0; i < p->build_id_bytes; i++)
		printf("%02x", p->build_id[i]);
}

static void print_bytes(const char *what, const uint8_t *bytes, int n)
{
	printf(" %s", what);
	for (int i = 0; bytes && i < n; i++)
		printf(" %02x", bytes[i]);
}

static void print_sample(const struct filter_sample *s)
{
	printf("%s ip %llx pid %d tid %d time %llu addr %llx id %llx stream %llx period %llu weight %llu cpu %d mode %d misc %x raw %u "
	       "branches %llu chain %llu symbol %d", s->event, (unsigned long long)s->ip, s->pid, s->tid, (unsigned long long)s->time,
	       (unsigned long long)s->addr, (unsigned long long)s->id, (unsigned long long)s->stream_id, (unsigned long long)s->period,
	       (unsigned long long)s->weight, s->cpu, s->cpumode, s->misc, s->raw_bytes, (unsigned long long)s->branches_nr,
	       (unsigned long long)s->callchain_nr, s->addr_has_symbol);
	if (s->callchain_nr)
		printf(" last %llx", (unsigned long long)s->callchain[s->callchain_nr - 1]);
}

static void print_code(uint64_t ip, void *ctx)
{
	uint8_t code[8];
	uint32_t bytes = 0, line = 0;
	const uint8_t *insn = perf_dlfilter_fns.insn(ctx, &bytes);
	print_bytes("insn", insn, (int)bytes);
	print_bytes("code", code, perf_dlfilter_fns.object_code(ctx, ip, code, sizeof(code)));
	const char *file = perf_dlfilter_fns.srcline(ctx, &line);
	printf(" line %s:%u", file ? file : "-", line);
}

static void print_lookups(const struct filter_sample *s, void *ctx)
{
	struct filter_place place = { .bytes = sizeof(place) };
	const struct perf_event_attr *attr = perf_dlfilter_fns.attr(ctx);
	printf(" attr %u %llu", attr->type, (unsigned long long)attr->config);
	print_place("ip", perf_dlfilter_fns.resolve_ip(ctx));
	print_place("addr", perf_dlfilter_fns.resolve_addr(ctx));
	if (!perf_dlfilter_fns.resolve_address(ctx, s->callchain_nr ? s->callchain[s->callchain_nr - 1] : s->ip, &place)) {
		print_place("last", &place);
		if (perf_dlfilter_fns.place_done)
			perf_dlfilter_fns.place_done(ctx, &place);
	}
	print_code(s->ip, ctx);
}

int start(void **data, void *ctx)
{
	int n;
	char **args = perf_dlfilter_fns.args(ctx, &n);
	printf("start %d", n);
	for (int i = 0; i < n; i++)
		printf(" '%s'", args[i]);
	printf(" %d\n", perf_dlfilter_fns.resolve_ip(ctx) != NULL);
	*data = &seen;
	return n && !strcmp(args[0], "fail") ? -7 : 0;
}

#ifdef EARLY
int filter_event_early(void *data, const struct filter_sample *s, void *ctx)
{
	printf("early %d %llu\n", s->cpu, (unsigned long long)s->time);
	return s->period & 1 && s->time / 1000 % 3 == 0;
}
#endif

int filter_event(void *data, const struct filter_sample *s, void *ctx)
{
	++*(unsigned *)data;
	print_sample(s);
	print_lookups(s, ctx);
	int is_left_out = s->time / 1000 % 2;
	printf(" %s", is_left_out ? "left out\n" : "| ");
	kept += !is_left_out;
	return is_left_out;
}

int stop(void *data, void *ctx)
{
	int n;
	(void)perf_dlfilter_fns.args(ctx, &n);
	printf("stop %u of %u %d\n", kept, *(unsigned *)data, n);
	return 0;
}

const char *filter_description(const char **details)
{
	*details = "One line.\nAnother.";
	return "prints everything";
}
