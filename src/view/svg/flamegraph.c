#include "view/svg/flamegraph.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "view/svg/flamegraph_files.inc"
#include "view/svg/layout.h"
#include "view/svg/palette.h"

#define SIDE_PIXELS 10 /* left and right of the frames */
#define TEXT_INDENT 3
#define MAX_WIDTH   1000000
#define HOTTEST     5  /* functions named in the description */

struct flamegraph_options flamegraph_defaults(void)
{
	return (struct flamegraph_options){
		.width = 1200,
		.frame_height = 16,
		.min_width = 0.1,
		.font_type = "monospace",
		.font_size = 12,
		.font_width = 0.6, /* exact for nearly all fixed-width fonts, close for others (the script measures) */
		.name_type = "Function:",
		.factor = 1,
		.colours = "hot",
	};
}

struct picture {
	const struct profile *p;
	const struct flamegraph_options *o;
	struct flame_layout layout;
	enum palette palette;
	enum palette_order order;
	struct background background;
	struct out *out;
	double top, frames_height, height; /* y of the first row of frames, height of all rows, of the picture */
	uint32_t *colours;                 /* by name: 0x1RRGGBB, 0 = not known yet */
};

/* ---- small pieces of text ---- */

/* Up to four decimals: zooming makes 1/10,000 of a pixel visible. */
static void put_pixels(struct out *out, double v)
{
	uint64_t scaled = v > 0 ? (uint64_t)(v * 10000 + 0.5) : 0;
	uint64_t rest = scaled % 10000;
	int digits = 4;
	out_u64(out, scaled / 10000);
	if (!rest)
		return;
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	out_ch(out, '.');
	out_u64_width(out, rest, (size_t)digits, '0');
}

static void put_colour(struct out *out, uint32_t rgb)
{
	out_ch(out, '#');
	out_hex_width(out, rgb, 6, '0');
}

/* 1,234,567 */
static void put_count(struct out *out, uint64_t v)
{
	uint64_t unit = 1;
	while (v / unit >= 1000)
		unit *= 1000;
	out_u64(out, v / unit);
	for (v %= unit, unit /= 1000; unit; v %= unit, unit /= 1000) {
		out_ch(out, ',');
		out_u64_width(out, v / unit, 3, '0');
	}
}

static void put_scaled_count(struct out *out, double v)
{
	if (v < 0) {
		out_ch(out, '-');
		v = -v;
	}
	if (v >= 0x1p63)
		out_f64(out, v, 0);
	else if (v == (double)(uint64_t)v || v >= 1000)
		put_count(out, (uint64_t)(v + 0.5));
	else
		out_f64(out, v, 2);
}

static const char *event_name(const struct picture *pic)
{
	return profile_event_name(pic->p, pic->o->event);
}

/* "; +1.23%": the difference of the function's own value to the base. */
static void put_delta(const struct picture *pic, int64_t delta)
{
	double share = 100.0 * (double)(pic->o->negate ? -delta : delta) / (double)pic->layout.total;
	out_str(pic->out, "; ");
	if (share >= 0)
		out_ch(pic->out, '+');
	out_f64(pic->out, share, 2);
	out_ch(pic->out, '%');
}

/* "libc.so.6, 1,234 samples, 5.67%" */
static void put_details(const struct picture *pic, const char *module, uint64_t value, uint64_t samples)
{
	struct out *out = pic->out;
	const struct flamegraph_options *o = pic->o;
	if (*module) {
		out_xml_str(out, module);
		out_str(out, ", ");
	}
	if (!o->count_name && o->factor == 1) {
		put_count(out, samples);
		out_str(out, samples == 1 ? " sample, " : " samples, ");
	} else {
		put_scaled_count(out, (double)value * o->factor);
		out_ch(out, ' ');
		out_xml_str(out, o->count_name ? o->count_name : event_name(pic));
		out_str(out, ", ");
	}
	out_f64(out, 100.0 * (double)value / (double)pic->layout.total, 2);
	out_ch(out, '%');
}

/* ---- names ---- */

static const char *name_of(const struct picture *pic, uint32_t node, const struct frame_name **ret)
{
	static const struct frame_name root = { .kind = NAME_PROCESS };
	name_id id = pic->layout.tree.nodes.data[node].name;
	*ret = id == PROFILE_NONE ? &root : &pic->layout.tree.names.names.data[id];
	return id == PROFILE_NONE ? "all" : strtab_get(&pic->layout.tree.names.strings, (*ret)->text);
}

