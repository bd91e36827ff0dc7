/* The table of columns, and how cells compare and look. */
#include "profile/columns.h"

#include <stdio.h>
#include <strings.h>

#include "profile/cells_priv.h"
#include "profile/hist_priv.h"

#define ADDRESS_DIGITS       16
#define TRANSACTION_WIDTH    32
#define UNRESOLVED_DSO_WIDTH 16 /* a DSO column is at least as wide where an address had no symbol */

const struct column columns[COLUMNS_NR] = {
#define COLUMN(id, name, header, from, set, width, labels) \
	{ COLUMN_##id, name, header, COLUMN_FROM_##from, COLUMN_SET_##set, width, labels },
#include "profile/columns.def"
#undef COLUMN
};

const struct column *column_find(const char *word, size_t length)
{
	if (!length)
		return NULL;
	for (size_t i = 0; i < COLUMNS_NR; i++)
		if (strlen(columns[i].name) == length && !strncasecmp(columns[i].name, word, length))
			return &columns[i];
	for (size_t i = 0; i < COLUMNS_NR; i++)
		if (!strncasecmp(columns[i].name, word, length) && columns[i].set != COLUMN_SET_FIELDS)
			return &columns[i];
	return NULL;
}

/* The frame a cell is about: the entry's code, or what a label points at. */
static frame_id cell_frame(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	if (k->column->from == COLUMN_FROM_FRAME)
		return e->frame;
	return (frame_id)hist_label(h, e, k->label, PROFILE_NONE);
}

static uint64_t cell_address(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	if (k->column->from == COLUMN_FROM_FRAME)
		return e->addr;
	frame_id f = cell_frame(h, k, e);
	return f == PROFILE_NONE ? 0 : frame_address(h->profile, &h->profile->frames.data[f]);
}

/* The address by which cells are told apart: of labels, the absolute one. */
static uint64_t cell_identity(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	frame_id f = cell_frame(h, k, e);
	if (k->column->from == COLUMN_FROM_FRAME && k->column->set != COLUMN_SET_MEMORY)
		return e->addr;
	return f == PROFILE_NONE ? 0 : h->profile->frames.data[f].ip;
}

static const char *cell_dso(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const struct profile_mapping *m = frame_mapping(h->profile, cell_frame(h, k, e));
	return m ? profile_str(h->profile, h->options.long_names ? m->path : m->name) : NULL;
}

static const char *cell_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const struct profile_function *fn = frame_function(h->profile, cell_frame(h, k, e));
	return fn ? profile_str(h->profile, fn->name) : NULL;
}

static const char *cell_parent(const struct hist *h, const struct hist_entry *e)
{
	stack_id stack = h->profile->rows.data[e->row].stack;
	str_id id = h->options.stack_parents && stack != PROFILE_NONE ? h->options.stack_parents[stack] : 0;
	return id ? profile_str(h->profile, id) : "[other]";
}

/* hist_create() made the string, so that it is found here. */
static const char *cell_srcline(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	frame_id f = cell_frame(h, k, e);
	if (f == PROFILE_NONE)
		return "??:0";
	/* The table of strings grows only while the hist is made: asked for again, a line is only looked up. */
	return strtab_get(&h->strings, hist_srcline((struct hist *)h, f, cell_address(h, k, e)));
}

static size_t srcfile_length(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, const char *line)
{
	frame_id f = cell_frame(h, k, e);
	const char *colon = strrchr(line, ':');
	return f == PROFILE_NONE || !hist_has_source(h, f) || !colon ? 0 : (size_t)(colon - line);
}

static bool label_is_string(const struct hist *h, uint32_t label)
{
	return label != PROFILE_NONE && h->profile->columns.data[label].type == COLUMN_STRING;
}

static const char *label_string(const struct hist *h, const struct hist_entry *e, uint32_t label)
{
	return label_is_string(h, label) ? profile_str(h->profile, (str_id)hist_label(h, e, label, 0)) : "";
}

static uint64_t cell_time(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	uint64_t quantum = h->options.time_quantum_ns ? h->options.time_quantum_ns : 100000000ull;
	return hist_label(h, e, k->label, 0) / quantum * quantum;
}

static uint64_t cell_dso_size(const struct hist *h, const struct hist_entry *e)
{
	const struct profile_mapping *m = hist_mapping(h, e);
	return m && m->end > m->start ? m->end - m->start : UINT64_MAX;
}

