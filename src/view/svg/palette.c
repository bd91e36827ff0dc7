#include "view/svg/palette.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

struct range {
	uint8_t low[3], span[3]; /* red, green, blue */
};

enum hue { HUE_FLAME, HUE_RED, HUE_GREEN, HUE_BLUE, HUE_AQUA, HUE_YELLOW, HUE_PURPLE, HUE_ORANGE, HUE_LEAF, HUE_SKY };

static const struct range hues[] = {
	[HUE_FLAME] = { { 220, 70, 20 }, { 35, 150, 50 } },
	[HUE_RED] = { { 215, 90, 85 }, { 40, 50, 50 } },
	[HUE_GREEN] = { { 75, 180, 75 }, { 50, 50, 50 } },
	[HUE_BLUE] = { { 100, 130, 205 }, { 55, 50, 50 } },
	[HUE_AQUA] = { { 60, 170, 170 }, { 55, 50, 50 } },
	[HUE_YELLOW] = { { 185, 180, 60 }, { 45, 45, 40 } },
	[HUE_PURPLE] = { { 190, 100, 200 }, { 50, 50, 50 } },
	[HUE_ORANGE] = { { 225, 130, 20 }, { 30, 60, 40 } },
	[HUE_LEAF] = { { 90, 195, 110 }, { 60, 45, 60 } },
	[HUE_SKY] = { { 110, 160, 215 }, { 60, 50, 40 } },
};

const char *const palette_names[PALETTE_NR] = {
	[PALETTE_HOT] = "hot",	     [PALETTE_MEM] = "mem",	  [PALETTE_IO] = "io",	     [PALETTE_WAKEUP] = "wakeup",
	[PALETTE_CHAIN] = "chain",   [PALETTE_JAVA] = "java",	  [PALETTE_JS] = "js",	     [PALETTE_PERL] = "perl",
	[PALETTE_RED] = "red",	     [PALETTE_GREEN] = "green",	  [PALETTE_BLUE] = "blue",   [PALETTE_AQUA] = "aqua",
	[PALETTE_YELLOW] = "yellow", [PALETTE_PURPLE] = "purple", [PALETTE_ORANGE] = "orange",
};

bool palette_find(const char *name, enum palette *ret)
{
	for (int i = 0; i < PALETTE_NR; i++) {
		if (!strcmp(palette_names[i], name)) {
			*ret = (enum palette)i;
			return true;
		}
	}
	return false;
}

/* ---- the hue ---- */

static bool is_java_class(const char *name)
{
	static const char *const roots[] = { "java/", "javax/", "jdk/", "sun/", "com/", "net/", "org/", "io/" };
	name += name[0] == 'L';
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (text_has_prefix(name, roots[i]))
			return true;
	return false;
}

static enum hue java_hue(const char *name, enum name_kind kind)
{
	switch (kind) {
	case NAME_JIT:
		return HUE_GREEN;
	case NAME_INLINED:
		return HUE_AQUA;
	case NAME_KERNEL:
		return HUE_ORANGE;
	default:
		return is_java_class(name) ? HUE_GREEN : strstr(name, "::") ? HUE_YELLOW : HUE_RED;
	}
}

static enum hue js_hue(const char *name, enum name_kind kind)
{
	if (kind == NAME_KERNEL)
		return HUE_ORANGE;
	if (kind == NAME_JIT) /* names with a path are the program's, the others the engine's */
		return strchr(name, '/') ? HUE_GREEN : HUE_AQUA;
	if (strstr(name, "::"))
		return HUE_YELLOW;
	return strstr(name, ".js") ? HUE_GREEN : strchr(name, ':') ? HUE_AQUA : HUE_RED;
}

static enum hue perl_hue(const char *name, enum name_kind kind)
{
	if (kind == NAME_KERNEL)
		return HUE_ORANGE;
	if (strstr(name, "::"))
		return HUE_YELLOW;
	return strstr(name, "Perl") || strstr(name, ".pl") ? HUE_GREEN : HUE_RED;
}

