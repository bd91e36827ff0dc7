#include "view/tui/terminfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/file.h"

#define MAGIC       0432  /* numbers of 16 bits */
#define MAGIC_WIDE  01036 /* numbers of 32 bits */
#define ENTRY_MAX   32768
#define MAX_COLOURS 13 /* indexes of numbers and of strings, in the order of <term.h> */
#define MAX_PAIRS   14
#define SETAF       359
#define SETAB       360

#define DIRECT(few, many)                                                                                             \
	"\033[%?%p1%{8}%<%t" few "%p1%d%e" many "8;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m"
static const char setaf[] = DIRECT("3", "3"), setab[] = DIRECT("4", "4");

/* One of the two halves of an entry, the standard one and the one by names: their parts in place. */
struct half {
	uint16_t bools_nr, numbers_nr, strings_nr, items_nr, table_bytes;
	const uint8_t *bools, *numbers, *offsets, *table;
	bool wide;
};

static uint16_t u16_at(const uint8_t *p, size_t i)
{
	return (uint16_t)(p[2 * i] | p[2 * i + 1] << 8);
}

static void add_u16(struct strbuf *b, uint32_t v)
{
	strbuf_addch(b, (char)(v & 0xff));
	strbuf_addch(b, (char)(v >> 8 & 0xff));
}

static void add_u32(struct strbuf *b, uint32_t v)
{
	add_u16(b, v & 0xffff);
	add_u16(b, v >> 16);
}

static uint16_t get_u16(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 2);
	return p ? u16_at(p, 0) : 0;
}

/* before: how many bytes are before the flags that are padded together with them. */
static bool read_half(struct cursor *c, struct half *h, size_t before)
{
	h->bools = cursor_bytes(c, h->bools_nr);
	cursor_skip(c, (before + h->bools_nr) & 1);
	h->numbers = cursor_bytes(c, (size_t)h->numbers_nr * (h->wide ? 4 : 2));
	h->offsets = cursor_bytes(c, (size_t)h->items_nr * 2);
	h->table = cursor_bytes(c, h->table_bytes);
	return !c->bad;
}

/* Absent ones are negative. */
static uint32_t number(const struct half *h, uint16_t i)
{
	if (h->wide)
		return u16_at(h->numbers, 2u * i) | (uint32_t)u16_at(h->numbers, 2u * i + 1) << 16;
	return (uint32_t)(int16_t)u16_at(h->numbers, i);
}

static void add_numbers(const struct half *h, bool with_colours, struct strbuf *out)
{
	for (uint16_t i = 0; i < h->numbers_nr; i++)
		add_u32(out, with_colours && i == MAX_COLOURS ? 1u << 24 : with_colours && i == MAX_PAIRS ? 0x7fff : number(h, i));
}

static void add_standard(const struct half *h, const uint8_t *names, uint16_t names_bytes, struct strbuf *out)
{
	size_t table = h->table_bytes + sizeof(setaf) + sizeof(setab);
	add_u16(out, MAGIC_WIDE);
	add_u16(out, names_bytes);
	add_u16(out, h->bools_nr);
	add_u16(out, h->numbers_nr);
	add_u16(out, h->strings_nr);
	add_u16(out, (uint32_t)table);
	strbuf_add(out, names, names_bytes);
	strbuf_add(out, h->bools, h->bools_nr);
	if ((names_bytes + h->bools_nr) & 1)
		strbuf_addch(out, 0);
	add_numbers(h, true, out);
	for (uint16_t i = 0; i < h->strings_nr; i++)
		add_u16(out, i == SETAF ? h->table_bytes : i == SETAB ? h->table_bytes + (uint32_t)sizeof(setaf) : u16_at(h->offsets, i));
	strbuf_add(out, h->table, h->table_bytes);
	strbuf_add(out, setaf, sizeof(setaf));
	strbuf_add(out, setab, sizeof(setab));
	if (table & 1)
		strbuf_addch(out, 0);
}

