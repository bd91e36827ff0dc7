/*
 * Units that may have a function of a given name, found without reading DIEs: the offsets of the name in the string sections are searched
 * for in the bytes of each unit. Few units are false positives.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "object/dwarf/priv.h"

#define SAMPLE_BYTES 16384

/* How often each byte is in a sample of the section: from the middle, since names of one kind lie together. */
static void count_bytes(const struct cursor *section, uint32_t ret[256])
{
	size_t bytes = cursor_left(section), from = bytes / 2, n = bytes - from < SAMPLE_BYTES ? bytes - from : SAMPLE_BYTES;
	memset(ret, 0, 256 * sizeof(*ret));
	for (size_t i = 0; i < n; i++)
		ret[section->at[from + i]]++;
}

/* The two bytes of the needle that are rarest. */
static size_t rarest_lead(const void *bytes, size_t n, const uint32_t counts[256])
{
	const uint8_t *needle = bytes;
	size_t best = 0;
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t chance = (uint64_t)(counts[needle[i]] + 1) * (counts[needle[i + 1]] + 1);
		if (chance < least) {
			least = chance;
			best = i;
		}
	}
	return best;
}

/* Attributes have the name at this place of a section of strings. */
static bool add_place(struct dwarf_mentions *m, const struct cursor *section, uint32_t at, const uint32_t in_units[256])
{
	uint32_t place = section->swap ? __builtin_bswap32(at) : at;
	uint8_t *to = m->places[m->places_nr];
	memcpy(to, &place, sizeof(place));
	if (!needles_add(&m->in_units, to, sizeof(place), rarest_lead(to, sizeof(place), in_units)))
		return false;
	m->places_nr++;
	return true;
}

/* A name may be the end of a longer one that the linker put in its place, and may have a version ("name@VERSION"). */
static bool add_places_in(struct dwarf_mentions *m, const struct dwarf_file *f, enum dwarf_section which, const char *name,
			  const uint32_t in_units[256])
{
	struct cursor c = dwarf_section(f, which);
	size_t n = strlen(name), bytes = (size_t)(c.end - c.start);
	_cleanup_free_ char *versioned = xasprintf("%s@", name);
	struct needles text = {};
	uint32_t counts[256];
	count_bytes(&c, counts);
	if (bytes > UINT32_MAX || !needles_add(&text, name, n + 1, rarest_lead(name, n + 1, counts)) ||
	    !needles_add(&text, versioned, n + 1, rarest_lead(versioned, n + 1, counts)))
		return false;
	for (size_t next = 0; next < bytes;) {
		size_t at = needles_find(&text, c.start, bytes, next, &next);
		if (at != SIZE_MAX && !add_place(m, &c, (uint32_t)at, in_units))
			return false;
	}
	return true;
}

static bool add_places(struct dwarf_mentions *m, struct dwarf *d, const char *name)
{
	struct cursor units = dwarf_section(&d->main, DWARF_INFO);
	uint32_t counts[256];
	size_t n = strlen(name);
	count_bytes(&units, counts);
	/* it may also be among the attributes themselves */
	return needles_add(&m->in_units, name, n, rarest_lead(name, n, counts)) && add_places_in(m, &d->main, DWARF_STR, name, counts) &&
	       add_places_in(m, &d->main, DWARF_LINE_STR, name, counts) &&
	       (!d->has_supplement || add_places_in(m, &d->supplement, DWARF_STR, name, counts));
}

/* ---- functions of other units ---- */

/* First bytes, of numbers of 7 bits each; those after the first two lead into a supplementary file. */
static const uint8_t reference_forms[] = { DW_FORM_ref_addr, DW_FORM_indirect, 0x80 | (DW_FORM_GNU_ref_alt & 0x7f), DW_FORM_ref_sup4,
					   DW_FORM_ref_sup8 };

static int compare_offsets(const void *a, const void *b)
{
	uint64_t l = *(const uint64_t *)a, r = *(const uint64_t *)b;
	return l < r ? -1 : l > r;
}

