#include "view/svg/time_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digits.h"
#include "base/strbuf.h"

/* In pixels: from one row to the next, and the height of a bar. */
#define ROW	30.0
#define BAR	25.0
#define NS_A_PIXEL_MAX 5000000 /* 200 pixels a second */
#define GRID_NS 10000000
#define GRID_LINES_MAX 200000
#define TEXT_SIZE_MIN 0.01
#define LONG_WAIT_NS 10000000
#define IDLE_CLASSES 6
#define WHOLE_MAX 0x1p53
#define UNITS_MAX 30000000 /* a coordinate of Chromium is less than 2^25 */

struct drawing {
	struct out *out;
	struct time_chart *c;
	const struct time_chart_svg_options *o;
	uint64_t start_ns;
	double pixels_per_ns, width, height;
	uint64_t unit_ns; /* of boxes: open_boxes() */
	unsigned unit_decimals;
	struct u64map escaped; /* by address of a stack */
};

static const char style[] =
	"rect.cpu{fill:#c0c0c0;fill-opacity:.2;stroke:#808080;stroke-width:.5}\n"
	"rect.process{fill:#b4b4b4;fill-opacity:.9;stroke:#000}rect.process2{fill:#b4b4b4;fill-opacity:.9}"
	"rect.process3{fill:#b4b4b4;fill-opacity:.5}\n"
	"rect.sample{fill:#00f;fill-opacity:.8}rect.sample_hi{fill:#ff8000;fill-opacity:.8}"
	"rect.waiting{fill:#e0d600;fill-opacity:.8}rect.WAITING{fill:#ffd630;fill-opacity:.6}rect.blocked{fill:red;fill-opacity:.5}\n"
	"rect.c1{fill:#ffd6d6}rect.c2{fill:#ffacac}rect.c3{fill:#ff8282}rect.c4{fill:#ff5858}rect.c5{fill:#ff2c2c}rect.c6{fill:red}"
	"rect.c0,rect.c1,rect.c2,rect.c3,rect.c4,rect.c5,rect.c6{fill-opacity:.5}rect.c0{fill:#ffecec}"
	"line.pstate{stroke:#ff0;stroke-width:2}\n"
	"rect.error{fill:red;fill-opacity:.5}rect.net{fill:green;fill-opacity:.5}rect.disk{fill:#00f;fill-opacity:.5}"
	"rect.sync{fill:olive;fill-opacity:.5}rect.poll{fill:teal;fill-opacity:.2}\n"
	"line.wake{stroke:#20ff20;stroke-width:.009}circle.wake{fill:#20ff20}circle.interrupt{fill:#ff8080}\n"
	"rect{fill:#00f;fill-opacity:.8}text{pointer-events:none}\n";

static double x_of(const struct drawing *d, uint64_t ns)
{
	return ns > d->start_ns ? (double)(ns - d->start_ns) * d->pixels_per_ns : 0;
}

static uint64_t offset_of(const struct drawing *d, uint64_t ns)
{
	return ns > d->start_ns ? ns - d->start_ns : 0;
}

/* A CPU has two rows, below the legend. */
static double y_of_cpu(const struct drawing *d, uint32_t cpu)
{
	uint32_t place = d->c->cpu_places && cpu < d->c->cpus_nr ? d->c->cpu_places[cpu] : cpu;
	return (2.0 * place + 1) * ROW;
}

/* Few different sizes, so that viewers render few fonts: halves of ten. */
static double text_size(double size, double max)
{
	double ret = 10;
	size = size < max ? size : max;
	if (size >= ret)
		return size;
	for (int i = 0; i < 100 && ret > size; i++)
		ret /= 2;
	return ret;
}

/* ---- pieces ---- */

#define SPAN_TEXT_BYTES (DIGITS_F64_BYTES + sizeof(" ms"))

static const char *span_text(uint64_t ns, char ret[static SPAN_TEXT_BYTES])
{
	bool is_us = ns < 1000000;
	size_t n = ns < 1000 ? 0 : digits_f64(ret, (double)ns / (is_us ? 1e3 : 1e6), 1);
	strcpy(ret + n, !n ? "" : is_us ? " us" : " ms");
	return ret;
}

