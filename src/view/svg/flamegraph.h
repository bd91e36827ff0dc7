/*
 * A profile as a flame graph: a self-contained SVG file.
 *
 * In a browser it can be zoomed and searched and shows details; elsewhere it is a static picture. The width is the share
 * of the value; callees are sorted by name. Names are escaped for XML, and the script treats them only as text.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"
#include "view/frame_names.h"
#include "view/svg/name_files.h"

struct flamegraph_options {
	struct frame_names_options names; /* .full is set by the view */
	uint32_t event;         /* index in profile->events */
	bool count_samples;     /* widths are sample counts and not sums of periods; always so for tracepoints */
	const char *title;      /* NULL: "Flame Graph", or "Icicle Graph" if inverted */
	const char *subtitle;   /* or NULL */
	const char *notes;      /* kept in the file as metadata, not shown; or NULL */
	uint32_t width;         /* of the picture, in pixels */
	uint32_t frame_height;
	double min_width;       /* narrower frames are left out: in pixels, or percent of the total */
	bool min_width_is_percent;
	const char *font_type;
	double font_size;
	double font_width;      /* advance width of a letter, relative to the font size, to know how much of a name fits */
	const char *name_type;  /* precedes a frame's name in details: "Function:" */
	/*
	 * The unit in details, which show value * factor. NULL with factor 1: the number of samples, whatever the widths are.
	 */
	const char *count_name;
	double factor;
	const char *colours;    /* palette's name */
	const char *background; /* "yellow", "blue", "green", "grey", "#rrggbb"; NULL: the palette's own */
	bool hash_colours;      /* names with the same beginning have similar colours */
	bool random_colours;
	bool reverse;           /* merge from the innermost frame on */
	bool inverted;          /* the root on top */
	bool in_time;           /* samples in order of time instead of summed up: a flame chart */
	/*
	 * A comparison: widths are for `event`, colours show whether the own value of a function is larger (red) or smaller
	 * (blue) than in base_event. negate swaps the colours.
	 */
	bool has_base, negate;
	bool normalize;         /* scale the base to the total of event, to compare shares */
	uint32_t base_event;
	uint64_t total;         /* the value of the full width; 0 = the profile's total */
	const struct name_attributes *attributes; /* of frames, by name; or NULL */
	struct name_colours *kept_colours;        /* used and extended by new names; or NULL */
};

/* Default of every field: 1200 pixels wide, frames of 16 that are left out below 0.1, palette "hot". */
struct flamegraph_options flamegraph_defaults(void);

/* Checks the options before any work is done: ERROR_USAGE. */
struct strobe_error *flamegraph_check(const struct flamegraph_options *options) _must_check_;

/*
 * ERROR_USAGE for an invalid option, ERROR_NOT_FOUND for an unknown event or one without samples: nothing is written then.
 * Write errors are reported by out_close().
 */
struct strobe_error *view_flamegraph_svg(const struct profile *p, const struct flamegraph_options *options, struct out *out)
	_must_check_;