static uint64_t entry_ip(const struct hist *h, const struct hist_entry *e)
{
	return e->frame == PROFILE_NONE ? 0 : h->profile->frames.data[e->frame].ip;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* The reference compares addresses as signed numbers: those of the kernel come first. */
static int compare_addresses(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? -1 : a != b;
}

/* NULL stands behind all names. */
static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return a == b ? 0 : strcmp(a, b);
}

/* The same string of the profile has the same id, and needs no look. */
static int compare_labels(const struct hist *h, const struct hist_key *k, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	uint64_t x = hist_label(h, a, k->label, 0), y = hist_label(h, b, k->label, 0);
	return x == y ? 0 : strcmp(profile_str(h->profile, (str_id)x), profile_str(h->profile, (str_id)y));
}

static const char *thread_comm(const struct hist *h, const struct hist_entry *e, uint64_t tid)
{
	const char *name = NULL;
	if (h->options.thread_name && tid <= UINT32_MAX)
		name = h->options.thread_name(h->options.thread_ctx, (uint32_t)tid);
	if (name)
		return name;
	return label_string(h, e, profile_find_column(h->profile, "comm"));
}

int column_compare(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	switch (k->column->id) {
	case COLUMN_DSO:
	case COLUMN_DSO_DADDR:
		return compare_names(cell_dso(h, k, a), cell_dso(h, k, b));
	case COLUMN_DSO_FROM:
	case COLUMN_DSO_TO: /* the reference's order of these is the other way round */
		return compare_names(cell_dso(h, k, b), cell_dso(h, k, a));
	case COLUMN_SYMBOL_FROM:
	case COLUMN_SYMBOL_TO: /* by address, not by name */
		return column_compare_identity(h, k, a, b);
	case COLUMN_SYMBOL_IADDR:
	case COLUMN_SYMBOL_DADDR:
		return -compare_addresses(cell_identity(h, k, a), cell_identity(h, k, b));
	case COLUMN_CYCLES:
		return -compare_u64(hist_label(h, a, k->label, 0), hist_label(h, b, k->label, 0));
	case COLUMN_SYMBOL:
	case COLUMN_IPC_NULL:
	case COLUMN_IPC_LBR:
		return compare_names(cell_symbol(h, k, a), cell_symbol(h, k, b));
	case COLUMN_SYMOFF: {
		int order = compare_names(cell_symbol(h, k, a), cell_symbol(h, k, b));
		return order ? order : compare_addresses(entry_ip(h, a), entry_ip(h, b));
	}
	case COLUMN_PARENT:
		return strcmp(cell_parent(h, a), cell_parent(h, b));
	case COLUMN_SRCLINE:
	case COLUMN_SRCLINE_FROM:
	case COLUMN_SRCLINE_TO:
	case COLUMN_SRCFILE:
		return strcmp(cell_srcline(h, k, a), cell_srcline(h, k, b));
	case COLUMN_ADDR:
		return compare_addresses(entry_ip(h, a), entry_ip(h, b));
	case COLUMN_ADDR_FROM:
	case COLUMN_ADDR_TO:
	case COLUMN_DCACHELINE:
		return compare_u64(cell_address(h, k, a), cell_address(h, k, b));
	case COLUMN_SYMBOL_SIZE: {
		const struct profile_function *x = hist_function(h, a), *y = hist_function(h, b);
		return compare_u64(x ? x->size : 0, y ? y->size : 0);
	}
	case COLUMN_DSO_SIZE:
		return compare_u64(cell_dso_size(h, a), cell_dso_size(h, b));
	case COLUMN_TIME:
		return compare_u64(cell_time(h, k, a), cell_time(h, k, b));
	case COLUMN_MEM:
	case COLUMN_SNOOP:
	case COLUMN_LOCKED:
	case COLUMN_TLB:
	case COLUMN_BLOCKED:
		return compare_u64(column_data_source(k->column->id, hist_label(h, a, k->label, 0)),
				   column_data_source(k->column->id, hist_label(h, b, k->label, 0)));
	default:
		break;
	}
	if (label_is_string(h, k->label))
		return compare_labels(h, k, a, b);
	int64_t x = (int64_t)hist_label(h, a, k->label, 0), y = (int64_t)hist_label(h, b, k->label, 0);
	int order = x < y ? -1 : x > y;
	return order ? order : compare_u64(hist_label(h, a, k->label2, 0), hist_label(h, b, k->label2, 0));
}

