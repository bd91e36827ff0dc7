/*
 * Converts our SVG to PNG, PDF or PostScript. librsvg reads it and cairo writes; both are loaded on first use.
 *
 * The picture has the size of the SVG, one pixel or point per unit; a PNG that would be too large for cairo (32,767 pixels per side)
 * or for memory (64 million pixels) is scaled down. Thread-safe. Sources: the manuals of librsvg and cairo.
 */
#pragma once
#include <stddef.h>

#include "base/error.h"
#include "base/out.h"

enum picture_format { PICTURE_PNG, PICTURE_PDF, PICTURE_PS };

/* width, height: of the SVG. ERROR_UNSUPPORTED, with the name of the missing library. */
struct strobe_error *picture_write(const char *svg, size_t n, double width, double height, enum picture_format format,
				   struct out *out) _must_check_;
