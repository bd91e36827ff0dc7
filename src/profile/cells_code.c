/* Cells made from a frame: the entry's code, or the code or data of a label. */
#include "base/cleanup.h"
#include "base/text.h"
#include "profile/cells_priv.h"

#define UNRESOLVED_DSO_WIDTH 16 /* minimum width of a DSO column if an address had no symbol */
#define UNKNOWN		     UINT64_MAX
#define UNKNOWN_LINE	     "??:0"

/* ---- what cells are made of ---- */

static uint64_t cell_address(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	if (k->column->from == COLUMN_FROM_FRAME)
		return e->addr;
	frame_id f = cell_frame(h, k, e);
	return f == PROFILE_NONE ? 0 : frame_address(h->profile, &h->profile->frames.data[f]);
}

/* The address that distinguishes cells; for labels, the absolute one. */
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

/* As in perf: "file:line" if the line is known, else "symbol+offset", else the address. */
static void add_srcline(const struct hist *h, frame_id id, uint64_t addr, struct strbuf *out)
{
	const struct profile *p = h->profile;
	const struct profile_frame *f = &p->frames.data[id];
	const struct profile_function *fn = frame_function(p, id);
	if (hist_has_source(h, id)) {
		const char *file = profile_str(p, fn->file);
		strbuf_addf(out, "%s:%u", h->options.full_source_path ? file : text_base_name(file), f->line);
	} else if (fn) {
		strbuf_addf(out, "%s+%llu", profile_str(p, fn->name), (unsigned long long)(f->addr - fn->start));
	} else if (f->mapping != PROFILE_NONE) {
		strbuf_addf(out, "%s[%llx]", profile_str(p, p->mappings.data[f->mapping].name), (unsigned long long)addr);
	} else {
		strbuf_addstr(out, UNKNOWN_LINE);
	}
}

static str_id make_srcline(struct hist *h, frame_id id, uint64_t addr)
{
	_cleanup_strbuf_ struct strbuf b = {};
	add_srcline(h, id, addr, &b);
	return strtab_add(&h->strings, strbuf_str(&b));
}

static void make_cell_srcline(struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	frame_id f = cell_frame(h, k, e);
	if (f != PROFILE_NONE)
		make_srcline(h, f, cell_address(h, k, e));
}

/* Made by make_cell_srcline() for every entry and key of the hist. */
static const char *cell_srcline(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	_cleanup_strbuf_ struct strbuf b = {};
	frame_id f = cell_frame(h, k, e);
	if (f == PROFILE_NONE)
		return UNKNOWN_LINE;
	add_srcline(h, f, cell_address(h, k, e), &b);
	str_id line = strtab_find(&h->strings, strbuf_str(&b));
	return line == IDSET_NONE ? UNKNOWN_LINE : strtab_get(&h->strings, line);
}

static uint64_t entry_ip(const struct hist *h, const struct hist_entry *e)
{
	return e->frame == PROFILE_NONE ? 0 : h->profile->frames.data[e->frame].ip;
}

static uint64_t cell_dso_size(const struct hist *h, const struct hist_entry *e)
{
	const struct profile_mapping *m = hist_mapping(h, e);
	return m && m->end > m->start ? m->end - m->start : UNKNOWN;
}

static const struct profile_function *cell_function(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return frame_function(h->profile, cell_frame(h, k, e));
}

/* ---- words that distinguish entries ---- */

static const struct profile_frame *frame_of(const struct hist *h, frame_id id)
{
	return id == PROFILE_NONE ? NULL : &h->profile->frames.data[id];
}

static uint64_t srcline_word(struct hist *h, frame_id id, bool caller, bool file_only)
{
	if (id == PROFILE_NONE)
		return 0;
	const struct profile_frame *f = &h->profile->frames.data[id];
	str_id line = make_srcline(h, id, caller ? f->ip : f->addr);
	if (!file_only)
		return line;
	/* Only a known line has a file; its replacement ("main+4") has none. */
	const char *s = strtab_get(&h->strings, line), *colon = strrchr(s, ':');
	if (!hist_has_source(h, id) || !colon)
		return 0;
	return strtab_add_n(&h->strings, s, colon - s);
}

static size_t dso_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	const struct profile_mapping *m = frame_mapping(h->profile, id);
	words[0] = !m ? UNKNOWN : h->options.long_names ? m->path : m->name;
	return 1;
}

static size_t mapping_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	const struct profile_frame *f = frame_of(h, id);
	words[0] = f && f->mapping != PROFILE_NONE ? f->mapping : UNKNOWN;
	return 1;
}

