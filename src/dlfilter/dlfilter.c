#include "dlfilter/dlfilter_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "dlfilter/place.h"

/* ---- the file ---- */

/* Without '/' the loader searches the library path: makes a path for files found elsewhere. */
static void find_file(const char *file, const char *exec_path, struct strbuf *path)
{
	strbuf_addf(path, "./%s", file);
	bool is_found = !strchr(file, '/') && !access(path->data, R_OK);
	if (!is_found && !strchr(file, '/')) {
		strbuf_reset(path);
		strbuf_addf(path, "%s/dlfilters/%s", exec_path, file);
		is_found = !access(path->data, R_OK);
	}
	if (is_found)
		return;
	strbuf_reset(path);
	strbuf_addstr(path, file);
}

struct strobe_error *dlfilter_load(const char *file, const char *exec_path, struct dlfilter_entries *ret)
{
	_cleanup_strbuf_ struct strbuf path = {};
	const struct library_symbol symbols[] = {
		{ &ret->start, .name = "start", .is_optional = true },
		{ &ret->stop, .name = "stop", .is_optional = true },
		{ &ret->filter_event, .name = "filter_event", .is_optional = true },
		{ &ret->filter_event_early, .name = "filter_event_early", .is_optional = true },
		{ &ret->describe, .name = "filter_description", .is_optional = true },
		{ &ret->functions, .name = "perf_dlfilter_fns", .is_optional = true },
	};
	find_file(file, exec_path, &path);
	const struct library library = { .files = { strbuf_str(&path) } };
	struct strobe_error *err = library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
	if (!err && !ret->filter_event && !ret->filter_event_early)
		err = error_create(ERROR_UNSUPPORTED, "%s is not a filter: it has neither filter_event nor filter_event_early", path.data);
	return err;
}

/* ---- what it prints ---- */

static ssize_t write_out(void *out, const char *text, size_t bytes)
{
	out_write_some(out, text, bytes);
	return (ssize_t)bytes;
}

/* glibc allows assignment to stdout; the filter uses the same variable. */
static void take_stdout(struct dlfilter *d, struct out *out)
{
	FILE *mine = fopencookie(out, "w", (cookie_io_functions_t){ .write = write_out });
	if (!mine)
		return;
	setvbuf(mine, NULL, _IONBF, 0);
	d->stdout_before = stdout;
	stdout = mine;
}

static void give_stdout_back(struct dlfilter *d)
{
	if (!d->stdout_before)
		return;
	fclose(stdout);
	stdout = d->stdout_before;
}

/* ---- the run ---- */

struct strobe_error *dlfilter_add_arg(void *options, const char *value, bool negated)
{
	struct dlfilter_options *o = options;
	if (negated)
		return error_create(ERROR_USAGE, "requires an argument for the filter");
	if (o->args_nr == DLFILTER_ARGS_MAX)
		return error_create(ERROR_USAGE, "too many arguments for the filter (maximum: %d)", DLFILTER_ARGS_MAX);
	o->args[o->args_nr++] = (char *)value;
	return NULL;
}

static struct strobe_error *call_start(struct dlfilter *d)
{
	d->is_stopping_or_starting = true;
	int result = d->entries.start ? d->entries.start(&d->data, d) : 0;
	d->is_stopping_or_starting = false;
	return result ? error_create(ERROR_OTHER, "the filter %s did not start: it returned %d", d->o.file, result) : NULL;
}

struct strobe_error *dlfilter_open(const struct dlfilter_options *o, const struct env *env, struct machine *machine,
				   struct symbols *symbols, struct out *out, struct dlfilter **ret)
{
	struct dlfilter *d = xcalloc(1, sizeof(*d));
	*d = (struct dlfilter){
		.o = *o,
		.machine = machine,
		.symbols = symbols,
		.arch = arch_or_native(env->arch),
	};
	struct strobe_error *err = dlfilter_load(o->file, o->exec_path, &d->entries);
	if (err) {
		free(d);
		return err;
	}
	if (d->entries.functions)
		*d->entries.functions = dlfilter_lookups;
	if (out)
		take_stdout(d, out);
	err = call_start(d);
	if (!err) {
		*ret = d;
		return NULL;
	}
	d->entries.stop = NULL;
	error_destroy(dlfilter_close(d));
	return err;
}