/* Flags and names of flags come first each: RGB is the last of them. Names are counted from the first of them on. */
static bool add_named(const struct half *h, struct strbuf *out)
{
	static const char flag[] = "RGB";
	size_t names = 0;
	for (uint16_t i = 0; i < h->strings_nr; i++) {
		uint16_t at = u16_at(h->offsets, i);
		const void *end = at < h->table_bytes ? memchr(h->table + at, 0, h->table_bytes - at) : NULL;
		size_t after = end ? (size_t)((const uint8_t *)end - h->table) + 1 : 0;
		if (!end && at < 0xfffe)
			return false;
		names = after > names ? after : names;
	}
	add_u16(out, h->bools_nr + 1u);
	add_u16(out, h->numbers_nr);
	add_u16(out, h->strings_nr);
	add_u16(out, h->items_nr + 1u);
	add_u16(out, h->table_bytes + (uint32_t)sizeof(flag));
	strbuf_add(out, h->bools, h->bools_nr);
	strbuf_addch(out, 1);
	if ((h->bools_nr + 1) & 1)
		strbuf_addch(out, 0);
	add_numbers(h, false, out);
	for (uint32_t i = 0; i < h->items_nr; i++) {
		if (i == (uint32_t)h->strings_nr + h->bools_nr)
			add_u16(out, (uint32_t)(h->table_bytes - names));
		add_u16(out, u16_at(h->offsets, i));
	}
	if (h->items_nr == h->strings_nr + h->bools_nr)
		add_u16(out, (uint32_t)(h->table_bytes - names));
	strbuf_add(out, h->table, h->table_bytes);
	strbuf_add(out, flag, sizeof(flag));
	return true;
}

bool terminfo_direct(const void *entry, size_t bytes, struct strbuf *out)
{
	struct cursor c = cursor_make(entry, bytes, false);
	struct half standard = {}, named = {};
	size_t before = out->len;
	uint16_t magic = get_u16(&c), names_bytes = get_u16(&c);
	standard.wide = named.wide = magic == MAGIC_WIDE;
	standard.bools_nr = get_u16(&c);
	standard.numbers_nr = get_u16(&c);
	standard.items_nr = standard.strings_nr = get_u16(&c);
	standard.table_bytes = get_u16(&c);
	const uint8_t *names = cursor_bytes(&c, names_bytes);
	if ((magic != MAGIC && magic != MAGIC_WIDE) || !read_half(&c, &standard, names_bytes) || bytes > ENTRY_MAX)
		return false;
	if (standard.numbers_nr <= MAX_PAIRS || standard.strings_nr <= SETAB || u16_at(standard.offsets, SETAF) >= 0xfffe)
		return false;
	cursor_skip(&c, standard.table_bytes & 1 && cursor_left(&c));
	if (cursor_left(&c) >= 10) {
		named.bools_nr = get_u16(&c);
		named.numbers_nr = get_u16(&c);
		named.strings_nr = get_u16(&c);
		named.items_nr = get_u16(&c);
		named.table_bytes = get_u16(&c);
		if (!read_half(&c, &named, 0) || named.items_nr < named.strings_nr + named.bools_nr)
			return false;
	}
	add_standard(&standard, names, names_bytes, out);
	if (add_named(&named, out))
		return true;
	out->len = before;
	return false;
}

/* ---- finding it ---- */

/* Entries lie in directories of their first letter, or of its number where case means nothing to the file system. */
static bool read_entry(const char *dir, size_t dir_bytes, const char *term, struct strbuf *out)
{
	struct strbuf entry = {};
	bool found = false;
	for (unsigned way = 0; way < 2 && !found && dir_bytes; way++) {
		struct strbuf path = {};
		strbuf_addf(&path, way ? "%.*s/%02x/%s" : "%.*s/%c/%s", (int)dir_bytes, dir, *term, term);
		strbuf_reset(&entry);
		struct strobe_error *err = file_read(strbuf_str(&path), &entry, ENTRY_MAX);
		found = !err && terminfo_direct(entry.data, entry.len, out);
		error_destroy(err);
		strbuf_deinit(&path);
	}
	strbuf_deinit(&entry);
	return found;
}

static bool read_entries(const char *dirs, const char *term, struct strbuf *out)
{
	bool found = false;
	for (const char *at = dirs; at && *at && !found; at += strspn(at, ":")) {
		size_t n = strcspn(at, ":");
		found = read_entry(at, n, term, out);
		at += n;
	}
	return found;
}

bool terminfo_direct_variable(const char *term, struct strbuf *out)
{
	struct strbuf home = {}, entry = {};
	const char *dir = getenv("HOME");
	strbuf_addf(&home, "%s/.terminfo", dir ? dir : "");
	bool found = !strchr(term, '/') && *term != '.' &&
		     (read_entries(getenv("TERMINFO"), term, &entry) || read_entries(strbuf_str(&home), term, &entry) ||
		      read_entries(getenv("TERMINFO_DIRS"), term, &entry) ||
		      read_entries("/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo", term, &entry));
	if (found)
		strbuf_addstr(out, "hex:");
	for (size_t i = 0; found && i < entry.len; i++)
		strbuf_addf(out, "%02X", (unsigned)(unsigned char)entry.data[i]);
	strbuf_deinit(&home);
	strbuf_deinit(&entry);
	return found;
}