static enum hue hue_of(enum palette p, const char *name, enum name_kind kind)
{
	if (kind == NAME_WAIT)
		return p == PALETTE_BLUE || p == PALETTE_IO || p == PALETTE_CHAIN ? HUE_PURPLE : HUE_BLUE;
	if (kind == NAME_WAKER)
		return p == PALETTE_AQUA || p == PALETTE_WAKEUP ? HUE_GREEN : HUE_AQUA;
	switch (p) {
	case PALETTE_MEM:
		return HUE_LEAF;
	case PALETTE_IO:
		return HUE_SKY;
	case PALETTE_WAKEUP:
	case PALETTE_AQUA:
		return HUE_AQUA;
	case PALETTE_CHAIN: /* "_[w]" marks the stack of a waker */
		return text_has_suffix(name, "_[w]") ? HUE_AQUA : HUE_BLUE;
	case PALETTE_JAVA:
		return java_hue(name, kind);
	case PALETTE_JS:
		return js_hue(name, kind);
	case PALETTE_PERL:
		return perl_hue(name, kind);
	case PALETTE_RED:
		return HUE_RED;
	case PALETTE_GREEN:
		return HUE_GREEN;
	case PALETTE_BLUE:
		return HUE_BLUE;
	case PALETTE_YELLOW:
		return HUE_YELLOW;
	case PALETTE_PURPLE:
		return HUE_PURPLE;
	case PALETTE_ORANGE:
		return HUE_ORANGE;
	default:
		return HUE_FLAME;
	}
}

/* ---- the place within it ---- */

/* 0 … 255, mostly from the first letters: each counts half as much as the one before it. */
static uint32_t prefix_place(const char *name, int step, size_t n)
{
	uint32_t place = 0, weight = 128;
	for (size_t i = 0; i < n && weight; i++, weight /= 2)
		place += ((unsigned char)name[step > 0 ? i : n - 1 - i] % 32) * weight / 32;
	return place > 255 ? 255 : place;
}

uint32_t palette_colour(enum palette p, enum palette_order order, const char *name, enum name_kind kind, uint64_t seed)
{
	const struct range *r = &hues[hue_of(p, name, kind)];
	size_t n = strlen(name);
	uint64_t places; /* one byte a channel */
	if (order == PALETTE_BY_PREFIX) {
		uint64_t front = prefix_place(name, 1, n), back = prefix_place(name, -1, n);
		places = front << 8 | back | back << 16;
	} else {
		places = order == PALETTE_RANDOM ? hash_u64(seed) : hash_bytes(name, n);
	}
	uint32_t colour = 0;
	for (int i = 0; i < 3; i++)
		colour = colour << 8 | (r->low[i] + r->span[i] * (uint32_t)(places >> (8 * i) & 255) / 255);
	return colour;
}

/* ---- background ---- */

static bool parse_colour(const char *s, uint32_t *ret)
{
	uint64_t colour;
	if (s[0] != '#' || strlen(s) != 7 || text_hex(s + 1, 6, &colour) != 6)
		return false;
	*ret = (uint32_t)colour;
	return true;
}

static const struct {
	const char *name;
	uint32_t top, bottom;
} backgrounds[] = {
	{ "yellow", 0xf6f6f2, 0xf0ecc4 },
	{ "green", 0xf2f6f2, 0xdcf2dc },
	{ "blue", 0xf2f4f8, 0xdfe6f8 },
	{ "grey", 0xf8f8f8, 0xe6e6e6 },
};

static const char *own_background(enum palette p)
{
	switch (p) {
	case PALETTE_MEM:
		return "green";
	case PALETTE_IO:
	case PALETTE_WAKEUP:
	case PALETTE_CHAIN:
		return "blue";
	case PALETTE_HOT:
	case PALETTE_JAVA:
	case PALETTE_JS:
	case PALETTE_PERL:
		return "yellow";
	default:
		return "grey";
	}
}

bool palette_background(enum palette p, const char *name, struct background *ret)
{
	*ret = (struct background){};
	if (!name)
		name = own_background(p);
	for (size_t i = 0; i < sizeof(backgrounds) / sizeof(*backgrounds); i++) {
		if (!strcmp(backgrounds[i].name, name)) {
			ret->top = backgrounds[i].top;
			ret->bottom = backgrounds[i].bottom;
			return true;
		}
	}
	if (!parse_colour(name, &ret->top))
		return false;
	ret->bottom = ret->top;
	ret->chosen = true;
	/* Perceived brightness in thousandths: green counts most. */
	ret->is_dark = (ret->top >> 16) * 299 + (ret->top >> 8 & 255) * 587 + (ret->top & 255) * 114 < 128000;
	return true;
}
