/* Cells made from labels of a row, and from the whole stack. */
#include <stdio.h>

#include "profile/cells_priv.h"

#define QUANTUM_NS 100000000ull

bool label_is_string(const struct hist *h, uint32_t label)
{
	return label != PROFILE_NONE && h->profile->columns.data[label].type == COLUMN_STRING;
}

const char *label_string(const struct hist *h, const struct hist_entry *e, uint32_t label)
{
	return label_is_string(h, label) ? profile_str(h->profile, (str_id)hist_label(h, e, label, 0)) : "";
}

static const char *label_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return label_string(h, e, k->label);
}

/* ---- threads and processors ---- */

const char *thread_comm(const struct hist *h, const struct hist_entry *e, uint64_t tid)
{
	const char *name = NULL;
	if (h->options.thread_name && tid <= UINT32_MAX)
		name = h->options.thread_name(h->options.thread_ctx, (uint32_t)tid);
	if (name)
		return name;
	return label_string(h, e, profile_find_column(h->profile, "comm"));
}

static void format_thread(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	uint64_t tid = hist_label(h, e, k->label, 0);
	const char *comm = thread_comm(h, e, tid);
	char number[16]; /* perf's name for a thread without one */
	snprintf(number, sizeof(number), ":%d", (int)tid);
	strbuf_addf(out, "%7d:", (int)tid);
	add_left(out, *comm ? comm : number, width > 8 ? width - 8 : 0);
}

/* perf reserves room for the thread's last name. */
static unsigned measure_comm(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return (unsigned)strlen(thread_comm(h, e, hist_label(h, e, h->thread_label, UINT64_MAX)));
}

/* With a minimum number of digits, as perf writes CPUs and sockets; right-aligned. */
static void add_small(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, unsigned digits,
		      struct strbuf *out)
{
	int v = k->label == PROFILE_NONE ? -1 : (int)hist_label(h, e, k->label, 0);
	strbuf_addf(out, "%*.*d", (int)width, (int)digits, v);
}

static void format_cpu(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	add_small(h, k, e, width, 3, out);
}

static void format_socket(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	add_small(h, k, e, width, width > 6 ? width - 3 : 3, out);
}

const struct column_cells cells_thread = { .value = value_of_thread, .by_number = true, .format = format_thread, .is_number = true };
const struct column_cells cells_comm = { .name = label_text, .text = label_text, .measure = measure_comm, .filter = COLUMN_FILTER_COMM };
const struct column_cells cells_cpu = { .value = value_of_place, .by_number = true, .format = format_cpu, .measure = measure_header,
					.is_number = true };
const struct column_cells cells_socket = { .value = value_of_place, .format = format_socket, .measure = measure_header };

/* ---- numbers ---- */

static void format_number(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	add_number(out, "%llu", width, hist_label(h, e, k->label, 0));
}

static void format_right_number(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
				struct strbuf *out)
{
	strbuf_addf(out, "%*llu", (int)width, (unsigned long long)hist_label(h, e, k->label, 0));
}

/* Of all samples of the entry. */
static void format_total(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	add_number(out, "%llu", width, hist_label(h, e, k->label, 0) * hist_stats(h, e)->samples);
}

static int compare_cycles(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	return -compare_u64(hist_label(h, a, k->label, 0), hist_label(h, b, k->label, 0));
}

static void format_cycles(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	if (hist_label(h, e, k->label, 0))
		format_number(h, k, e, width, out);
	else
		add_left(out, "-", width);
}

static void format_page_size(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	uint64_t bytes = hist_label(h, e, k->label, 0);
	if (!bytes)
		add_left(out, "N/A", width);
	else if (bytes >= 1 << 30 && !(bytes & ((1 << 30) - 1)))
		add_number(out, "%lluG", width, bytes >> 30);
	else if (bytes >= 1 << 20 && !(bytes & ((1 << 20) - 1)))
		add_number(out, "%lluM", width, bytes >> 20);
	else if (bytes >= 1 << 10)
		add_number(out, "%lluK", width, bytes >> 10);
	else
		add_number(out, "%llu", width, bytes);
}

const struct column_cells cells_number = { .format = format_number, .is_number = true };
const struct column_cells cells_right_number = { .by_number = true, .format = format_right_number, .is_number = true };
const struct column_cells cells_total = { .format = format_total, .is_number = true };
const struct column_cells cells_cycles = { .compare = compare_cycles, .format = format_cycles, .is_number = true };
const struct column_cells cells_page_size = { .format = format_page_size, .is_number = true };

/* ---- times ---- */

static uint64_t time_word(const struct hist *h, uint64_t ns)
{
	uint64_t quantum = h->options.time_quantum_ns ? h->options.time_quantum_ns : QUANTUM_NS;
	return ns / quantum * quantum;
}