/* Offsets of abbreviations that may refer to functions of other units. */
static void find_references(struct dwarf_mentions *m, struct dwarf *d)
{
	static const uint8_t attributes[] = { DW_AT_abstract_origin, DW_AT_specification };
	uint8_t pairs[sizeof(attributes) * sizeof(reference_forms)][2];
	struct needles search = {};
	size_t n = 0;
	for (size_t i = 0; i < sizeof(attributes); i++)
		for (size_t k = 0; k < (d->has_supplement ? sizeof(reference_forms) : 2); k++) {
			pairs[n][0] = attributes[i];
			pairs[n][1] = reference_forms[k];
			(void)needles_add(&search, pairs[n++], 2, 0);
		}
	struct cursor c = d->main.sections[DWARF_ABBREV];
	size_t bytes = (size_t)(c.end - c.start);
	for (size_t next = 0; next < bytes;) {
		size_t at = needles_find(&search, c.start, bytes, next, &next);
		/* after two zeros it is the number and the tag of an abbreviation */
		if (at != SIZE_MAX && (at < 2 || c.start[at - 1] || c.start[at - 2]))
			vec_push(&m->references, at);
	}
	for (size_t i = 0; i < d->main.units.len; i++)
		vec_push(&m->tables, d->main.units.data[i]->abbrev_offset);
	if (m->tables.len)
		qsort(m->tables.data, m->tables.len, sizeof(*m->tables.data), compare_offsets);
}

static bool has_reference(const struct dwarf_mentions *m, const struct dwarf_unit *u)
{
	size_t next = vec_search(&m->tables, t, *t <= u->abbrev_offset);
	uint64_t end = next < m->tables.len ? m->tables.data[next] : UINT64_MAX;
	size_t i = vec_search(&m->references, r, *r < u->abbrev_offset);
	return i < m->references.len && m->references.data[i] < end;
}

static bool is_reference(const struct dwarf_attr *a)
{
	if (a->name != DW_AT_abstract_origin && a->name != DW_AT_specification)
		return false;
	return a->form == DW_FORM_ref_addr || a->form == DW_FORM_GNU_ref_alt || a->form == DW_FORM_ref_sup4 ||
	       a->form == DW_FORM_ref_sup8 || a->form == DW_FORM_indirect;
}

bool dwarf_refers_to_others(struct dwarf_unit *u, bool with_functions)
{
	if (!dwarf_unit_prepare(u))
		return false;
	for (size_t i = 0; i < u->abbrevs->entries.len; i++) {
		const struct dwarf_abbrev *a = &u->abbrevs->entries.data[i];
		if (a->tag != DW_TAG_inlined_subroutine && !(with_functions && a->tag == DW_TAG_subprogram))
			continue;
		for (uint32_t k = 0; k < a->nr; k++)
			if (is_reference(&u->abbrevs->attrs.data[a->first + k]))
				return true;
	}
	return false;
}

/* ---- units ---- */

void dwarf_mentions_init(struct dwarf_mentions *m, struct dwarf *d, const char *name)
{
	*m = (struct dwarf_mentions){};
	if (!name || !add_places(m, d, name))
		return;
	m->is_known = true;
	m->offsets = dwarf_section(&d->main, DWARF_STR_OFFSETS);
	struct cursor addresses = dwarf_section(&d->main, DWARF_ADDR);
	m->has_bases = cursor_left(&m->offsets) || cursor_left(&addresses);
	find_references(m, d);
}

void dwarf_mentions_deinit(struct dwarf_mentions *m)
{
	vec_deinit(&m->references);
	vec_deinit(&m->tables);
}

static bool has_place(const struct dwarf_mentions *m, const struct cursor *in)
{
	size_t next;
	return needles_find(&m->in_units, in->at, cursor_left(in), 0, &next) != SIZE_MAX;
}

/* The unit's table of strings (DWARF 5): a length and two words are before its first entry. */
static bool is_in_offsets(const struct dwarf_mentions *m, const struct dwarf_unit *u)
{
	size_t header = u->offset_bytes == 8 ? 16 : 8;
	struct cursor c = m->offsets;
	if (u->str_offsets_base < header || !cursor_seek(&c, (size_t)u->str_offsets_base - header))
		return true;
	uint64_t bytes = cursor_u32(&c);
	if (u->offset_bytes == 8)
		bytes = cursor_u64(&c);
	if (c.bad || bytes > cursor_left(&c))
		return true;
	c.end = c.at + bytes;
	return has_place(m, &c);
}

bool dwarf_unit_mentions(const struct dwarf_mentions *m, struct dwarf_unit *u)
{
	if (!m->is_known)
		return true;
	if (m->has_bases) {
		dwarf_need_root(u);
		if (dwarf_split_unit(u) != u || (cursor_left(&m->offsets) && is_in_offsets(m, u)))
			return true;
	}
	struct cursor c = dwarf_cursor_at(u, u->dies);
	return has_place(m, &c) || u->type == DW_UT_skeleton || (has_reference(m, u) && dwarf_refers_to_others(u, true));
}