int column_compare_functions(const struct profile_function *x, const struct profile_function *y)
{
	int order = compare_addresses(x->start, y->start);
	return order ? order : compare_u64(x->size, y->size);
}

int column_compare_identity(const struct hist *h, const struct hist_key *k, const struct hist_entry *a,
			    const struct hist_entry *b)
{
	switch (k->column->id) {
	case COLUMN_SYMBOL:
	case COLUMN_IPC_NULL:
	case COLUMN_IPC_LBR:
	case COLUMN_SYMBOL_FROM:
	case COLUMN_SYMBOL_TO: {
		const struct profile_function *x = frame_function(h->profile, cell_frame(h, k, a));
		const struct profile_function *y = frame_function(h->profile, cell_frame(h, k, b));
		if (!x || !y)
			return !x != !y ? !x - !y : compare_addresses(cell_identity(h, k, a), cell_identity(h, k, b));
		return column_compare_functions(x, y);
	}
	default:
		return k->column->from == COLUMN_FROM_VALUES ? 0 : column_compare(h, k, a, b);
	}
}

/* Appended, cut after width characters and padded up to it; width 0: as it is. */
static void add_left(struct strbuf *out, const char *s, unsigned width)
{
	size_t n = strlen(s);
	if (width && n > width)
		n = width;
	strbuf_add(out, s, n);
	for (; n < width; n++)
		strbuf_addch(out, ' ');
}

/* At least three digits, as the reference writes CPUs and sockets; padded to width on the left. */
static void add_small(struct strbuf *out, int64_t v, unsigned width, unsigned digits)
{
	strbuf_addf(out, "%*.*d", (int)width, (int)digits, (int)v);
}

/* In the reference's way, an address of 0 has no 0x before it. */
static void add_address(struct strbuf *out, uint64_t addr)
{
	strbuf_addf(out, "%-#.*llx", ADDRESS_DIGITS, (unsigned long long)addr);
}

/* Of branches: one from or to where nothing is mapped has the mark of what was tried last, the hypervisor. */
static char branch_level(const struct hist *h, frame_id f)
{
	enum mapping_space space = f == PROFILE_NONE ? SPACE_UNKNOWN : h->profile->frames.data[f].space;
	return hist_level(space == SPACE_UNKNOWN ? SPACE_HYPERVISOR : space);
}

#define CACHE_LINE_BYTES 64

/* Data are marked as the code that touched them; cache lines of no map, and shared ones, have marks of their own. */
static void format_data(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			struct strbuf *out)
{
	frame_id f = cell_frame(h, k, e);
	const struct profile_function *fn = frame_function(h->profile, f);
	bool line = k->column->id == COLUMN_DCACHELINE;
	uint64_t addr = line ? cell_address(h, k, e) & ~(uint64_t)(CACHE_LINE_BYTES - 1) : cell_identity(h, k, e);
	size_t start = out->len;
	char level = e->level;
	if (line && !frame_mapping(h->profile, f))
		level = 'X';
	else if (line && h->profile->frames.data[f].flags & FRAME_SHARED)
		level = 's';
	strbuf_addf(out, "[%c] ", level);
	if (!fn)
		add_address(out, addr);
	else if (fn->is_data)
		strbuf_addf(out, "%s+0x%llx", profile_str(h->profile, fn->name),
			    (unsigned long long)(addr - (h->profile->frames.data[f].ip - h->profile->frames.data[f].addr + fn->start)));
	else
		strbuf_addstr(out, profile_str(h->profile, fn->name));
	if (width && out->len - start > width)
		out->len = start + width;
}

static uint64_t symbol_offset(const struct hist *h, frame_id f)
{
	return h->profile->frames.data[f].addr - frame_function(h->profile, f)->start;
}

static void add_offset(const struct hist *h, frame_id f, struct strbuf *out)
{
	uint64_t offset = symbol_offset(h, f);
	if (offset)
		strbuf_addf(out, "+0x%llx", (unsigned long long)offset);
}