/* Text, and then a number: there are many of them, half of which are whole. */
static void put(const struct drawing *d, const char *before, double v, int decimals)
{
	out_str(d->out, before);
	if (fabs(v) < WHOLE_MAX && v == (double)(int64_t)v)
		out_i64(d->out, (int64_t)v);
	else
		out_f64(d->out, v, decimals);
}

static void rect(const struct drawing *d, const char *class, double x, double width, double y, double height)
{
	put(d, "<rect x=\"", x, 8);
	put(d, "\" width=\"", width, 8);
	put(d, "\" y=\"", y, 1);
	put(d, "\" height=\"", height, 1);
	out_str(d->out, "\" class=\"");
	out_str(d->out, class);
	out_str(d->out, "\"/>\n");
}

/*
 * Boxes of times make up nearly all of a picture: each is an element with its title, in a group in which x and width are microseconds, or
 * milliseconds in long recordings, exact to the nanosecond. Lines around boxes, and text, would be scaled and are elsewhere.
 */
static void open_boxes(const struct drawing *d, double y)
{
	put(d, "<g transform=\"translate(0,", y, 8);
	out_f(d->out, ") scale(%.12g,1)\">\n", d->pixels_per_ns * (double)d->unit_ns);
}

static void put_units(const struct drawing *d, uint64_t ns)
{
	out_point(d->out, ns / d->unit_ns, ns % d->unit_ns, d->unit_decimals, 0);
}

/* class: NULL for what runs. Its title comes next, then close_box(). */
static void open_box(const struct drawing *d, const char *class, uint64_t start_ns, uint64_t end_ns, double y, double height)
{
	uint64_t start = offset_of(d, start_ns), end = offset_of(d, end_ns);
	out_str(d->out, "<rect x=\"");
	put_units(d, start);
	out_str(d->out, "\" width=\"");
	put_units(d, end > start ? end - start : 0);
	if (y != 0)
		put(d, "\" y=\"", y, 2);
	put(d, "\" height=\"", height, 3);
	if (class) {
		out_str(d->out, "\" class=\"");
		out_str(d->out, class);
	}
	out_str(d->out, "\"><title>");
}

static void close_box(const struct drawing *d)
{
	out_str(d->out, "</rect>\n");
}

static void text(const struct drawing *d, double x, double y, const char *attributes, const char *s)
{
	put(d, "<text x=\"", x, 8);
	put(d, "\" y=\"", y, 8);
	out_str(d->out, "\"");
	out_str(d->out, attributes);
	out_ch(d->out, '>');
	out_xml_str(d->out, s);
	out_str(d->out, "</text>\n");
}

/* A letter, or 0, and a number, which is at least the smallest visible one. */
static void number_text(const struct drawing *d, double x, double y, double size, char letter, unsigned number)
{
	if (size <= TEXT_SIZE_MIN)
		return;
	put(d, "<text x=\"", x, 8);
	put(d, "\" y=\"", y, 8);
	put(d, "\" font-size=\"", size, 8);
	out_str(d->out, "pt\">");
	if (letter)
		out_ch(d->out, letter);
	out_u64(d->out, number);
	out_str(d->out, "</text>\n");
}

/* Vertical text. */
static void text_down(const struct drawing *d, double x, double y, double size, const char *before, const char *s)
{
	if (size <= TEXT_SIZE_MIN)
		return;
	put(d, "<text transform=\"translate(", x, 8);
	put(d, ",", y, 8);
	put(d, ") rotate(90)\" font-size=\"", size, 8);
	out_str(d->out, "pt\">");
	out_str(d->out, before);
	out_xml_str(d->out, s);
	out_str(d->out, "</text>\n");
}

/* A line per frame, in perf's format; cached, since stacks are repeated. */
static const char *escaped(struct drawing *d, const struct time_stack *stack)
{
	uint64_t *at = u64map_put(&d->escaped, (uintptr_t)stack, NULL);
	if (*at)
		return (const char *)(uintptr_t)*at;
	struct out text;
	size_t n;
	out_init_mem(&text);
	for (uint32_t i = 0; i < stack->nr; i++) {
		out_f(&text, "..... %016" PRIx64 "%s", stack->frames[i].ip, *stack->frames[i].name ? " " : "");
		out_xml_str(&text, stack->frames[i].name);
		out_ch(&text, '\n');
	}
	const char *bytes = out_mem(&text, &n);
	*at = (uintptr_t)arena_strndup(&d->c->arena, n ? bytes : "", n);
	error_destroy(out_close(&text));
	return (const char *)(uintptr_t)*at;
}