/*
 * As in flamegraph.pl: white for no change, red for more and blue for less; even a small change differs from none.
 */
#define DELTA_PALEST 210
static uint32_t colour_of_delta(const struct picture *pic, int64_t delta)
{
	double part = pic->layout.delta_max ? (double)delta / (double)pic->layout.delta_max : 0;
	uint32_t pale = (uint32_t)(DELTA_PALEST * (1 - (part < 0 ? -part : part)) + 1e-9);
	if (part == 0)
		return 0xffffff;
	return (part > 0) != pic->o->negate ? 0xff0000 | pale << 8 | pale : pale << 16 | pale << 8 | 0xff;
}

/* The separator of joined stacks (chain graphs) is grey. */
static bool is_joint(const char *name, uint32_t *ret)
{
	*ret = !strcmp(name, "--") ? 0xa0a0a0 : 0xc8c8c8;
	return !strcmp(name, "--") || !strcmp(name, "-");
}

static uint32_t colour_of(struct picture *pic, uint32_t node, int64_t delta, uint64_t seed)
{
	uint32_t grey;
	const struct frame_name *name;
	const char *text = name_of(pic, node, &name);
	name_id id = pic->layout.tree.nodes.data[node].name;
	if (is_joint(text, &grey))
		return grey;
	if (pic->o->has_base)
		return colour_of_delta(pic, node ? delta : 0);
	uint32_t *known = id == PROFILE_NONE || pic->order == PALETTE_RANDOM ? NULL : &pic->colours[id];
	if (pic->o->kept_colours)
		known = name_colours_at(pic->o->kept_colours, id == PROFILE_NONE ? "" : text, name->kind);
	if (known && *known)
		return *known & 0xffffff;
	uint32_t rgb = palette_colour(pic->palette, pic->order, text, name->kind, seed);
	if (known)
		*known = rgb | 0x1000000;
	return rgb;
}

/* As much of the name as fits, with ".." for the rest; nothing if there is no room for three letters. */
static void put_label(const struct picture *pic, const char *s, double width)
{
	double fits = (width - 2 * TEXT_INDENT) / (pic->o->font_size * pic->o->font_width);
	if (fits < 3)
		return;
	size_t room = (size_t)fits, bytes = strlen(s), at = 0, cut = 0;
	for (size_t letters = 0; at < bytes; letters++) {
		uint32_t c;
		size_t len = utf8_decode(s + at, bytes - at, &c);
		if (letters == room - 2)
			cut = at;
		if (letters == room) {
			out_xml(pic->out, s, cut);
			out_str(pic->out, "..");
			return;
		}
		at += len ? len : 1;
	}
	out_xml(pic->out, s, bytes);
}

static double label_baseline(const struct picture *pic, double row_y)
{
	return row_y + (pic->o->frame_height - 1) / 2.0 + pic->o->font_size * 0.35;
}

/* ---- the frames ---- */

static double row_y(const struct picture *pic, uint32_t depth)
{
	/* as in flamegraph.pl, the gap between frames is above frames, or below them in inverted graphs */
	if (pic->o->inverted)
		return pic->top + (double)depth * pic->o->frame_height;
	return pic->top + (double)(pic->layout.depth_max - depth) * pic->o->frame_height + 1;
}

static void put_attribute(struct out *out, const char *name, const char *value)
{
	if (!value)
		return;
	out_f(out, " %s=\"", name);
	out_xml_str(out, value);
	out_ch(out, '"');
}

static void put_extra(struct out *out, const char *attributes)
{
	if (!*attributes)
		return;
	out_ch(out, ' ');
	out_str(out, attributes);
}

static void put_group(struct out *out, const struct frame_attributes *a)
{
	out_str(out, "<g");
	if (a) {
		put_attribute(out, "id", a->id);
		put_attribute(out, "class", a->class);
		put_extra(out, a->g_extra);
	}
	out_str(out, "><title>");
}

/* Both attributes: SVG 1.1 viewers know only XLink's. */
static void put_link(struct out *out, const struct frame_attributes *a)
{
	if (!a || !a->href)
		return;
	out_str(out, "<a");
	put_attribute(out, "href", a->href);
	put_attribute(out, "xlink:href", a->href);
	put_attribute(out, "target", a->target ? a->target : "_top");
	put_extra(out, a->a_extra);
	out_ch(out, '>');
}