static void format_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			  struct strbuf *out)
{
	frame_id f = cell_frame(h, k, e);
	const char *name = cell_symbol(h, k, e);
	bool of_branch = k->column->id == COLUMN_SYMBOL_FROM || k->column->id == COLUMN_SYMBOL_TO;
	char level = of_branch ? branch_level(h, f) : e->level;
	size_t start = out->len;
	if (h->options.long_names && k->column->id == COLUMN_SYMBOL)
		strbuf_addf(out, "%-#*llx %c ", ADDRESS_DIGITS + 2, (unsigned long long)e->addr, e->level == 'k' ? 'k' : 'd');
	strbuf_addf(out, "[%c] ", level);
	if (!name) {
		add_address(out, cell_address(h, k, e));
		return;
	}
	size_t n = strlen(name), used = out->len - start;
	strbuf_add(out, name, width > used && n > width - used ? width - used : n);
	if (f != PROFILE_NONE && (h->profile->frames.data[f].flags & FRAME_INLINED))
		strbuf_addstr(out, " (inlined)");
	else if (k->column->id == COLUMN_SYMOFF)
		strbuf_addf(out, "+0x%llx", (unsigned long long)symbol_offset(h, f));
	if (k->column->id == COLUMN_ADDR_FROM || k->column->id == COLUMN_ADDR_TO)
		add_offset(h, f, out);
}

static void format_time(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, struct strbuf *out)
{
	uint64_t ns = cell_time(h, k, e);
	char text[40];
	if (h->options.nanoseconds)
		snprintf(text, sizeof(text), "%llu.%09llu", (unsigned long long)(ns / 1000000000),
			 (unsigned long long)(ns % 1000000000));
	else
		snprintf(text, sizeof(text), "%llu.%06llu", (unsigned long long)(ns / 1000000000),
			 (unsigned long long)(ns % 1000000000 / 1000));
	strbuf_addstr(out, text);
}

static void format_size(struct strbuf *out, uint64_t size, unsigned width)
{
	if (size == UINT64_MAX)
		strbuf_addf(out, "%*s", (int)width, "unknown");
	else
		strbuf_addf(out, "%*llu", (int)width, (unsigned long long)size);
}

static void format_page_size(struct strbuf *out, uint64_t bytes, unsigned width)
{
	char text[32];
	if (!bytes)
		snprintf(text, sizeof(text), "N/A");
	else if (bytes >= 1 << 30 && !(bytes & ((1 << 30) - 1)))
		snprintf(text, sizeof(text), "%lluG", (unsigned long long)(bytes >> 30));
	else if (bytes >= 1 << 20 && !(bytes & ((1 << 20) - 1)))
		snprintf(text, sizeof(text), "%lluM", (unsigned long long)(bytes >> 20));
	else if (bytes >= 1 << 10)
		snprintf(text, sizeof(text), "%lluK", (unsigned long long)(bytes >> 10));
	else
		snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	add_left(out, text, width);
}

static void format_number(struct strbuf *out, const char *how, unsigned width, uint64_t v)
{
	char text[40];
	snprintf(text, sizeof(text), how, (unsigned long long)v);
	add_left(out, text, width);
}

static void format_thread(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			  struct strbuf *out)
{
	uint64_t tid = hist_label(h, e, k->label, 0);
	const char *comm = thread_comm(h, e, tid);
	char number[16]; /* in place of a name: so the reference calls who has none */
	snprintf(number, sizeof(number), ":%d", (int)tid);
	strbuf_addf(out, "%7d:", (int)tid);
	add_left(out, *comm ? comm : number, width > 8 ? width - 8 : 0);
}

static void format_branch(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			  struct strbuf *out)
{
	uint64_t v = hist_label(h, e, k->label, 0);
	const char *text = "N/A";
	if (k->column->id == COLUMN_MISPREDICT)
		text = v & BRANCH_PREDICTED ? "N" : v & BRANCH_MISPREDICTED ? "Y" : "N/A";
	else if (k->column->id == COLUMN_ABORT)
		text = v & BRANCH_ABORT ? "A" : ".";
	else if (k->column->id == COLUMN_IN_TX)
		text = v & BRANCH_IN_TX ? "T" : ".";
	else if (k->column->id == COLUMN_CYCLES && !v)
		text = "-";
	else if (k->column->id == COLUMN_CYCLES)
		return format_number(out, "%llu", width, v);
	add_left(out, text, width);
}