static void description(struct drawing *d, const char *what, const struct time_stack *stack)
{
	if (!stack)
		return;
	out_str(d->out, "<desc>");
	out_str(d->out, what);
	out_str(d->out, *what ? "\n" : "");
	out_str(d->out, escaped(d, stack));
	out_str(d->out, "</desc>\n");
}

static void wake_line(const struct drawing *d, double x, double from, double to)
{
	put(d, "<line x1=\"", x, 8);
	put(d, "\" y1=\"", from, 2);
	put(d, "\" x2=\"", x, 8);
	put(d, "\" y2=\"", to, 2);
	out_str(d->out, "\" class=\"wake\"/>\n");
}

static void dot(const struct drawing *d, const char *class, double x, double y)
{
	put(d, "<circle cx=\"", x, 8);
	put(d, "\" cy=\"", y, 2);
	out_str(d->out, "\" r=\"0.01\" class=\"");
	out_str(d->out, class);
	out_str(d->out, "\"/>\n");
}

/* ---- the frame ---- */

static void open_svg(struct drawing *d, uint32_t cpus)
{
	uint64_t start = d->c->first_ns / (10 * GRID_NS) * (10 * GRID_NS), ns = d->c->last_ns - start;
	double width = (double)(ns / NS_A_PIXEL_MAX);
	d->start_ns = start;
	d->width = width > (double)d->o->width ? width : (double)d->o->width;
	d->pixels_per_ns = ns ? d->width / (double)ns : 0;
	d->unit_ns = 1000;
	d->unit_decimals = 3;
	for (; ns / d->unit_ns > UNITS_MAX; d->unit_ns *= 1000)
		d->unit_decimals += 3;
	d->height = (1 + d->o->rows + 2.0 * cpus + 1) * ROW;
	out_f(d->out, "<?xml version=\"1.0\" standalone=\"no\"?>\n"
		      "<svg width=\"%.0f\" height=\"%.0f\" version=\"1.1\" xmlns=\"http://www.w3.org/2000/svg\">\n", d->width, d->height);
	out_f(d->out, "<style type=\"text/css\"><![CDATA[\n%s]]></style>\n", style);
}

static void draw_grid(const struct drawing *d, double thickness_min)
{
	/* Limits the number of lines, for recordings of hours, or of years if times are damaged. */
	uint64_t step = GRID_NS, ns_all = d->c->last_ns - d->start_ns;
	while (((double)step * d->pixels_per_ns < 0.5 || ns_all / step > GRID_LINES_MAX) && step < (1ull << 62))
		step *= 10;
	for (uint64_t ns = d->start_ns; ns < d->c->last_ns && d->pixels_per_ns > 0; ns += step) {
		bool is_second = ns % (100 * GRID_NS) == 0, is_tenth = ns % (10 * GRID_NS) == 0;
		double thickness = is_second ? 2 : is_tenth ? 0.5 : 0.075;
		int grey = is_second ? 128 : is_tenth ? 192 : 220;
		if (thickness >= thickness_min)
			out_f(d->out, "<line x1=\"%.8f\" y1=\"%.2f\" x2=\"%.8f\" y2=\"%.0f\" "
				      "style=\"stroke:rgb(%i,%i,%i);stroke-width:%.3f\"/>\n",
			      x_of(d, ns), ROW / 2, x_of(d, ns), d->height, grey, grey, grey, thickness);
		if (d->c->last_ns - ns <= step) /* the last time may be damaged */
			break;
	}
}

struct legend {
	int x;
	const char *text, *class;
};