static void put_frame(struct picture *pic, size_t index)
{
	struct out *out = pic->out;
	const struct flame_box *box = &pic->layout.boxes.data[index];
	const struct frame_name *name;
	const char *text = name_of(pic, box->node, &name);
	double y = row_y(pic, box->depth);
	const struct frame_attributes *a = NULL;
	if (pic->o->attributes && box->node)
		a = name_attributes_of(pic->o->attributes, text, name->kind);
	put_group(out, a);
	out_xml_str(out, text);
	out_ch(out, '\n');
	if (a && a->title) {
		out_xml_str(out, a->title);
	} else {
		put_details(pic, strtab_get(&pic->layout.tree.names.strings, name->module), box->value, box->samples);
		if (pic->o->has_base && box->node)
			put_delta(pic, box->delta);
	}
	out_str(out, "</title>");
	put_link(out, a);
	out_str(out, "<rect x=\"");
	put_pixels(out, SIDE_PIXELS + box->x);
	out_str(out, "\" y=\"");
	put_pixels(out, y);
	out_str(out, "\" width=\"");
	put_pixels(out, box->width);
	out_str(out, "\" height=\"");
	out_u64(out, pic->o->frame_height - 1);
	out_str(out, "\" fill=\"");
	put_colour(out, colour_of(pic, box->node, box->delta, index));
	out_str(out, "\"/>");
	if (box->width >= 2 * TEXT_INDENT + 3 * pic->o->font_size * pic->o->font_width) {
		out_str(out, "<text x=\"");
		put_pixels(out, SIDE_PIXELS + box->x + TEXT_INDENT);
		out_str(out, "\" y=\"");
		put_pixels(out, label_baseline(pic, y));
		out_str(out, "\">");
		put_label(pic, text, box->width);
		out_str(out, "</text>");
	}
	out_str(out, a && a->href ? "</a></g>\n" : "</g>\n");
}

static void put_frames(struct picture *pic)
{
	struct out *out = pic->out;
	out_str(out, "<g class=\"frames\" data-pad=\"");
	out_u64(out, SIDE_PIXELS);
	out_str(out, "\" data-full=\"");
	put_pixels(out, pic->o->width - 2.0 * SIDE_PIXELS);
	out_str(out, "\" data-height=\"");
	out_u64(out, pic->o->frame_height);
	out_str(out, "\" data-font=\"");
	put_pixels(out, pic->o->font_size);
	out_str(out, pic->o->width == flamegraph_defaults().width ? "\" data-fluid=\"1" : "\" data-fluid=\"0");
	out_str(out, pic->o->inverted ? "\" data-inverted=\"1\" data-label=\"" : "\" data-inverted=\"0\" data-label=\"");
	out_xml_str(out, pic->o->name_type);
	out_str(out, "\">\n");
	for (size_t i = 0; i < pic->layout.boxes.len && !out_failed(out); i++)
		put_frame(pic, i);
	out_str(out, "</g>\n");
}

/* ---- what is around them ---- */

static const char *title_of(const struct flamegraph_options *o)
{
	if (o->title)
		return o->title;
	return o->in_time ? "Flame Chart" : o->inverted ? "Icicle Graph" : "Flame Graph";
}

static int compare_values(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x > y ? -1 : x < y;
}

/* The functions with the largest own values: a description for users who cannot see the picture. */
static void put_hottest(const struct picture *pic)
{
	const struct name_tree *t = &pic->layout.tree;
	size_t names = t->names.names.len, n = 0;
	struct self {
		uint64_t value; /* first: compare_values() */
		name_id name;
	} *selfs = xcalloc(names + 1, sizeof(*selfs));
	for (size_t i = 1; i < t->nodes.len; i++) {
		/* a reversed stack begins with the function that was sampled */
		bool first = !t->nodes.data[i].parent;
		uint64_t value = !pic->o->reverse ? t->nodes.data[i].value : first ? pic->layout.values[i] : 0;
		struct self *s = &selfs[t->nodes.data[i].name];
		s->name = t->nodes.data[i].name;
		s->value = add_saturated(s->value, value);
	}
	qsort(selfs, names, sizeof(*selfs), compare_values);
	for (; n < HOTTEST && n < names && selfs[n].value; n++) {
		out_str(pic->out, n ? ", " : " Most time is taken by ");
		out_xml_str(pic->out, strtab_get(&t->names.strings, t->names.names.data[selfs[n].name].text));
		out_ch(pic->out, ' ');
		out_f64(pic->out, 100.0 * (double)selfs[n].value / (double)pic->layout.total, 1);
		out_ch(pic->out, '%');
	}
	if (n)
		out_ch(pic->out, '.');
	free(selfs);
}

