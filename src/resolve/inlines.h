/* Frames of inlined functions and source lines, out of the debug information. */
#pragma once
#include "resolve/frames.h"
#include "symbol/source.h"

/*
 * The frames at the address of *f, innermost first: those that were inlined, then *f itself with its line. At least one.
 * Without with_inlines just the one, with its line. Safe in threads.
 */
unsigned inlines_expand(const struct resolved_frame *f, bool with_inlines, struct resolved_frame ret[SOURCE_FRAMES_MAX]);