static void draw_legend(const struct drawing *d, const struct legend *rows, size_t n)
{
	out_str(d->out, "<g>\n");
	for (size_t i = 0; i < n; i++) {
		rect(d, rows[i].class, rows[i].x, BAR / 2, 0, BAR / 2);
		out_f(d->out, "<text transform=\"translate(%.8f, %.8f)\" font-size=\"%.8fpt\">%s</text>\n",
		      rows[i].x + BAR / 2 + 5, BAR / 2, 0.4 * BAR, rows[i].text);
	}
	out_str(d->out, "</g>\n");
}

/* ---- CPUs ---- */

static void draw_cpu(const struct drawing *d, uint32_t cpu)
{
	char name[32];
	double x = x_of(d, d->start_ns), y = y_of_cpu(d, cpu);
	out_str(d->out, "<g>\n");
	rect(d, "cpu", x, x_of(d, d->c->last_ns) - x, y, ROW + BAR);
	snprintf(name, sizeof(name), "CPU %u", cpu);
	text(d, 10 + x, y + BAR / 2, "", name);
	if (d->c->cpu_model)
		text(d, 10 + x, y + ROW + BAR - 4, " font-size=\"1.25pt\"", d->c->cpu_model);
	out_str(d->out, "</g>\n");
}

static bool is_highlighted(const struct drawing *d, const struct time_span *s, const char *name)
{
	const struct time_chart_svg_options *o = d->o;
	if (o->highlight_ns && s->end_ns - s->start_ns >= o->highlight_ns)
		return true;
	return o->highlight_name && name && strstr(name, o->highlight_name);
}

static void draw_running(struct drawing *d, const struct time_task *t, const struct time_row *r, const struct time_span *s)
{
	char length[SPAN_TEXT_BYTES];
	const char *name = r->name ? r->name : "";
	open_box(d, is_highlighted(d, s, name) ? "sample_hi" : NULL, s->start_ns, s->end_ns, y_of_cpu(d, s->cpu), ROW + BAR);
	out_i64(d->out, t->pid);
	out_ch(d->out, ' ');
	out_xml_str(d->out, name);
	out_str(d->out, " running ");
	out_str(d->out, span_text(s->end_ns - s->start_ns, length));
	out_str(d->out, "</title>");
	description(d, "Switched because:", s->stack);
	close_box(d);
}

static void draw_running_name(struct drawing *d, const struct time_task *unused, const struct time_row *r, const struct time_span *s)
{
	double x = x_of(d, s->start_ns);
	text_down(d, x, y_of_cpu(d, s->cpu), text_size(x_of(d, s->end_ns) - x, 6), "", r->name ? r->name : "");
}

static void each_running(struct drawing *d, void (*draw)(struct drawing *, const struct time_task *, const struct time_row *,
							  const struct time_span *))
{
	for (size_t i = 0; i < d->c->tasks.len; i++) {
		const struct time_task *t = &d->c->tasks.data[i];
		for (size_t j = 0; j < t->rows.len; j++)
			for (size_t k = 0; k < t->rows.data[j].spans.len; k++)
				if (t->rows.data[j].spans.data[k].kind == TIME_SPAN_RUNNING)
					draw(d, t, &t->rows.data[j], &t->rows.data[j].spans.data[k]);
	}
}

static void draw_all_running(struct drawing *d)
{
	open_boxes(d, 0);
	each_running(d, draw_running);
	out_str(d->out, "</g>\n");
	each_running(d, draw_running_name);
}

static void draw_idle(const struct drawing *d, const struct time_power *p)
{
	static const char *const classes[IDLE_CLASSES + 1] = { "c0", "c1", "c2", "c3", "c4", "c5", "c6" };
	double x = x_of(d, p->start_ns), width = x_of(d, p->end_ns) - x, y = y_of_cpu(d, p->cpu), size = text_size(width / 2, 6);
	unsigned state = p->state < IDLE_CLASSES ? (unsigned)p->state : IDLE_CLASSES;
	out_str(d->out, "<g>\n");
	rect(d, classes[state], x, width, y, ROW + BAR);
	number_text(d, x, y + size, size, 'C', state);
	out_str(d->out, "</g>\n");
}