static void put_head(const struct picture *pic)
{
	struct out *out = pic->out;
	const struct flamegraph_options *o = pic->o;
	out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
	out_u64(out, o->width);
	out_str(out, "\" height=\"");
	put_pixels(out, pic->height);
	out_str(out, "\" viewBox=\"0 0 ");
	out_u64(out, o->width);
	out_ch(out, ' ');
	put_pixels(out, pic->height);
	out_str(out, "\" class=\"");
	out_str(out, !pic->background.chosen ? "auto" : pic->background.is_dark ? "on-dark" : "on-light");
	if (o->attributes)
		out_str(out, "\" xmlns:xlink=\"http://www.w3.org/1999/xlink");
	out_str(out, "\" font-family=\"");
	out_xml_str(out, o->font_type);
	out_str(out, "\" font-size=\"");
	put_pixels(out, o->font_size);
	out_str(out, "\" role=\"img\" aria-labelledby=\"flame-title flame-desc\">\n<title id=\"flame-title\">");
	out_xml_str(out, title_of(o));
	out_str(out, "</title>\n<desc id=\"flame-desc\">Where ");
	put_count(out, pic->layout.samples[0]);
	out_str(out, " samples of ");
	out_xml_str(out, event_name(pic));
	out_str(out, " were taken; wider is more, and callees are drawn ");
	out_str(out, o->inverted ? "below their callers." : "above their callers.");
	put_hottest(pic);
	out_str(out, "</desc>\n");
	if (o->notes) {
		out_str(out, "<metadata>");
		out_xml_str(out, o->notes);
		out_str(out, "</metadata>\n");
	}
}

static void put_style(const struct picture *pic)
{
	struct out *out = pic->out;
	out_str(out, "<style><![CDATA[\n");
	out_str(out, flamegraph_css);
	out_str(out, "]]></style>\n<defs><linearGradient id=\"flame-background\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">"
		     "<stop class=\"top\" offset=\"5%\" stop-color=\"");
	put_colour(out, pic->background.top);
	out_str(out, "\"/><stop class=\"bottom\" offset=\"95%\" stop-color=\"");
	put_colour(out, pic->background.bottom);
	out_str(out, "\"/></linearGradient></defs>\n"
		     "<rect width=\"100%\" height=\"100%\" fill=\"url(#flame-background)\"/>\n");
}

struct caption {
	const char *class, *anchor, *text;
	double x, y, size;
};

static void put_caption(const struct picture *pic, struct caption c)
{
	struct out *out = pic->out;
	out_str(out, "<text class=\"");
	out_str(out, c.class);
	out_str(out, "\" x=\"");
	put_pixels(out, c.x);
	out_str(out, "\" y=\"");
	put_pixels(out, c.y);
	out_str(out, "\" text-anchor=\"");
	out_str(out, c.anchor);
	if (c.size > 0) {
		out_str(out, "\" font-size=\"");
		put_pixels(out, c.size);
	}
	out_str(out, "\">");
	out_xml_str(out, c.text);
	out_str(out, "</text>\n");
}

static void put_captions(const struct picture *pic)
{
	const struct flamegraph_options *o = pic->o;
	double size = o->font_size, bottom = pic->height - size / 2 - 5;
	put_caption(pic, (struct caption){ "ink", "middle", title_of(o), o->width / 2.0, 2 * size, size * 1.4 });
	if (o->subtitle)
		put_caption(pic, (struct caption){ "quiet", "middle", o->subtitle, o->width / 2.0, 4 * size });
	put_caption(pic, (struct caption){ "details ink", "start", " ", SIDE_PIXELS, bottom });
	put_caption(pic, (struct caption){ "matched ink", "end", " ", o->width - SIDE_PIXELS, bottom });
}

static void put_picture(struct picture *pic)
{
	put_head(pic);
	put_style(pic);
	put_captions(pic);
	put_frames(pic);
	out_str(pic->out, "<script><![CDATA[\n");
	out_str(pic->out, flamegraph_js);
	out_str(pic->out, "]]></script>\n</svg>\n");
}

