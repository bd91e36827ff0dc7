/* Frames of inlined functions and source lines, out of the debug information. */
#pragma once
#include "resolve/frames.h"
#include "resolve/resolve.h"
#include "symbol/source.h"

/*
 * The frames at the address of *f, innermost first: those that were inlined, if options.with_inlines, then *f itself; with
 * their lines, if options.with_lines. At least one. Safe in threads.
 */
unsigned inlines_expand(const struct resolved_frame *f, const struct resolve_options *o,
			struct resolved_frame ret[SOURCE_FRAMES_MAX]);