static const char *speed_text(const struct drawing *d, uint64_t khz, char ret[32])
{
	if (khz == d->c->turbo_khz)
		snprintf(ret, 32, "Turbo");
	else if (khz > 1500000)
		snprintf(ret, 32, " %6.2f Ghz", ((double)khz + 5000) / 1e6);
	else if (khz > 1000)
		snprintf(ret, 32, " %6" PRIu64 " Mhz", (khz + 500) / 1000);
	else
		snprintf(ret, 32, "%9" PRIu64, khz);
	return ret;
}

static void draw_speed(const struct drawing *d, const struct time_power *p)
{
	char name[32];
	uint64_t khz = p->state ? p->state : d->c->min_khz;
	double share = d->c->max_khz ? (double)khz / (double)d->c->max_khz : 0;
	double y = 1 + y_of_cpu(d, p->cpu) + (ROW + BAR) * (1 - share);
	out_f(d->out, "<g>\n<line x1=\"%.8f\" x2=\"%.8f\" y1=\"%.1f\" y2=\"%.1f\" class=\"pstate\"/>\n", x_of(d, p->start_ns),
	      x_of(d, p->end_ns), y, y);
	text(d, x_of(d, p->start_ns), y + 0.9, " font-size=\"0.25pt\"", speed_text(d, khz, name));
	out_str(d->out, "</g>\n");
}

/* Speeds over idle states. */
static void draw_power(const struct drawing *d)
{
	for (int speeds = 0; speeds < 2; speeds++)
		for (size_t i = 0; i < d->c->power.len; i++) {
			const struct time_power *p = &d->c->power.data[i];
			if (p->is_frequency == speeds)
				(speeds ? draw_speed : draw_idle)(d, p);
		}
}

/* ---- tasks ---- */

static const char *class_of_span(const struct drawing *d, const struct time_span *s)
{
	uint64_t ns = s->end_ns - s->start_ns;
	switch (s->kind) {
	case TIME_SPAN_WAITING:
		return ns > LONG_WAIT_NS ? "WAITING" : "waiting";
	case TIME_SPAN_BLOCKED:
		return "blocked";
	default:
		return d->o->highlight_ns && ns > d->o->highlight_ns ? "sample_hi" : NULL;
	}
}

static void draw_span(struct drawing *d, const struct time_span *s)
{
	static const char *const words[] = { [TIME_SPAN_RUNNING] = "running", [TIME_SPAN_WAITING] = "waiting",
					     [TIME_SPAN_BLOCKED] = "blocked" };
	static const char *const why[] = { [TIME_SPAN_RUNNING] = "Switched because:", [TIME_SPAN_WAITING] = "Waiting on:",
					   [TIME_SPAN_BLOCKED] = "Blocked on:" };
	char length[SPAN_TEXT_BYTES];
	open_box(d, class_of_span(d, s), s->start_ns, s->end_ns, 0, BAR);
	out_ch(d->out, '#');
	out_u64(d->out, s->cpu);
	out_ch(d->out, ' ');
	out_str(d->out, words[s->kind]);
	out_ch(d->out, ' ');
	out_str(d->out, span_text(s->end_ns - s->start_ns, length));
	out_str(d->out, "</title>");
	description(d, why[s->kind], s->stack);
	close_box(d);
}

/* The CPU where it runs, or how long it waits for one. */
static void draw_span_text(const struct drawing *d, const struct time_span *s, double y)
{
	char length[SPAN_TEXT_BYTES];
	double x = x_of(d, s->start_ns), width = x_of(d, s->end_ns) - x;
	if (s->kind == TIME_SPAN_RUNNING)
		number_text(d, x, y + BAR - 1, text_size(s->cpu > 9 ? width / 2 : width, 1.25), 0, s->cpu + 1);
	else if (s->kind == TIME_SPAN_WAITING)
		text_down(d, x, y, text_size(width, 3), " ", span_text(s->end_ns - s->start_ns, length));
}

