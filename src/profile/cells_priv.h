/*
 * The kinds of cells in columns.def, by file, and functions shared by these files.
 *
 * Widths are in characters; 0: as wide as the text. Text is appended to out.
 */
#pragma once
#include "profile/hist_priv.h"

/* cells_code.c: from a frame of code or data. */
extern const struct column_cells cells_dso, cells_branch_dso, cells_data_dso, cells_symbol, cells_branch_symbol, cells_data_symbol,
	cells_symbol_offset, cells_line, cells_file, cells_address, cells_branch_address, cells_cache_line, cells_symbol_size,
	cells_dso_size, cells_ipc, cells_ipc_lbr;
/* cells_labels.c: from a label, and from the stack as a whole. */
extern const struct column_cells cells_thread, cells_comm, cells_parent, cells_cpu, cells_socket, cells_number, cells_right_number,
	cells_total, cells_cycles, cells_trace, cells_text, cells_type, cells_cgroup, cells_cgroup_id, cells_time, cells_page_size,
	cells_mispredict, cells_abort, cells_in_tx, cells_field;
/* cells_data.c: from a memory access (union perf_mem_data_src, PERF_TXN_*). */
extern const struct column_cells cells_mem, cells_snoop, cells_locked, cells_tlb, cells_blocked, cells_transaction, cells_physical;

#define ADDRESS_DIGITS 16
#define CACHE_LINE_BYTES 64

/* cells_values.c: column_cells.value. */
#define VALUE_OF(what)                                                                                                 \
	void value_of_##what(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e, \
			     struct cell_value *v)
VALUE_OF(function);
VALUE_OF(symbol_offset);
VALUE_OF(address);
VALUE_OF(cache_line);
VALUE_OF(dso);
VALUE_OF(dso_size);
VALUE_OF(symbol_size);
VALUE_OF(source_file);
VALUE_OF(thread);
VALUE_OF(place);
VALUE_OF(cgroup_id);
#undef VALUE_OF

/* The frame of a cell: the entry's code, or that of a label. */
static inline frame_id cell_frame(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	if (k->column->from == COLUMN_FROM_FRAME)
		return e->frame;
	return (frame_id)hist_label(h, e, k->label, PROFILE_NONE);
}

static inline int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* NULL comes after all names. */
int compare_names(const char *a, const char *b);
/* Compares the words of their labels (column_cells.word). */
int compare_label_words(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b);

/* Cut after width characters and padded up to it. */
void add_left(struct strbuf *out, const char *s, unsigned width);
void add_address(struct strbuf *out, uint64_t addr);
/* A number by a format for unsigned long long, padded on the right. */
void add_number(struct strbuf *out, const char *format, unsigned width, uint64_t v);
/* column_cells.measure for cells that fit into their header's width. */
unsigned measure_header(const struct hist *h, const struct hist_key *k, const struct hist_entry *e);

/* The last name of a thread; "" if it has none. */
const char *thread_comm(const struct hist *h, const struct hist_entry *e, uint64_t tid);
bool label_is_string(const struct hist *h, uint32_t label);
/* "" if the profile has no such label, or it is not text. */
const char *label_string(const struct hist *h, const struct hist_entry *e, uint32_t label);
