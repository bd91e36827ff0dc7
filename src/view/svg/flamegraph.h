/*
 * A profile as a flame graph: one SVG file that holds all it needs.
 *
 * Opened in a browser it zooms, searches and shows details; elsewhere it is the picture. Width is the share of the value,
 * frames of one caller are in the order of their names. Names are escaped for XML, and the script only ever treats them
 * as text.
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
	bool count_samples;     /* widths are sample counts, and not sums of periods; so for tracepoints in any case */
	const char *title;      /* NULL: "Flame Graph", or "Icicle Graph" where inverted */
	const char *subtitle;   /* or NULL */
	const char *notes;      /* kept in the file as metadata, not shown; or NULL */
	uint32_t width;         /* of the picture, in pixels */
	uint32_t frame_height;
	double min_width;       /* narrower frames are left out: in pixels, or percent of the whole */
	bool min_width_is_percent;
	const char *font_type;
	double font_size;
	double font_width;      /* advance of a letter, as a part of the font's size: how much of a name has room */
	const char *name_type;  /* before a frame's name where details are shown: "Function:" */
	/*
	 * What is counted: details say value * factor and this. NULL with factor 1: the number of samples, whatever the
	 * widths are.
	 */
	const char *count_name;
	double factor;
	const char *colours;    /* palette's name */
	const char *background; /* "yellow", "blue", "green", "grey", "#rrggbb"; NULL: the palette's own */
	bool hash_colours;      /* names that begin alike look alike */
	bool random_colours;
	bool reverse;           /* merge from the innermost frame on */
	bool inverted;          /* the root on top */
	bool in_time;           /* one sample after the other instead of summed up: a flame chart */
	/*
	 * A comparison: widths are of `event`, colours show how much more (red) or less (blue) than in base_event each
	 * function took itself. negate turns the colours round.
	 */
	bool has_base, negate;
	bool normalize;         /* the base is scaled to the total of event: shares are compared */
	uint32_t base_event;
	uint64_t total;         /* what the whole width stands for; 0 = what there is */
	const struct name_attributes *attributes; /* of frames, by name; or NULL */
	struct name_colours *kept_colours;        /* taken from here, and those of new names put there; or NULL */
};

/* Default of every field: 1200 pixels wide, frames of 16 that are left out below 0.1, palette "hot". */
struct flamegraph_options flamegraph_defaults(void);

/* What is wrong with the options, before any work is done: ERROR_USAGE. */
struct strobe_error *flamegraph_check(const struct flamegraph_options *options) _must_check_;

/*
 * ERROR_USAGE where an option is wrong, ERROR_NOT_FOUND where there is no such event or it has no samples: nothing is
 * written then. Failed writes are reported by out_close().
 */
struct strobe_error *view_flamegraph_svg(const struct profile *p, const struct flamegraph_options *options, struct out *out)
	_must_check_;
