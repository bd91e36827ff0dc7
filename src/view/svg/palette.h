/*
 * Colours of flame graph boxes: a palette is a range of hues, in which each name has a position.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "view/frame_names.h"

enum palette {
	PALETTE_HOT, PALETTE_MEM, PALETTE_IO, PALETTE_WAKEUP, PALETTE_CHAIN, PALETTE_JAVA, PALETTE_JS, PALETTE_PERL,
	PALETTE_RED, PALETTE_GREEN, PALETTE_BLUE, PALETTE_AQUA, PALETTE_YELLOW, PALETTE_PURPLE, PALETTE_ORANGE,
	PALETTE_NR,
};

extern const char *const palette_names[PALETTE_NR];
/* False: unknown name. */
bool palette_find(const char *name, enum palette *ret);

/* How the position of a name is chosen. */
enum palette_order {
	PALETTE_BY_NAME,   /* scattered; the same name has the same colour in every graph */
	PALETTE_BY_PREFIX, /* names with similar beginning and end have similar colours */
	PALETTE_RANDOM,    /* each box its own; `seed` says which */
};

/* 0xRRGGBB. Bright enough for black text. */
uint32_t palette_colour(enum palette p, enum palette_order order, const char *name, enum name_kind kind, uint64_t seed);

/* The two colours of the background. */
struct background {
	uint32_t top, bottom;
	bool chosen;  /* "#rrggbb": not adapted to dark screens */
	bool is_dark; /* needs bright text */
};
/* "yellow", "green", "blue", "grey" or "#rrggbb"; NULL: the palette's own. False: unknown name. */
bool palette_background(enum palette p, const char *name, struct background *ret);
