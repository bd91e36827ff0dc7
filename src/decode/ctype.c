#include "decode/ctype.h"

#include <ctype.h>
#include <string.h>

#define LONG 0xff /* the size of a pointer of the recorded machine */

/* Names with a fixed size, including typedefs of the kernel that its formats cast to. */
static const struct {
	const char *name;
	uint8_t bytes;
	bool is_signed;
} known[] = {
	{ "bool", 1, false },	     { "_Bool", 1, false },	 { "u8", 1, false },	      { "__u8", 1, false },
	{ "uint8_t", 1, false },     { "s8", 1, true },		 { "__s8", 1, true },	      { "int8_t", 1, true },
	{ "u16", 2, false },	     { "__u16", 2, false },	 { "uint16_t", 2, false },    { "__le16", 2, false },
	{ "__be16", 2, false },	     { "s16", 2, true },	 { "__s16", 2, true },	      { "int16_t", 2, true },
	{ "umode_t", 2, false },     { "u32", 4, false },	 { "__u32", 4, false },	      { "uint32_t", 4, false },
	{ "__le32", 4, false },	     { "__be32", 4, false },	 { "uint", 4, false },	      { "s32", 4, true },
	{ "__s32", 4, true },	     { "int32_t", 4, true },	 { "dev_t", 4, false },	      { "gfp_t", 4, false },
	{ "pid_t", 4, true },	     { "uid_t", 4, false },	 { "gid_t", 4, false },	      { "qid_t", 4, false },
	{ "fmode_t", 4, false },     { "isolate_mode_t", 4, false }, { "clockid_t", 4, true }, { "u64", 8, false },
	{ "__u64", 8, false },	     { "uint64_t", 8, false },	 { "__le64", 8, false },      { "__be64", 8, false },
	{ "s64", 8, true },	     { "__s64", 8, true },	 { "int64_t", 8, true },      { "loff_t", 8, true },
	{ "sector_t", 8, false },    { "blkcnt_t", 8, false },	 { "dma_addr_t", 8, false },  { "phys_addr_t", 8, false },
	{ "resource_size_t", 8, false }, { "ktime_t", 8, true }, { "size_t", LONG, false },   { "ssize_t", LONG, true },
	{ "uintptr_t", LONG, false }, { "pgoff_t", LONG, false }, { "ino_t", LONG, false },   { "off_t", LONG, true },
	{ "time64_t", 8, true },     { "pteval_t", LONG, false }, { "vm_flags_t", LONG, false },
};

struct words {
	bool is_unsigned, is_signed, is_char, is_short, is_int, is_void, any_basic;
	unsigned longs;
};

static bool word_is(const char *w, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(w, name, len);
}

/* True if the word is one of C's own, which may be combined. */
static bool take_basic(struct words *s, const char *w, size_t len)
{
	if (word_is(w, len, "unsigned"))
		s->is_unsigned = true;
	else if (word_is(w, len, "signed"))
		s->is_signed = true;
	else if (word_is(w, len, "char"))
		s->is_char = true;
	else if (word_is(w, len, "short"))
		s->is_short = true;
	else if (word_is(w, len, "int"))
		s->is_int = true;
	else if (word_is(w, len, "long"))
		s->longs++;
	else if (word_is(w, len, "void"))
		s->is_void = true;
	else
		return false;
	s->any_basic = true;
	return true;
}

static struct ctype basic_type(const struct words *s, unsigned long_bytes)
{
	struct ctype t = { .bytes = 4, .is_signed = !s->is_unsigned };
	if (s->is_void)
		t = (struct ctype){ .bytes = 1 };
	else if (s->is_char)
		t.bytes = 1;
	else if (s->is_short)
		t.bytes = 2;
	else if (s->longs)
		t.bytes = s->longs > 1 ? 8 : (uint8_t)long_bytes;
	return t;
}

static bool known_type(const char *w, size_t len, unsigned long_bytes, struct ctype *ret)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (word_is(w, len, known[i].name)) {
			*ret = (struct ctype){ .bytes = known[i].bytes == LONG ? (uint8_t)long_bytes : known[i].bytes,
					       .is_signed = known[i].is_signed };
			return true;
		}
	return false;
}

static void skip_blanks(const char **at, const char *end)
{
	while (*at < end && isspace((unsigned char)**at))
		++*at;
}

static size_t word_length(const char *at, const char *end)
{
	size_t n = 0;
	while (at + n < end && (isalnum((unsigned char)at[n]) || at[n] == '_'))
		n++;
	return n && !isdigit((unsigned char)*at) ? n : 0;
}

static bool is_qualifier(const char *w, size_t len)
{
	return word_is(w, len, "const") || word_is(w, len, "volatile") || word_is(w, len, "__user") ||
	       word_is(w, len, "__seg_gs") || word_is(w, len, "__percpu") || word_is(w, len, "__rcu");
}

bool ctype_parse(const char **at, const char *end, unsigned long_bytes, bool lenient, struct ctype *ret)
{
	const char *p = *at;
	struct words basic = {};
	struct ctype type = {};
	bool found = false;
	for (;;) {
		skip_blanks(&p, end);
		size_t len = word_length(p, end);
		if (!len)
			break;
		if (is_qualifier(p, len)) {
			p += len;
			continue;
		}
		if (found && !basic.any_basic)
			break;
		bool tagged = word_is(p, len, "struct") || word_is(p, len, "union") || word_is(p, len, "enum");
		if (tagged && !found) {
			/* An enum is printed as an int. */
			type = word_is(p, len, "enum") ? (struct ctype){ .bytes = 4, .is_signed = true } : (struct ctype){};
			p += len;
			skip_blanks(&p, end);
			len = word_length(p, end);
			if (!len)
				return false;
			found = true;
		} else if (take_basic(&basic, p, len)) {
			found = true;
		} else if (found) {
			break;
		} else if (known_type(p, len, long_bytes, &type)) {
			found = true;
		} else if (lenient) {
			found = true;
		} else {
			return false;
		}
		p += len;
	}
	if (!found)
		return false;
	if (basic.any_basic)
		type = basic_type(&basic, long_bytes);
	for (; p < end && (*p == '*' || isspace((unsigned char)*p)); p++)
		type.pointer_depth += *p == '*';
	for (size_t len; (len = word_length(p, end)) && type.pointer_depth && is_qualifier(p, len);) {
		p += len;
		for (; p < end && (*p == '*' || isspace((unsigned char)*p)); p++)
			type.pointer_depth += *p == '*';
	}
	*ret = type;
	*at = p;
	return true;
}
