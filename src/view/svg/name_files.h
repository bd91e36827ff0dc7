/*
 * Two file formats of flamegraph.pl, by names of functions: attributes of frames (--nameattr), and colours of an earlier graph
 * (--cp).
 *
 * Attributes: a name, then tab-separated name=value pairs: id, class, title (in place of the details of the frame), href and
 * target (the frame is a link), g_extra and a_extra (more attributes, as XML has them). They are parsed and written anew,
 * so that no line can break the picture. Colours: "name->rgb(r,g,b)" a line; a name may hold "->" itself.
 *
 * A name may end with the mark of folded stacks (_[k], _[i], _[j]): it then applies only to frames of this kind.
 * Each belongs to one thread. Source: flamegraph.pl --help, and what it does with such files.
 */
#pragma once
#include "base/arena.h"
#include "base/error.h"
#include "base/lines.h"
#include "base/out.h"
#include "base/strtab.h"
#include "base/vector.h"
#include "view/frame_names.h"

struct frame_attributes {
	const char *id, *class, *title, *href, *target; /* NULL where it has none */
	const char *g_extra, *a_extra;                  /* XML: attributes with a blank in front of each; "" where there are none */
};

struct name_attributes {
	struct arena arena;
	struct strtab names;
	VEC(struct frame_attributes) of; /* by the name's id */
};

/* ERROR_FORMAT has the number of the invalid line; release ret in that case, too. Nothing points into the lines. */
struct strobe_error *name_attributes_read(const struct lines *lines, struct name_attributes *ret) _must_check_;
void name_attributes_deinit(struct name_attributes *a);
/* Of a frame, or NULL. */
const struct frame_attributes *name_attributes_of(const struct name_attributes *a, const char *name, enum name_kind kind);

struct name_colours {
	struct strtab names;
	VEC(uint32_t) rgb; /* by the name's id: 0x1RRGGBB, 0 = none yet */
};

/* Lines that are not colours are skipped. */
void name_colours_read(const struct lines *lines, struct name_colours *ret);
void name_colours_deinit(struct name_colours *c);
/* The entry for the colour of a frame's name, which is created if needed. */
uint32_t *name_colours_at(struct name_colours *c, const char *name, enum name_kind kind);
/* All of them, in the order of their names. */
void name_colours_write(const struct name_colours *c, struct out *out);
