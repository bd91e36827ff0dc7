#include "view/html/html.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "view/html/html_priv.h"
#include "view/html/letters.h"
#include "view/html/page.inc"

const char view_html_live_policy[] = "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
				     "frame-ancestors 'none'; script-src " PAGE_SCRIPT_HASH "; style-src " PAGE_STYLE_HASH;

static const struct page_parts profile_parts = {
	page_head, page_style, page_body, page_script, PAGE_SCRIPT_HASH, PAGE_STYLE_HASH,
};

/* The page's parts: <!doctype … title, style, script>, then the data, then the end. */
static void begin_page(const struct page_parts *p, const char *title, bool live, struct out *out)
{
	out_str(out, p->head);
	if (!live)
		out_f(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
			   "form-action 'none'; script-src %s; style-src %s\">\n", p->script_hash, p->style_hash);
	out_str(out, "<title>");
	out_xml_str(out, title);
	out_str(out, "</title>\n<style>");
	out_str(out, p->style);
	out_str(out, "</style>\n");
	out_str(out, p->body);
}

static void end_page(const struct page_parts *p, struct out *out)
{
	out_str(out, "<script>");
	out_str(out, p->script);
	out_str(out, "</script>\n</body>\n</html>\n");
}

struct strobe_error *html_write_page(const struct page_parts *parts, const struct html_options *o,
				     struct strobe_error *(*write)(const void *ctx, const struct html_options *o, struct out *data),
				     const void *ctx, struct out *out)
{
	struct out data, packed;
	size_t n;
	out_init_mem(&data);
	out_init_mem(&packed);
	struct strobe_error *err = write(ctx, o, &data);
	const char *bytes = out_mem(&data, &n);
	if (!err && o->gzip)
		err = o->gzip(bytes, n, &packed);
	if (!err && o->gzip)
		bytes = out_mem(&packed, &n);
	if (!err) {
		begin_page(parts, o->title ? o->title : "strobe", false, out);
		out_f(out, "<script type=\"application/octet-stream\" id=\"data\" data-packing=\"%s\" data-bytes=\"%zu\">",
		      o->gzip ? "gzip" : "none", n);
		letters_write((const uint8_t *)bytes, n, out);
		out_str(out, "</script>\n");
		end_page(parts, out);
	}
	error_destroy(out_close(&data));
	error_destroy(out_close(&packed));
	return err;
}

void html_pack_facts(struct pack *k, const struct html_options *o)
{
	struct json *head = &k->head;
	json_key(head, "title");
	json_str(head, o->title ? o->title : "");
	json_key(head, "facts");
	json_array(head);
	for (size_t i = 0; i < o->facts_nr; i++) {
		json_array(head);
		json_str(head, o->facts[i].key);
		json_str(head, o->facts[i].value);
		json_end(head);
	}
	json_end(head);
}

void html_pack_strings(struct pack *k, const struct strtab *strings)
{
	_cleanup_strbuf_ struct strbuf text = {};
	for (size_t i = 0; i < strings->strings.len; i++)
		strbuf_add(&text, strtab_get(strings, (str_id)i), strtab_length(strings, (str_id)i) + 1);
	pack_text(k, "strings", strbuf_str(&text), text.len);
}

static struct strobe_error *write_profile(const void *ctx, const struct html_options *o, struct out *data)
{
	return view_html_data(ctx, o, data);
}

struct strobe_error *view_html(const struct profile *p, const struct html_options *o, struct out *out)
{
	return html_write_page(&profile_parts, o, write_profile, p, out);
}

/* In a script element of a type that browsers do not run; '<' is escaped in JSON strings, so that no name can end the element. */
static void write_names(const char *const *names, size_t n, struct out *out)
{
	struct out text;
	struct json j;
	size_t bytes;
	out_init_mem(&text);
	json_init(&j, &text, false);
	json_array(&j);
	for (size_t i = 0; i < n; i++)
		json_str(&j, names[i]);
	json_end(&j);
	const char *s = out_mem(&text, &bytes);
	for (size_t i = 0; i < bytes; i++) {
		if (s[i] == '<')
			out_str(out, "\\u003c");
		else
			out_ch(out, s[i]);
	}
	error_destroy(out_close(&text));
}

void view_html_live(const char *const *names, size_t names_nr, struct out *out)
{
	begin_page(&profile_parts, "strobe", true, out);
	out_str(out, "<script type=\"application/json\" id=\"profiles\">");
	write_names(names, names_nr, out);
	out_str(out, "</script>\n");
	end_page(&profile_parts, out);
}