struct strobe_error *dlfilter_close(struct dlfilter *d)
{
	if (!d)
		return NULL;
	d->is_stopping_or_starting = true;
	int result = d->entries.stop ? d->entries.stop(d->data, d) : 0;
	struct strobe_error *err = NULL;
	if (result < 0)
		err = error_create(ERROR_OTHER, "the filter %s failed at its end: it returned %d", d->o.file, result);
	give_stdout_back(d);
	disasm_destroy(d->disasm);
	free(d);
	return err;
}

bool dlfilter_is_early(const struct dlfilter *d)
{
	return d && d->entries.filter_event_early;
}

/* perf's value for a field that was not recorded. */
static uint64_t recorded(const struct perf_event_attr *a, uint64_t bits, uint64_t value)
{
	return a->sample_type & bits ? value : UINT64_MAX;
}

static struct filter_sample sample_for_filter(const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	const struct perf_event_attr *a = &s->event->attr;
	bool has_parts = a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT;
	return (struct filter_sample){
		.bytes = sizeof(struct filter_sample),
		.instruction_latency = x->weight2,
		.pipeline_stage_cycles = x->weight3,
		.ip = x->ip,
		.pid = (int32_t)recorded(a, PERF_SAMPLE_TID, x->pid),
		.tid = (int32_t)recorded(a, PERF_SAMPLE_TID, x->tid),
		.time = recorded(a, PERF_SAMPLE_TIME, x->time),
		.addr = x->addr,
		.id = recorded(a, PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, x->id),
		.stream_id = recorded(a, PERF_SAMPLE_STREAM_ID, x->stream_id),
		.period = x->period,
		.weight = has_parts ? x->weight1 : x->weight,
		.transaction = x->transaction,
		.cpu = (int32_t)x->cpu,
		.data_src = x->data_src,
		.phys_addr = x->phys_addr,
		.data_page_size = x->data_page_size,
		.code_page_size = x->code_page_size,
		.cgroup = x->cgroup,
		.cpumode = x->misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.addr_has_symbol = place_addr_has_symbol(a),
		.misc = x->misc,
		.raw_bytes = x->raw_bytes,
		.raw = x->raw,
		.branches_nr = x->branch_nr,
		.branches = x->branches,
		.callchain_nr = s->recorded_callchain_nr,
		.callchain = s->recorded_callchain,
		.event = s->event->name,
	};
}

typedef int (*filter_fn)(void *data, const struct filter_sample *s, void *ctx);

static struct strobe_error *call_filter(struct dlfilter *d, filter_fn filter, const struct resolved_sample *s, bool *ret_keep)
{
	*ret_keep = true;
	if (!filter)
		return NULL;
	const struct filter_sample sample = sample_for_filter(s);
	d->s = s;
	d->ip.is_known = d->addr.is_known = false;
	int result = filter(d->data, &sample, d);
	d->s = NULL;
	*ret_keep = !result;
	if (result < 0)
		return error_create(ERROR_OTHER, "the filter %s failed at a sample: it returned %d", d->o.file, result);
	return NULL;
}

struct strobe_error *dlfilter_early(struct dlfilter *d, const struct resolved_sample *s, bool *ret_keep)
{
	return call_filter(d, d->entries.filter_event_early, s, ret_keep);
}

struct strobe_error *dlfilter_keeps(struct dlfilter *d, const struct resolved_sample *s, bool *ret_keep)
{
	return call_filter(d, d->entries.filter_event, s, ret_keep);
}