static void format_label(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			 struct strbuf *out)
{
	uint64_t v = hist_label(h, e, k->label, 0);
	if (label_is_string(h, k->label)) {
		const char *s = label_string(h, e, k->label);
		size_t n = strlen(s);
		strbuf_addf(out, "%*.*s", (int)width, (int)(width && n > width ? width : n), s);
	}
	else if (k->label == PROFILE_NONE)
		strbuf_addf(out, "%*s", (int)width, "");
	else if (h->profile->columns.data[k->label].type == COLUMN_HEX)
		strbuf_addf(out, "%*s%#llx", 0, "", (unsigned long long)v);
	else if (h->profile->columns.data[k->label].type == COLUMN_I64)
		strbuf_addf(out, "%*lld", (int)width, (long long)v);
	else
		strbuf_addf(out, "%*llu", (int)width, (unsigned long long)v);
}

/* Cells that are text, in a column of their own width. */
static const char *text_cell(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *s;
	switch (k->column->id) {
	case COLUMN_COMM: return label_string(h, e, k->label);
	case COLUMN_CGROUP:
		s = label_string(h, e, k->label);
		return *s ? s : "N/A";
	case COLUMN_DSO:
	case COLUMN_DSO_FROM:
	case COLUMN_DSO_TO:
	case COLUMN_DSO_DADDR:
		s = cell_dso(h, k, e);
		return s ? s : "[unknown]";
	case COLUMN_PARENT: return cell_parent(h, e);
	case COLUMN_SRCLINE:
	case COLUMN_SRCLINE_FROM:
	case COLUMN_SRCLINE_TO: return cell_srcline(h, k, e);
	case COLUMN_IPC_LBR:
		/* Instructions are counted by disassembly, which a report does not do. */
		if (!cell_symbol(h, k, e))
			return "-";
		/* fallthrough */
	case COLUMN_IPC_NULL: return "-      -            ";
	case COLUMN_TRACE:
		s = k->label == PROFILE_NONE ? "" : label_string(h, e, k->label);
		return *s || h->profile->events.data[h->profile->rows.data[e->row].event].is_tracepoint ? s : "N/A";
	default: return NULL;
	}
}

void column_format(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
		   struct strbuf *out)
{
	const char *text = text_cell(h, k, e);
	uint64_t v = k->column->from == COLUMN_FROM_LABELS ? hist_label(h, e, k->label, 0) : 0;
	switch (k->column->id) {
	case COLUMN_PID:
	case COLUMN_TID:
		return format_thread(h, k, e, width, out);
	case COLUMN_SYMBOL:
	case COLUMN_SYMOFF:
	case COLUMN_SYMBOL_FROM:
	case COLUMN_SYMBOL_TO:
	case COLUMN_ADDR_FROM:
	case COLUMN_ADDR_TO:
		return format_symbol(h, k, e, width, out);
	case COLUMN_SYMBOL_IADDR:
	case COLUMN_SYMBOL_DADDR:
	case COLUMN_DCACHELINE:
		return format_data(h, k, e, width, out);
	case COLUMN_CPU:
		return add_small(out, k->label == PROFILE_NONE ? -1 : (int64_t)v, width, 3);
	case COLUMN_SOCKET:
		return add_small(out, k->label == PROFILE_NONE ? -1 : (int64_t)v, width, width > 6 ? width - 3 : 3);
	case COLUMN_SRCFILE:
		text = cell_srcline(h, k, e);
		strbuf_add(out, text, srcfile_length(h, k, e, text));
		return;
	case COLUMN_LOCAL_WEIGHT:
	case COLUMN_LOCAL_INS_LAT:
	case COLUMN_LOCAL_P_STAGE_CYC:
		return format_number(out, "%llu", width, v);
	case COLUMN_WEIGHT:
	case COLUMN_INS_LAT:
	case COLUMN_P_STAGE_CYC:
		return format_number(out, "%llu", width, v * hist_stats(h, e)->samples);
	case COLUMN_PARALLELISM:
		strbuf_addf(out, "%*llu", (int)width, (unsigned long long)v);
		return;
	case COLUMN_TRANSACTION:
		return column_format_transaction(v, width, out);
	case COLUMN_SYMBOL_SIZE: {
		const struct profile_function *fn = hist_function(h, e);
		return format_size(out, fn ? fn->size : UINT64_MAX, width);
	}
	case COLUMN_DSO_SIZE:
		return format_size(out, cell_dso_size(h, e), width);
	case COLUMN_CGROUP_ID:
		strbuf_addf(out, "%llu/0x%llx", (unsigned long long)v,
			    (unsigned long long)hist_label(h, e, k->label2, 0));
		return;
	case COLUMN_TIME:
		return format_time(h, k, e, out);
	case COLUMN_CODE_PAGE_SIZE:
	case COLUMN_DATA_PAGE_SIZE:
		return format_page_size(out, v, width);
	case COLUMN_ADDR:
		return format_number(out, "%#llx", width, entry_ip(h, e));
	case COLUMN_PHYS_DADDR:
		strbuf_addf(out, "[%c] ", e->level);
		return add_address(out, v);
	case COLUMN_MISPREDICT:
	case COLUMN_ABORT:
	case COLUMN_IN_TX:
	case COLUMN_CYCLES:
		return format_branch(h, k, e, width, out);
	case COLUMN_MEM:
	case COLUMN_SNOOP:
	case COLUMN_LOCKED:
	case COLUMN_TLB:
	case COLUMN_BLOCKED:
		return column_format_data_source(k->column->id, v, width, out);
	case COLUMN_TRACE:
		return strbuf_add(out, text, width && strlen(text) > width ? width : strlen(text));
	case COLUMN_FIELD:
		return format_label(h, k, e, width, out);
	default:
		return add_left(out, text ? text : "", width);
	}
}