/* ---- options ---- */

static struct strobe_error *check_colours(const struct flamegraph_options *o)
{
	enum palette palette;
	struct background background;
	if (!palette_find(o->colours, &palette)) {
		struct strbuf all = {};
		for (int i = 0; i < PALETTE_NR; i++)
			strbuf_addf(&all, "%s%s", i ? ", " : "", palette_names[i]);
		struct strobe_error *err = error_create(ERROR_USAGE, "unknown palette '%s'; known: %s", o->colours, all.data);
		strbuf_deinit(&all);
		return err;
	}
	if (!palette_background(palette, o->background, &background))
		return error_create(ERROR_USAGE, "invalid background '%s': expected yellow, blue, green, grey or #rrggbb", o->background);
	if (o->hash_colours && o->random_colours)
		return error_create(ERROR_USAGE, "colours by name and random colours cannot be combined");
	return NULL;
}

static struct strobe_error *check_sizes(const struct flamegraph_options *o)
{
	if (o->width < 100 || o->width > MAX_WIDTH)
		return error_create(ERROR_USAGE, "a width of %u pixels is not within 100 to %u", o->width, MAX_WIDTH);
	if (o->frame_height < 2 || o->frame_height > 1000)
		return error_create(ERROR_USAGE, "a frame height of %u pixels is not within 2 to 1000", o->frame_height);
	if (!(o->font_size > 0 && o->font_size <= 1000))
		return error_create(ERROR_USAGE, "a font size of %g is not within 0 to 1000", o->font_size);
	if (!(o->font_width > 0 && o->font_width <= 10))
		return error_create(ERROR_USAGE, "a font width of %g is not within 0 to 10", o->font_width);
	if (!(o->min_width >= 0 && o->min_width <= MAX_WIDTH))
		return error_create(ERROR_USAGE, "a minimum width of %g is not within 0 to %u", o->min_width, MAX_WIDTH);
	if (!(o->factor > -1e300 && o->factor < 1e300))
		return error_create(ERROR_USAGE, "invalid factor");
	return NULL;
}

struct strobe_error *flamegraph_check(const struct flamegraph_options *options)
{
	TRY(check_sizes(options));
	if (options->has_base && options->in_time)
		return error_create(ERROR_USAGE, "--flamechart cannot be combined with --diff-base");
	return check_colours(options);
}

static void choose_colours(struct picture *pic)
{
	const struct flamegraph_options *o = pic->o;
	palette_find(o->colours, &pic->palette);
	palette_background(pic->palette, o->background, &pic->background);
	pic->order = o->hash_colours ? PALETTE_BY_PREFIX : o->random_colours ? PALETTE_RANDOM : PALETTE_BY_NAME;
	pic->colours = xcalloc(pic->layout.tree.names.names.len + 1, sizeof(*pic->colours));
}

struct strobe_error *view_flamegraph_svg(const struct profile *p, const struct flamegraph_options *options, struct out *out)
{
	struct picture pic = { .p = p, .o = options, .out = out };
	double width = options->width - 2.0 * SIDE_PIXELS, size = options->font_size;
	if (options->event >= p->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no event number %u", options->event);
	if (options->has_base && options->base_event >= p->events.len)
		return error_create(ERROR_NOT_FOUND, "the profile has no event number %u", options->base_event);
	TRY(flamegraph_check(options));
	struct flame_layout_options layout = {
		.tree = {
			.names = options->names,
			.event = options->event,
			.count_samples = options->count_samples,
			.reverse = options->reverse,
			.in_time = options->in_time,
			.has_base = options->has_base,
			.base_event = options->base_event,
		},
		.total = options->total,
		.normalize = options->normalize,
		.width = width,
		.min_width = options->min_width_is_percent ? width * options->min_width / 100 : options->min_width,
	};
	layout.tree.names.full = true;
	struct strobe_error *err = flame_layout_init(&pic.layout, p, &layout);
	if (!err) {
		pic.top = size * (options->subtitle ? 5 : 3);
		pic.frames_height = (double)(pic.layout.depth_max + 1) * options->frame_height;
		pic.height = pic.top + pic.frames_height + 2 * size + 10;
		choose_colours(&pic);
		put_picture(&pic);
		free(pic.colours);
	}
	flame_layout_deinit(&pic.layout);
	return err;
}