static void draw_task(struct drawing *d, const struct time_task *t, const struct time_row *r)
{
	double y = r->slot * ROW, x = x_of(d, r->start_ns);
	rect(d, "process", x, x_of(d, r->end_ns) - x, y, BAR);
	open_boxes(d, y);
	for (size_t i = 0; i < r->spans.len; i++)
		draw_span(d, &r->spans.data[i]);
	out_str(d->out, "</g>\n");
	for (size_t i = 0; i < r->spans.len; i++)
		draw_span_text(d, &r->spans.data[i], y);
	if (!r->name)
		return;
	_cleanup_strbuf_ struct strbuf name = {};
	bool is_long = r->running_ns > 5000000000u;
	strbuf_addf(&name, is_long ? "%s:%d (%.2fs)" : "%s:%d (%.1fms)", r->name, t->pid, (double)r->running_ns / (is_long ? 1e9 : 1e6));
	text(d, x, y + BAR / 2, "", strbuf_str(&name));
}

/* Reads are in the upper half, writes in the lower one; calls without bytes have the full height. */
static void draw_io(const struct drawing *d, const struct time_io *io, uint64_t bytes_max)
{
	static const char *const classes[] = { [TIME_IO_READ] = "disk", [TIME_IO_WRITE] = "disk", [TIME_IO_SYNC] = "sync",
					       [TIME_IO_SEND] = "net",	[TIME_IO_RECEIVE] = "net", [TIME_IO_POLL] = "poll" };
	double share = io->error || !bytes_max ? 1 : (double)io->bytes / (double)bytes_max;
	bool is_lower = io->kind == TIME_IO_WRITE || io->kind == TIME_IO_SEND;
	bool is_half = is_lower || io->kind == TIME_IO_READ || io->kind == TIME_IO_RECEIVE;
	/* In quarters, so that small shares are visible. */
	share = !is_half || share >= 0.75 ? 1 : share < 0.25 ? 0.25 : share < 0.5 ? 0.5 : 0.75;
	double height = (is_half ? BAR / 2 : BAR) * share;
	open_box(d, io->error ? "error" : classes[io->kind], io->start_ns, io->end_ns, is_half && !is_lower ? 0 : BAR - height, height);
	out_f(d->out, "fd=%d error=%d merges=%u</title>", io->fd, io->error, io->merges);
	close_box(d);
}

static void draw_io_task(const struct drawing *d, const struct time_task *t, const struct time_row *r, bool skip_eagain)
{
	static const char *const units[] = { "", "K", "M", "G" };
	double y = r->slot * ROW, x = x_of(d, r->start_ns), bytes = (double)r->bytes;
	unsigned unit = 0;
	rect(d, "process3", x, x_of(d, r->end_ns) - x, y, BAR);
	open_boxes(d, y);
	for (size_t i = 0; i < r->ios.len; i++)
		if (r->ios.data[i].end_ns && !(skip_eagain && r->ios.data[i].error == -11))
			draw_io(d, &r->ios.data[i], r->bytes_max);
	out_str(d->out, "</g>\n");
	for (; bytes > 1024 && unit < 3; unit++)
		bytes /= 1024;
	_cleanup_strbuf_ struct strbuf name = {};
	strbuf_addf(&name, "%s:%d (%.1f %sbytes)", r->name ? r->name : "", t->pid, bytes, units[unit]);
	text(d, x, y + BAR / 2, "", strbuf_str(&name));
}

static void draw_tasks(struct drawing *d, uint32_t slot)
{
	for (size_t i = 0; i < d->c->tasks.len; i++) {
		struct time_task *t = &d->c->tasks.data[i];
		for (size_t j = 0; j < t->rows.len; j++) {
			struct time_row *r = &t->rows.data[j];
			r->slot = r->is_shown ? slot++ : 0;
			if (r->is_shown && d->c->ios)
				draw_io_task(d, t, r, d->o->skip_eagain);
			else if (r->is_shown)
				draw_task(d, t, r);
		}
	}
}

/* ---- wakeups ---- */

/* The row of a task at a time: that of the name it had then, or any. */
static const struct time_row *row_at(const struct drawing *d, int32_t pid, uint64_t ns)
{
	const struct time_task *t = time_chart_find(d->c, pid);
	const struct time_row *other = NULL;
	for (size_t i = 0; t && i < t->rows.len; i++) {
		const struct time_row *r = &t->rows.data[i];
		if (r->is_shown && r->start_ns <= ns && r->end_ns >= ns)
			return r;
		if (!other || (!other->is_shown && r->is_shown))
			other = r;
	}
	return other;
}

