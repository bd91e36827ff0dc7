#include "view/svg/picture.h"

#include <math.h>
#include <stdint.h>

#include "base/library.h"

#define SIDE_MOST 32767.0
#define PIXELS_MOST 64e6

/* Declarations of the functions used, all old and stable: the libraries' headers would include a hundred others. */
enum { CAIRO_STATUS_SUCCESS = 0, CAIRO_FORMAT_RGB24 = 1 };

struct g_error {
	uint32_t domain;
	int code;
	char *message;
};

struct rsvg_rectangle {
	double x, y, width, height;
};

typedef int cairo_taker(void *ctx, const unsigned char *p, unsigned n);

struct calls {
	void *(*rsvg_new)(const uint8_t *p, size_t n, struct g_error **error);
	int (*rsvg_render)(void *handle, void *cairo, const struct rsvg_rectangle *viewport, struct g_error **error);
	void (*object_unref)(void *object);
	void (*error_free)(struct g_error *error);
	void *(*image)(int format, int width, int height);
	void *(*pdf)(cairo_taker *take, void *ctx, double width, double height);
	void *(*ps)(cairo_taker *take, void *ctx, double width, double height);
	int (*write_png)(void *surface, cairo_taker *take, void *ctx);
	void *(*create)(void *surface);
	void (*scale)(void *cairo, double x, double y);
	void (*paint)(void *cairo);
	void (*white)(void *cairo, double red, double green, double blue);
	void (*destroy)(void *cairo);
	void (*finish)(void *surface);
	int (*status)(void *surface);
	void (*surface_destroy)(void *surface);
	const char *(*status_text)(int status);
};

#define REQUIRES "PNG, PDF and PS require "

static struct strobe_error *load(struct calls *c)
{
	static const struct library rsvg = {
		.files = { "librsvg-2.so.2" },
		.missing = REQUIRES "librsvg, which is not installed (librsvg2-2)",
	};
	static const struct library cairo = {
		.files = { "libcairo.so.2" },
		.missing = REQUIRES "cairo, which is not installed (libcairo2)",
	};
	/* what librsvg itself is linked with */
	static const struct library glib = { .files = { "libglib-2.0.so.0" }, .missing = REQUIRES "glib, which is not installed" };
	static const struct library gobject = {
		.files = { "libgobject-2.0.so.0" },
		.missing = REQUIRES "gobject, which is not installed",
	};
	const struct library_symbol of_rsvg[] = {
		{ &c->rsvg_new, "rsvg_handle_new_from_data" },
		{ &c->rsvg_render, "rsvg_handle_render_document" },
	};
	const struct library_symbol of_cairo[] = {
		{ &c->image, "cairo_image_surface_create" },
		{ &c->pdf, "cairo_pdf_surface_create_for_stream" },
		{ &c->ps, "cairo_ps_surface_create_for_stream" },
		{ &c->write_png, "cairo_surface_write_to_png_stream" },
		{ &c->create, "cairo_create" },
		{ &c->scale, "cairo_scale" },
		{ &c->paint, "cairo_paint" },
		{ &c->white, "cairo_set_source_rgb" },
		{ &c->destroy, "cairo_destroy" },
		{ &c->finish, "cairo_surface_finish" },
		{ &c->status, "cairo_surface_status" },
		{ &c->surface_destroy, "cairo_surface_destroy" },
		{ &c->status_text, "cairo_status_to_string" },
	};
	const struct library_symbol of_glib[] = { { &c->error_free, "g_error_free" } };
	const struct library_symbol of_gobject[] = { { &c->object_unref, "g_object_unref" } };
	TRY(library_load(&rsvg, of_rsvg, sizeof(of_rsvg) / sizeof(*of_rsvg)));
	TRY(library_load(&cairo, of_cairo, sizeof(of_cairo) / sizeof(*of_cairo)));
	TRY(library_load(&glib, of_glib, 1));
	return library_load(&gobject, of_gobject, 1);
}

/* The sink keeps its error itself and reports it when it is closed. */
static int take(void *ctx, const unsigned char *p, unsigned n)
{
	out_write(ctx, p, n);
	return CAIRO_STATUS_SUCCESS;
}

static struct strobe_error *rsvg_error(const struct calls *c, struct g_error *e)
{
	struct strobe_error *err = error_create(ERROR_OTHER, "librsvg: %s", e ? e->message : "unknown error");
	if (e)
		c->error_free(e);
	return err;
}

static struct strobe_error *cairo_error(const struct calls *c, int status)
{
	return status == CAIRO_STATUS_SUCCESS ? NULL : error_create(ERROR_OTHER, "cairo: %s", c->status_text(status));
}

static double scale_of(double width, double height)
{
	double longest = width > height ? width : height, scale = 1;
	if (longest > SIDE_MOST)
		scale = SIDE_MOST / longest;
	if (width * height * scale * scale > PIXELS_MOST)
		scale = sqrt(PIXELS_MOST / (width * height));
	return scale;
}

static struct strobe_error *render(const struct calls *c, void *handle, void *surface, const struct rsvg_rectangle *page,
				   double scale)
{
	struct g_error *why = NULL;
	void *cairo = c->create(surface);
	c->white(cairo, 1, 1, 1);
	c->paint(cairo);
	c->scale(cairo, scale, scale);
	bool is_drawn = c->rsvg_render(handle, cairo, page, &why);
	c->destroy(cairo);
	return is_drawn ? cairo_error(c, c->status(surface)) : rsvg_error(c, why);
}

static struct strobe_error *write_surface(const struct calls *c, void *handle, double width, double height,
					  enum picture_format format, struct out *out)
{
	struct rsvg_rectangle page = { 0, 0, width, height };
	double scale = format == PICTURE_PNG ? scale_of(width, height) : 1;
	void *surface = format == PICTURE_PDF ? c->pdf(take, out, width, height) :
			format == PICTURE_PS  ? c->ps(take, out, width, height) :
						c->image(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
	struct strobe_error *err = cairo_error(c, c->status(surface));
	if (!err)
		err = render(c, handle, surface, &page, scale);
	if (!err && format == PICTURE_PNG)
		err = cairo_error(c, c->write_png(surface, take, out));
	c->finish(surface);
	if (!err)
		err = cairo_error(c, c->status(surface));
	c->surface_destroy(surface);
	return err;
}

struct strobe_error *picture_write(const char *svg, size_t n, double width, double height, enum picture_format format,
				   struct out *out)
{
	struct calls c;
	struct g_error *why = NULL;
	TRY(load(&c));
	void *handle = c.rsvg_new((const uint8_t *)svg, n, &why);
	if (!handle)
		return rsvg_error(&c, why);
	struct strobe_error *err = write_surface(&c, handle, width, height, format, out);
	c.object_unref(handle);
	return err;
}