/* Equal for symbols that perf considers equal. */
static size_t function_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	const struct profile *p = h->profile;
	const struct profile_frame *f = frame_of(h, id);
	const struct profile_function *fn = frame_function(p, id);
	const struct profile_mapping *m = frame_mapping(p, id);
	memset(words, 0, 4 * sizeof(*words));
	if (fn) {
		words[0] = 1 + (m ? m->name : 0);
		words[1] = fn->start;
		words[2] = fn->name;
		words[3] = fn->size;
	} else if (f) {
		words[1] = caller || h->options.branches ? f->ip : frame_address(p, f);
	}
	return 4;
}

static size_t symbol_offset_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	const struct profile_frame *f = frame_of(h, id);
	size_t n = function_words(h, k, id, caller, words);
	words[n] = f && f->function != PROFILE_NONE && !(f->flags & FRAME_INLINED) ? f->addr : 0;
	return n + 1;
}

static size_t symbol_size_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	const struct profile_function *fn = frame_function(h->profile, id);
	words[0] = fn ? fn->size : UNKNOWN;
	return 1;
}

static size_t line_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	words[0] = srcline_word(h, id, caller, false);
	return 1;
}

static size_t file_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	words[0] = srcline_word(h, id, caller, true);
	return 1;
}

static size_t ip_words(struct hist *h, const struct hist_key *k, frame_id id, bool caller, uint64_t *words)
{
	const struct profile_frame *f = frame_of(h, id);
	words[0] = f ? f->ip : 0;
	return 1;
}

static enum mapping_space row_space(const struct hist *h, const struct profile_row *row)
{
	const struct profile *p = h->profile;
	return row->stack == PROFILE_NONE ? SPACE_UNKNOWN : p->frames.data[p->stacks.data[row->stack].frame].space;
}

/* Accesses of the kernel and of user space are distinct. */
static size_t cache_line_words(struct hist *h, const struct hist_key *k, const struct profile_row *row, uint64_t value, uint64_t *words)
{
	const struct profile_frame *f = frame_of(h, k->label == PROFILE_NONE ? PROFILE_NONE : (frame_id)value);
	words[0] = f ? f->ip & ~(uint64_t)(CACHE_LINE_BYTES - 1) : 0;
	words[1] = row_space(h, row) == SPACE_KERNEL;
	return 2;
}
/* ---- order ---- */

/* perf compares addresses as signed numbers, so that the kernel comes first. */
static int compare_addresses(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? -1 : a != b;
}

int column_compare_functions(const struct profile_function *x, const struct profile_function *y)
{
	int order = compare_addresses(x->start, y->start);
	return order ? order : compare_u64(x->size, y->size);
}

static int compare_functions(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct profile_function *x = cell_function(h, k, a), *y = cell_function(h, k, b);
	if (!x || !y)
		return !x != !y ? !x - !y : compare_addresses(cell_identity(h, k, a), cell_identity(h, k, b));
	return column_compare_functions(x, y);
}

/* perf lists the objects of branches in reverse order. */
static int compare_dsos_down(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	return compare_names(cell_dso(h, k, b), cell_dso(h, k, a));
}

static int compare_data_symbols(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	return -compare_addresses(cell_identity(h, k, a), cell_identity(h, k, b));
}

static int compare_ips(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	return compare_addresses(entry_ip(h, a), entry_ip(h, b));
}

static int compare_symbol_offsets(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	int order = compare_names(cell_symbol(h, k, a), cell_symbol(h, k, b));
	return order ? order : compare_ips(h, k, a, b);
}

static int compare_shown_addresses(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	return compare_u64(cell_address(h, k, a), cell_address(h, k, b));
}

static int compare_symbol_sizes(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct profile_function *x = hist_function(h, a), *y = hist_function(h, b);
	return compare_u64(x ? x->size : 0, y ? y->size : 0);
}

static int compare_dso_sizes(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b)
{
	return compare_u64(cell_dso_size(h, a), cell_dso_size(h, b));
}

/* ---- objects ---- */

static const char *dso_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *name = cell_dso(h, k, e);
	return name ? name : "[unknown]";
}

/* perf widens the column where the symbol is unknown. */
static unsigned measure_dso(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *name = cell_dso(h, k, e);
	unsigned n = name ? (unsigned)strlen(name) : 0;
	if (name && cell_function(h, k, e))
		return n;
	return n > UNRESOLVED_DSO_WIDTH ? n : UNRESOLVED_DSO_WIDTH;
}

/* In perf, the width for branches with an unknown symbol. */
static unsigned measure_branch_dso(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *name = cell_dso(h, k, e);
	return name && cell_symbol(h, k, e) ? (unsigned)strlen(name) : UNRESOLVED_DSO_WIDTH;
}

static unsigned measure_data_dso(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *name = cell_dso(h, k, e);
	return name ? (unsigned)strlen(name) : UNRESOLVED_DSO_WIDTH;
}

static void format_size(struct strbuf *out, uint64_t size, unsigned width)
{
	if (size == UNKNOWN)
		strbuf_addf(out, "%*s", (int)width, "unknown");
	else
		strbuf_addf(out, "%*llu", (int)width, (unsigned long long)size);
}

