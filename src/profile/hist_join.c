#include "profile/hist_join.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "profile/values_priv.h"

#define KIND_FILE 0 /* profile_mapping.kind: a file mapped by a process */
#define NO_ROW IDSET_NONE

struct join_key {
	enum column_id column;
	const char *field; /* NULL: it is not one */
};

/* Hashes of all cells of a row. */
struct row_value {
	uint64_t words;          /* values that must be equal */
	uint64_t place;          /* these, and the start addresses of its cells */
	uint64_t builds, starts; /* of cells with a known build; 0: none */
};

struct hist_join {
	struct u64map files;   /* text of path or name → file */
	struct u64map builds;  /* text of build ID → file */
	struct u64map names;   /* DSO name → its file; VALUE_UNKNOWN: several have that name */
	struct u64map dsos;    /* existing pairs of name and file */
	struct join_key *keys;
	uint32_t keys_nr, rows_nr;
	struct row_value *rows;
	uint32_t *next;        /* by row: another one at the same place, or NO_ROW */
	struct idset places;   /* → row */
};

/* ---- values of one profile ---- */

struct value_reader {
	const struct hist_join *join;
	struct hist_join *base;  /* new files are added here; NULL: files that the base does not have are unknown */
	const struct profile *profile;
	bool long_names;
	uint64_t *strings;       /* by str_id; 0: "", or not read yet */
	uint64_t *files, *dsos, *builds; /* by mapping */
	struct cell_value *cells; /* of the current row */
};

uint64_t value_text(struct value_reader *r, const char *text)
{
	return *text ? hash_str(text) | 1 : 0;
}

uint64_t value_string(struct value_reader *r, str_id id)
{
	if (!r->strings[id])
		r->strings[id] = value_text(r, profile_str(r->profile, id));
	return r->strings[id];
}

uint64_t value_file(struct value_reader *r, mapping_id m)
{
	return m == PROFILE_NONE ? VALUE_NONE : r->files[m];
}

uint64_t value_dso(struct value_reader *r, mapping_id m)
{
	return m == PROFILE_NONE ? VALUE_NONE : r->dsos[m];
}

uint64_t value_build(struct value_reader *r, mapping_id m)
{
	return m == PROFILE_NONE ? 0 : r->builds[m];
}

/* The path of a kernel is that of its symbols, and a module's contains the kernel version. */
static uint64_t text_of_file(struct value_reader *r, const struct profile_mapping *m)
{
	return value_string(r, m->space == SPACE_USER && m->path ? m->path : m->name);
}

/* By its path, or else its build ID. */
static uint64_t find_file(struct value_reader *r, const struct profile_mapping *m)
{
	uint64_t text = text_of_file(r, m), build = m->space == SPACE_USER ? value_string(r, m->build_id) : 0;
	const uint64_t *file = u64map_get(&r->join->files, text);
	if (!file && build)
		file = u64map_get(&r->join->builds, build);
	uint64_t ret = file ? *file : text;
	if (r->base) {
		*u64map_put(&r->base->files, text, NULL) = ret;
		if (build)
			*u64map_put(&r->base->builds, build, NULL) = ret;
	}
	return ret;
}

static void add_name(struct hist_join *j, uint64_t name, uint64_t file)
{
	bool added;
	uint64_t *of_name = u64map_put(&j->names, name, &added);
	*of_name = added || *of_name == file ? file : VALUE_UNKNOWN;
}

/*
 * Another build of a program may have another path. A name is weaker than path and build ID: it is used if only one file of the base
 * has it, and no other file here matches that one.
 */
static void find_moved_files(struct value_reader *r)
{
	const struct profile *p = r->profile;
	struct u64map met = {};
	for (size_t i = 0; i < p->mappings.len; i++)
		u64map_put(&met, r->files[i], NULL);
	for (size_t i = 0; i < p->mappings.len; i++) {
		const struct profile_mapping *m = &p->mappings.data[i];
		const uint64_t *file = u64map_get(&r->join->names, value_string(r, m->name));
		bool known = u64map_get(&r->join->files, text_of_file(r, m)) || r->files[i] != text_of_file(r, m);
		if (!known && file && *file != VALUE_UNKNOWN && !u64map_get(&met, *file))
			r->files[i] = *file;
	}
	u64map_deinit(&met);
}