unsigned column_measure(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *s;
	switch (k->column->id) {
	case COLUMN_DSO:
		/* The reference widens the column where the symbol is unknown. */
		s = cell_dso(h, k, e);
		return s && cell_symbol(h, k, e) ? strlen(s) :
		       s && strlen(s) > UNRESOLVED_DSO_WIDTH ? strlen(s) : UNRESOLVED_DSO_WIDTH;
	case COLUMN_COMM:
		/* The reference makes room for the name that the thread had at last. */
		return (unsigned)strlen(thread_comm(h, e, hist_label(h, e, h->thread_label, UINT64_MAX)));
	case COLUMN_DSO_FROM:
	case COLUMN_DSO_TO: /* the reference asks for no more room than this where the symbol is unknown */
		s = cell_dso(h, k, e);
		return s && cell_symbol(h, k, e) ? strlen(s) : UNRESOLVED_DSO_WIDTH;
	case COLUMN_DSO_DADDR:
		s = cell_dso(h, k, e);
		return s ? (unsigned)strlen(s) : UNRESOLVED_DSO_WIDTH;
	case COLUMN_PARENT:
	case COLUMN_CGROUP:
	case COLUMN_TRACE:
	case COLUMN_SRCLINE:
	case COLUMN_SRCLINE_FROM:
	case COLUMN_SRCLINE_TO:
		return (unsigned)strlen(text_cell(h, k, e));
	case COLUMN_SYMBOL:
	case COLUMN_SYMBOL_FROM:
	case COLUMN_SYMBOL_TO:
		s = cell_symbol(h, k, e);
		return (unsigned)(s ? strlen(s) + 4 : ADDRESS_DIGITS + 6) +
		       (h->options.long_names && k->column->id == COLUMN_SYMBOL ? ADDRESS_DIGITS + 5 : 0);
	case COLUMN_SYMOFF: /* room for an offset as functions have them */
		s = cell_symbol(h, k, e);
		return (unsigned)(s ? strlen(s) + 4 + strlen("+0xffff") : ADDRESS_DIGITS + 6);
	case COLUMN_ADDR_FROM:
	case COLUMN_ADDR_TO:
		return ADDRESS_DIGITS + 6;
	case COLUMN_SYMBOL_IADDR:
	case COLUMN_SYMBOL_DADDR:
	case COLUMN_DCACHELINE: /* the reference makes room for an address behind the name */
		s = cell_symbol(h, k, e);
		return (unsigned)(s ? strlen(s) + ADDRESS_DIGITS + 6 + (k->column->id == COLUMN_DCACHELINE) :
				      ADDRESS_DIGITS + 6);
	case COLUMN_TRANSACTION: /* room for all flags at once */
		return hist_label(h, e, k->label, 0) ? TRANSACTION_WIDTH : 0;
	case COLUMN_DSO_SIZE:
	case COLUMN_MEM: /* as wide as its head, whatever it holds */
	case COLUMN_CPU:
	case COLUMN_SOCKET:
		return k->column->width;
	case COLUMN_FIELD: {
		unsigned n = label_is_string(h, k->label) && !k->cut ? (unsigned)strlen(label_string(h, e, k->label)) : 0;
		return n > k->width ? n : k->width;
	}
	default: {
		_cleanup_strbuf_ struct strbuf b = {};
		column_format(h, k, e, 0, &b);
		return (unsigned)b.len;
	}
	}
}