static void format_dso_size(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	format_size(out, cell_dso_size(h, e), width);
}

static void format_symbol_size(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			       struct strbuf *out)
{
	const struct profile_function *fn = hist_function(h, e);
	format_size(out, fn ? fn->size : UNKNOWN, width);
}

const struct column_cells cells_dso = { .frame_words = dso_words, .value = value_of_dso,
					.name = cell_dso, .text = dso_text, .measure = measure_dso,
					.filter = COLUMN_FILTER_DSO };
const struct column_cells cells_branch_dso = { .frame_words = dso_words, .value = value_of_dso,
					       .compare = compare_dsos_down, .text = dso_text,
					       .measure = measure_branch_dso, .filter = COLUMN_FILTER_DSO };
const struct column_cells cells_data_dso = { .frame_words = dso_words, .value = value_of_dso,
					     .name = cell_dso, .text = dso_text, .measure = measure_data_dso };
const struct column_cells cells_dso_size = { .frame_words = mapping_words, .value = value_of_dso_size,
					     .compare = compare_dso_sizes, .format = format_dso_size,
					     .measure = measure_header };
const struct column_cells cells_symbol_size = { .frame_words = symbol_size_words, .value = value_of_symbol_size,
						.compare = compare_symbol_sizes,
						.format = format_symbol_size };

/* ---- symbols ---- */

/* Branches from or to an unmapped address have the mark of the hypervisor, which perf tries last. */
static char branch_level(const struct hist *h, frame_id f)
{
	enum mapping_space space = f == PROFILE_NONE ? SPACE_UNKNOWN : h->profile->frames.data[f].space;
	return hist_level(space == SPACE_UNKNOWN ? SPACE_HYPERVISOR : space);
}

static void add_mark(struct strbuf *out, char level)
{
	strbuf_addf(out, "[%c] ", level);
}

static uint64_t symbol_offset(const struct hist *h, frame_id f)
{
	return h->profile->frames.data[f].addr - frame_function(h->profile, f)->start;
}

static bool is_inlined(const struct hist *h, frame_id f)
{
	return f != PROFILE_NONE && h->profile->frames.data[f].flags & FRAME_INLINED;
}

/* Appends the name to the cell that begins at start, cut at its width; false: no name, appends the address. */
static bool add_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, size_t start, unsigned width,
		       struct strbuf *out)
{
	const struct profile_function *fn = cell_function(h, k, e);
	if (!fn) {
		add_address(out, cell_address(h, k, e));
		return false;
	}
	size_t n = strtab_length(&h->profile->strings, fn->name), used = out->len - start;
	strbuf_add(out, profile_str(h->profile, fn->name), width > used && n > width - used ? width - used : n);
	if (is_inlined(h, cell_frame(h, k, e)))
		strbuf_addstr(out, " (inlined)");
	return true;
}

static void format_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	size_t start = out->len;
	if (h->options.long_names)
		strbuf_addf(out, "%-#*llx %c ", ADDRESS_DIGITS + 2, (unsigned long long)e->addr, e->level == 'k' ? 'k' : 'd');
	add_mark(out, e->level);
	add_symbol(h, k, e, start, width, out);
}

static void format_branch_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
				 struct strbuf *out)
{
	size_t start = out->len;
	add_mark(out, branch_level(h, cell_frame(h, k, e)));
	add_symbol(h, k, e, start, width, out);
}

static void format_symbol_offset(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
				 struct strbuf *out)
{
	size_t start = out->len;
	frame_id f = cell_frame(h, k, e);
	add_mark(out, e->level);
	if (add_symbol(h, k, e, start, width, out) && !is_inlined(h, f))
		strbuf_addf(out, "+0x%llx", (unsigned long long)symbol_offset(h, f));
}

static void format_branch_address(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
				  struct strbuf *out)
{
	size_t start = out->len;
	frame_id f = cell_frame(h, k, e);
	add_mark(out, e->level);
	if (add_symbol(h, k, e, start, width, out) && symbol_offset(h, f))
		strbuf_addf(out, "+0x%llx", (unsigned long long)symbol_offset(h, f));
}

static void plain_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, struct strbuf *out)
{
	const struct profile_function *fn = hist_function(h, e);
	if (fn)
		strbuf_addstr(out, profile_str(h->profile, fn->name));
	else
		strbuf_addf(out, "0x%llx", (unsigned long long)e->addr);
}

static unsigned measure_branch_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const struct profile_function *fn = cell_function(h, k, e);
	return fn ? (unsigned)strtab_length(&h->profile->strings, fn->name) + 4 : ADDRESS_DIGITS + 6;
}