static void wake_title(const struct drawing *d, const struct time_row *from, const struct time_row *to, const struct time_wake *w)
{
	const struct time_row *rows[] = { from, to };
	int32_t pids[] = { w->waker, w->wakee };
	out_str(d->out, "<title>");
	for (int i = 0; i < 2; i++) {
		if (rows[i] && rows[i]->name)
			out_xml_str(d->out, rows[i]->name);
		else
			out_f(d->out, "[%d]", pids[i]);
		out_str(d->out, i ? "</title>\n" : " wakes up ");
	}
}

/* A line between adjacent rows; else a stub at each, towards the other. */
static void draw_wake_lines(const struct drawing *d, double x, uint32_t from, uint32_t to)
{
	uint32_t upper = from < to ? from : to, lower = from < to ? to : from;
	if (lower - upper == 1 && upper) {
		wake_line(d, x, upper * ROW + BAR, lower * ROW);
	} else {
		if (upper)
			wake_line(d, x, upper * ROW + BAR, upper * ROW + BAR + ROW / 32);
		if (lower)
			wake_line(d, x, lower * ROW - ROW / 32, lower * ROW);
	}
	if (from)
		dot(d, "wake", x, from * ROW + (to > from ? BAR : 0));
}

static void draw_wake(struct drawing *d, const struct time_wake *w)
{
	const struct time_row *from = w->waker == -1 ? NULL : row_at(d, w->waker, w->time_ns), *to = row_at(d, w->wakee, w->time_ns);
	uint32_t from_slot = from && from->is_shown ? from->slot : 0, to_slot = to && to->is_shown ? to->slot : 0;
	double x = x_of(d, w->time_ns);
	if (!from_slot && !to_slot) /* nothing of it is in the picture */
		return;
	out_str(d->out, "<g>\n");
	if (w->waker == -1)
		out_str(d->out, "<title>Wakeup from interrupt</title>\n");
	else
		wake_title(d, from, to, w);
	description(d, "", w->stack);
	if (w->waker == -1) {
		dot(d, "interrupt", x, to_slot * ROW);
		dot(d, "interrupt", x, to_slot * ROW + BAR);
	} else {
		draw_wake_lines(d, x, from_slot, to_slot);
	}
	out_str(d->out, "</g>\n");
}

/* ---- the whole ---- */

static const struct legend legend_of_io[] = {
	{ 0, "Disk", "disk" }, { 100, "Network", "net" }, { 200, "Sync", "sync" }, { 300, "Poll", "poll" }, { 400, "Error", "error" },
};

static const struct legend legend_of_tasks[] = {
	{ 0, "Running", "sample" },	     { 100, "Idle", "c1" },		 { 200, "Deeper Idle", "c3" },
	{ 350, "Deepest Idle", "c6" },	     { 550, "Sleeping", "process2" },	 { 650, "Waiting for cpu", "waiting" },
	{ 800, "Blocked on IO", "blocked" },
};

#define NR_OF(array) (sizeof(array) / sizeof(*(array)))

static void draw_states(struct drawing *d)
{
	open_svg(d, d->c->cpus_nr);
	draw_grid(d, 0);
	draw_legend(d, legend_of_tasks, NR_OF(legend_of_tasks));
	for (uint32_t i = 0; i < d->c->cpus_nr; i++)
		draw_cpu(d, i);
	draw_all_running(d);
	if (d->o->rows)
		draw_tasks(d, 2 * d->c->cpus_nr + 2);
	if (!d->o->no_power)
		draw_power(d);
	for (size_t i = 0; i < d->c->wakes.len && d->o->rows; i++)
		draw_wake(d, &d->c->wakes.data[i]);
}

void time_chart_svg(struct out *out, struct time_chart *c, const struct time_chart_svg_options *o)
{
	struct drawing d = { .out = out, .c = c, .o = o };
	if (c->ios) {
		open_svg(&d, 0);
		draw_grid(&d, 0.5);
		draw_legend(&d, legend_of_io, NR_OF(legend_of_io));
		draw_tasks(&d, 1);
	} else {
		draw_states(&d);
	}
	u64map_deinit(&d.escaped);
	out_str(out, "</svg>\n");
}