/* Rows by DSO may have several files with the same name: one that both profiles have is enough. */
static void find_dsos(struct value_reader *r)
{
	const struct profile *p = r->profile;
	struct u64map shared = {};
	for (size_t i = 0; i < p->mappings.len; i++) {
		uint64_t name = value_string(r, p->mappings.data[i].name), both = hash_combine(name, r->files[i]);
		if (r->base)
			u64map_put(&r->base->dsos, both, NULL);
		if (u64map_get(&r->join->dsos, both))
			u64map_put(&shared, name, NULL);
	}
	for (size_t i = 0; i < p->mappings.len; i++) {
		const struct profile_mapping *m = &p->mappings.data[i];
		uint64_t name = value_string(r, m->name);
		r->dsos[i] = r->long_names ? value_string(r, m->path) : u64map_get(&shared, name) ? name : VALUE_UNKNOWN;
	}
	u64map_deinit(&shared);
}

static struct value_reader read_values(const struct hist_join *join, struct hist_join *base, const struct hist *h)
{
	const struct profile *p = h->profile;
	struct value_reader r = { .join = join, .base = base, .profile = p, .long_names = h->options.long_names };
	r.strings = xcalloc(p->strings.strings.len + 1, sizeof(*r.strings));
	r.files = xcalloc(p->mappings.len + 1, sizeof(*r.files));
	r.dsos = xcalloc(p->mappings.len + 1, sizeof(*r.dsos));
	r.builds = xcalloc(p->mappings.len + 1, sizeof(*r.builds));
	r.cells = xcalloc(h->options.keys_nr + 1, sizeof(*r.cells));
	for (size_t i = 0; i < p->mappings.len; i++) {
		const struct profile_mapping *m = &p->mappings.data[i];
		r.files[i] = find_file(&r, m);
		if (m->space == SPACE_USER && m->kind == KIND_FILE)
			r.builds[i] = value_string(&r, m->build_id);
		if (base)
			add_name(base, value_string(&r, m->name), r.files[i]);
	}
	if (!base)
		find_moved_files(&r);
	find_dsos(&r);
	return r;
}

static void reader_deinit(struct value_reader *r)
{
	free(r->strings);
	free(r->files);
	free(r->dsos);
	free(r->builds);
	free(r->cells);
}

static struct row_value read_row(struct value_reader *r, const struct hist *h, uint32_t entry)
{
	uint32_t n = h->options.keys_nr;
	struct row_value ret = { .words = n };
	memset(r->cells, 0, n * sizeof(*r->cells));
	for (uint32_t k = 0; k < n; k++) {
		struct cell_value *v = &r->cells[k];
		value_of_cell(r, h, &h->options.keys[k], &h->entries.data[entry], v);
		ret.words = hash_u64s(v->words, CELL_VALUE_WORDS, ret.words);
		if (v->build) {
			ret.builds = hash_combine(hash_combine(ret.builds, v->build), k) | 1;
			ret.starts = hash_combine(ret.starts, v->start);
		}
	}
	ret.place = ret.words;
	for (uint32_t k = 0; k < n; k++)
		if (r->cells[k].start || r->cells[k].size || r->cells[k].build)
			ret.place = hash_combine(hash_combine(hash_combine(ret.place, r->cells[k].start), r->cells[k].size),
						 r->cells[k].build + k);
	return ret;
}

/* ---- rows ---- */

/* Only in the same build: in another one an equal address is a coincidence. */
static bool same_place(const void *table, uint32_t row, const void *value)
{
	const struct hist_join *j = table;
	return j->rows[row].place == ((const struct row_value *)value)->place;
}

/* The first row there, or NO_ROW. */
static uint32_t find_place(const struct hist_join *j, const struct row_value *value)
{
	return idset_find(&j->places, value->place, same_place, j, value);
}

static bool other_place_in_same_build(const struct row_value *a, const struct row_value *b)
{
	return a->builds && a->builds == b->builds && a->starts != b->starts;
}

static void add_row(struct hist_join *j, uint32_t row)
{
	uint32_t same = find_place(j, &j->rows[row]);
	j->next[row] = NO_ROW;
	if (same == NO_ROW) {
		idset_insert(&j->places, j->rows[row].place, row);
	} else {
		j->next[row] = j->next[same];
		j->next[same] = row;
	}
}

static const char *field_name(const struct hist_key *k)
{
	return k->column->id != COLUMN_FIELD ? NULL : k->label_name ? k->label_name : k->header;
}