static unsigned measure_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return measure_branch_symbol(h, k, e) + (h->options.long_names ? ADDRESS_DIGITS + 5 : 0);
}

/* Room for an offset in a function. */
static unsigned measure_symbol_offset(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *name = cell_symbol(h, k, e);
	return (unsigned)(name ? strlen(name) + 4 + strlen("+0xffff") : ADDRESS_DIGITS + 6);
}

static unsigned measure_branch_address(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return ADDRESS_DIGITS + 6;
}

static void format_ip(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	add_number(out, "%#llx", width, entry_ip(h, e));
}

const struct column_cells cells_symbol = { .frame_words = function_words, .value = value_of_function,
					   .name = cell_symbol, .identity = compare_functions,
					   .names_function = true, .format = format_symbol, .measure = measure_symbol,
					   .plain = plain_symbol, .filter = COLUMN_FILTER_SYMBOL };
const struct column_cells cells_branch_symbol = { .frame_words = function_words, .value = value_of_function,
						  .compare = compare_functions,
						  .format = format_branch_symbol, .measure = measure_branch_symbol,
						  .filter = COLUMN_FILTER_SYMBOL };
const struct column_cells cells_symbol_offset = { .frame_words = symbol_offset_words, .value = value_of_symbol_offset,
						  .compare = compare_symbol_offsets,
						  .format = format_symbol_offset, .measure = measure_symbol_offset };
const struct column_cells cells_address = { .frame_words = ip_words, .value = value_of_address,
					    .compare = compare_ips, .format = format_ip };
const struct column_cells cells_branch_address = { .frame_words = ip_words, .value = value_of_address,
						   .compare = compare_shown_addresses,
						   .format = format_branch_address, .measure = measure_branch_address };

static const char *ipc_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return "-      -            ";
}

/* Instructions are counted by disassembly, which a report does not do. */
static const char *ipc_lbr_text(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return cell_symbol(h, k, e) ? ipc_text(h, k, e) : "-";
}

const struct column_cells cells_ipc = { .frame_words = function_words, .value = value_of_function,
					.name = cell_symbol, .identity = compare_functions,
					.names_function = true, .text = ipc_text };
const struct column_cells cells_ipc_lbr = { .frame_words = function_words, .value = value_of_function,
					    .name = cell_symbol, .identity = compare_functions,
					    .names_function = true, .text = ipc_lbr_text };

/* ---- source lines ---- */

static void format_file(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	const char *line = cell_srcline(h, k, e), *colon = strrchr(line, ':');
	frame_id f = cell_frame(h, k, e);
	if (f != PROFILE_NONE && hist_has_source(h, f) && colon)
		strbuf_add(out, line, (size_t)(colon - line));
}

const struct column_cells cells_line = { .frame_words = line_words, .name = cell_srcline, .text = cell_srcline,
					 .make_string = make_cell_srcline };
const struct column_cells cells_file = { .frame_words = file_words, .value = value_of_source_file,
					 .name = cell_srcline, .format = format_file,
					 .make_string = make_cell_srcline };

/* ---- data ---- */

/* The mark of the address space, then name and offset, or the address. */
static void add_data(const struct hist *h, frame_id f, uint64_t addr, char level, unsigned width, struct strbuf *out)
{
	const struct profile_function *fn = frame_function(h->profile, f);
	size_t start = out->len;
	add_mark(out, level);
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

/* With the mark of the code that accessed the data. */
static void format_data_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			       struct strbuf *out)
{
	add_data(h, cell_frame(h, k, e), cell_identity(h, k, e), e->level, width, out);
}

/* Cache lines of no map, and shared ones, have marks of their own. */
static void format_cache_line(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
			      struct strbuf *out)
{
	frame_id f = cell_frame(h, k, e);
	char level = e->level;
	if (!frame_mapping(h->profile, f))
		level = 'X';
	else if (h->profile->frames.data[f].flags & FRAME_SHARED)
		level = 's';
	add_data(h, f, cell_address(h, k, e) & ~(uint64_t)(CACHE_LINE_BYTES - 1), level, width, out);
}

/* perf reserves room for an address after the name. */
static unsigned measure_data_symbol(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	const char *name = cell_symbol(h, k, e);
	return (unsigned)(name ? strlen(name) + ADDRESS_DIGITS + 6 : ADDRESS_DIGITS + 6);
}

static unsigned measure_cache_line(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return measure_data_symbol(h, k, e) + (cell_symbol(h, k, e) ? 1 : 0);
}

const struct column_cells cells_data_symbol = { .frame_words = ip_words, .value = value_of_address,
						.compare = compare_data_symbols,
						.format = format_data_symbol, .measure = measure_data_symbol };
const struct column_cells cells_cache_line = { .row_words = cache_line_words, .value = value_of_cache_line,
					       .compare = compare_shown_addresses,
					       .format = format_cache_line, .measure = measure_cache_line };