static void format_time(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	uint64_t ns = time_word(h, hist_label(h, e, k->label, 0));
	if (h->options.nanoseconds)
		strbuf_addf(out, "%llu.%09llu", (unsigned long long)(ns / 1000000000), (unsigned long long)(ns % 1000000000));
	else
		strbuf_addf(out, "%llu.%06llu", (unsigned long long)(ns / 1000000000), (unsigned long long)(ns % 1000000000 / 1000));
}

const struct column_cells cells_time = { .word = time_word, .compare = compare_label_words, .format = format_time, .is_number = true };

/* ---- branches ---- */

static uint64_t prediction_word(const struct hist *h, uint64_t flags)
{
	return flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED);
}

static uint64_t abort_word(const struct hist *h, uint64_t flags)
{
	return flags & BRANCH_ABORT;
}

static uint64_t in_tx_word(const struct hist *h, uint64_t flags)
{
	return flags & BRANCH_IN_TX;
}

static const char *mispredict_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	uint64_t flags = hist_label(h, e, k->label, 0);
	return flags & BRANCH_PREDICTED ? "N" : flags & BRANCH_MISPREDICTED ? "Y" : "N/A";
}

static const char *abort_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return abort_word(h, hist_label(h, e, k->label, 0)) ? "A" : ".";
}

static const char *in_tx_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return in_tx_word(h, hist_label(h, e, k->label, 0)) ? "T" : ".";
}

const struct column_cells cells_mispredict = { .word = prediction_word, .text = mispredict_text };
const struct column_cells cells_abort = { .word = abort_word, .text = abort_text };
const struct column_cells cells_in_tx = { .word = in_tx_word, .text = in_tx_text };

/* ---- control groups ---- */

static const char *cgroup_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *s = label_text(h, k, e);
	return *s ? s : "N/A";
}

static size_t cgroup_id_words(struct hist *h, const struct hist_key *k, const struct profile_row *row, uint64_t value, uint64_t *words)
{
	words[0] = value;
	words[1] = k->label2 == PROFILE_NONE ? 0 : profile_label_values(h->profile, row->labels)[k->label2];
	return 2;
}

static void format_cgroup_id(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			     struct strbuf *out)
{
	strbuf_addf(out, "%llu/0x%llx", (unsigned long long)hist_label(h, e, k->label, 0),
		    (unsigned long long)hist_label(h, e, k->label2, 0));
}

const struct column_cells cells_cgroup = { .text = cgroup_text };
const struct column_cells cells_cgroup_id = { .row_words = cgroup_id_words, .value = value_of_cgroup_id, .format = format_cgroup_id };

/* ---- tracepoints, and labels of any name ---- */

static const char *trace_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *s = label_text(h, k, e);
	return *s || h->profile->events.data[h->profile->rows.data[e->row].event].is_tracepoint ? s : "N/A";
}

static void format_trace(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	const char *s = trace_text(h, k, e);
	size_t n = strlen(s);
	strbuf_add(out, s, width && n > width ? width : n);
}

static void format_field(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	uint64_t v = hist_label(h, e, k->label, 0);
	if (k->label == PROFILE_NONE) {
		strbuf_addf(out, "%*s", (int)width, "");
	} else if (label_is_string(h, k->label)) {
		const char *s = label_text(h, k, e);
		size_t n = strlen(s);
		strbuf_addf(out, "%*.*s", (int)width, (int)(width && n > width ? width : n), s);
	} else if (h->profile->columns.data[k->label].type == COLUMN_HEX) {
		strbuf_addf(out, "%#llx", (unsigned long long)v);
	} else if (h->profile->columns.data[k->label].type == COLUMN_I64) {
		strbuf_addf(out, "%*lld", (int)width, (long long)v);
	} else {
		strbuf_addf(out, "%*llu", (int)width, (unsigned long long)v);
	}
}

static unsigned measure_field(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	unsigned n = k->cut ? 0 : (unsigned)strlen(label_text(h, k, e));
	return n > k->width ? n : k->width;
}

static const char *type_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *s = label_text(h, k, e);
	return *s ? s : "(unknown)";
}

const struct column_cells cells_type = { .name = type_text, .text = type_text };
const struct column_cells cells_text = { .name = label_text, .text = label_text };
const struct column_cells cells_trace = { .name = label_text, .text = trace_text, .format = format_trace };
const struct column_cells cells_field = { .format = format_field, .measure = measure_field, .align_right = true, .is_number = true };

/* ---- stacks ---- */

static size_t parent_words(struct hist *h, const struct hist_key *k, const struct profile_row *row, uint64_t value, uint64_t *words)
{
	const str_id *parents = h->options.stack_parents;
	words[0] = parents && row->stack != PROFILE_NONE ? parents[row->stack] : 0;
	return 1;
}

static const char *parent_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	stack_id stack = h->profile->rows.data[e->row].stack;
	str_id id = h->options.stack_parents && stack != PROFILE_NONE ? h->options.stack_parents[stack] : 0;
	return id ? profile_str(h->profile, id) : "[other]";
}

const struct column_cells cells_parent = { .row_words = parent_words, .name = parent_text, .text = parent_text };