struct hist_join *hist_join_create(const struct hist *base)
{
	struct hist_join *j = xcalloc(1, sizeof(*j));
	j->keys_nr = base->options.keys_nr;
	j->rows_nr = base->order_nr;
	j->keys = xcalloc(j->keys_nr + 1, sizeof(*j->keys));
	for (uint32_t k = 0; k < j->keys_nr; k++) {
		const char *field = field_name(&base->options.keys[k]);
		j->keys[k] = (struct join_key){ base->options.keys[k].column->id, field ? xstrdup(field) : NULL };
	}
	j->rows = xcalloc(j->rows_nr + 1, sizeof(*j->rows));
	j->next = xcalloc(j->rows_nr + 1, sizeof(*j->next));
	idset_reserve(&j->places, j->rows_nr);
	struct value_reader r = read_values(j, j, base);
	for (uint32_t i = 0; i < j->rows_nr; i++) {
		j->rows[i] = read_row(&r, base, base->order[i]);
		add_row(j, i);
	}
	reader_deinit(&r);
	return j;
}

void hist_join_destroy(struct hist_join *j)
{
	if (!j)
		return;
	for (uint32_t k = 0; k < j->keys_nr; k++)
		free((char *)j->keys[k].field);
	free(j->keys);
	u64map_deinit(&j->files);
	u64map_deinit(&j->builds);
	u64map_deinit(&j->names);
	u64map_deinit(&j->dsos);
	free(j->rows);
	free(j->next);
	idset_deinit(&j->places);
	free(j);
}

/* ---- the match ---- */

/* Unjoined rows with equal words: their number on either side, and one of them. */
struct rest {
	uint64_t words;
	uint32_t base_nr, nr;
	uint32_t row, entry;
	struct row_value value; /* of entry */
};

struct match {
	const struct hist_join *join;
	bool *joined;   /* by row of the base */
	uint32_t *of_entry;
	VEC(struct rest) rests;
	struct idset index; /* → rest */
};

static bool join_at_same_place(struct match *m, uint32_t entry, const struct row_value *value)
{
	uint32_t row = find_place(m->join, value);
	while (row != NO_ROW && m->joined[row])
		row = m->join->next[row];
	if (row == NO_ROW)
		return false;
	m->joined[row] = true;
	m->of_entry[entry] = row + 1;
	return true;
}

static bool same_words(const void *table, uint32_t rest, const void *words)
{
	const struct match *m = table;
	return m->rests.data[rest].words == *(const uint64_t *)words;
}

static struct rest *rest_of(struct match *m, uint64_t words)
{
	uint32_t i = idset_intern(&m->index, words, same_words, m, &words, m->rests.len);
	if (i == m->rests.len)
		vec_push(&m->rests, ((struct rest){ .words = words }));
	return &m->rests.data[i];
}

/* If several are left on one side, the match is ambiguous. */
static void join_rests(struct match *m)
{
	for (uint32_t row = 0; row < m->join->rows_nr; row++) {
		if (m->joined[row])
			continue;
		struct rest *rest = rest_of(m, m->join->rows[row].words);
		rest->base_nr++;
		rest->row = row;
	}
	for (size_t i = 0; i < m->rests.len; i++) {
		const struct rest *rest = &m->rests.data[i];
		if (rest->nr == 1 && rest->base_nr == 1 && !other_place_in_same_build(&m->join->rows[rest->row], &rest->value))
			m->of_entry[rest->entry] = rest->row + 1;
	}
}

static bool has_keys(const struct hist_join *j, const struct hist *h)
{
	if (h->options.keys_nr != j->keys_nr)
		return false;
	for (uint32_t k = 0; k < j->keys_nr; k++) {
		const char *field = field_name(&h->options.keys[k]);
		if (h->options.keys[k].column->id != j->keys[k].column || (field && strcmp(field, j->keys[k].field) != 0))
			return false;
	}
	return true;
}

void hist_join_match(const struct hist_join *j, const struct hist *h, uint32_t *of_entry)
{
	for (uint32_t i = 0; i < h->order_nr; i++)
		of_entry[h->order[i]] = 0;
	if (!has_keys(j, h))
		return;
	struct match m = { .join = j, .of_entry = of_entry };
	struct value_reader r = read_values(j, NULL, h);
	m.joined = xcalloc(j->rows_nr + 1, sizeof(*m.joined));
	for (uint32_t i = 0; i < h->order_nr; i++) {
		struct row_value value = read_row(&r, h, h->order[i]);
		if (join_at_same_place(&m, h->order[i], &value))
			continue;
		struct rest *rest = rest_of(&m, value.words);
		rest->nr++;
		rest->entry = h->order[i];
		rest->value = value;
	}
	join_rests(&m);
	reader_deinit(&r);
	free(m.joined);
	vec_deinit(&m.rests);
	idset_deinit(&m.index);
}
