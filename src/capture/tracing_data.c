#include "capture/tracing_data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "capture/host_priv.h"
#include "sys/tracefs.h"

static void put_u32(struct out *o, uint32_t v)
{
	out_write(o, &v, sizeof(v));
}

static void put_u64(struct out *o, uint64_t v)
{
	out_write(o, &v, sizeof(v));
}

/* A file with its 64-bit length in front; an absent one is empty. */
static void put_file(struct out *o, const struct sys *sys, const char *root, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);
	_cleanup_strbuf_ struct strbuf text = {};
	host_read(sys, path, &text);
	put_u64(o, text.len);
	out_write(o, strbuf_str(&text), text.len);
}

static struct strobe_error *put_format(struct out *o, const struct sys *sys, const char *root,
				       const struct tracepoint_ref *t)
{
	_cleanup_free_ char *path = xasprintf("%s/events/%s/%s/format", root, t->system, t->name);
	_cleanup_strbuf_ struct strbuf text = {};
	if (t->format)
		strbuf_addstr(&text, t->format);
	else
		TRY(error_prefix(sys_read(sys, path, &text, 0), "cannot read the format of tracepoint %s:%s", t->system,
				 t->name));
	put_u64(o, text.len);
	out_write(o, text.data, text.len);
	return NULL;
}

static bool is_first_of_system(const struct tracepoint_ref *refs, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(refs[k].system, refs[i].system))
			return false;
	return strcmp(refs[i].system, "ftrace") != 0;
}

static bool is_repeated(const struct tracepoint_ref *refs, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(refs[k].system, refs[i].system) && !strcmp(refs[k].name, refs[i].name))
			return true;
	return false;
}

static struct strobe_error *put_system(struct out *o, const struct sys *sys, const char *root,
				       const struct tracepoint_ref *refs, size_t n, const char *system)
{
	uint32_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += !strcmp(refs[i].system, system) && !is_repeated(refs, i);
	put_u32(o, count);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(refs[i].system, system) && !is_repeated(refs, i))
			TRY(put_format(o, sys, root, &refs[i]));
	return NULL;
}

struct strobe_error *tracing_data_build(const struct sys *sys, const struct tracepoint_ref *refs, size_t n,
					struct out *o)
{
	_cleanup_free_ char *root = NULL;
	TRY(sys_tracefs(sys, &root));
	const uint16_t probe = 1;
	static const unsigned char magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g', '0', '.', '6', 0 };
	out_write(o, magic, sizeof(magic));
	out_ch(o, *(const char *)&probe ? 0 : 1);
	out_ch(o, (char)sizeof(long));
	put_u32(o, (uint32_t)sysconf(_SC_PAGESIZE));
	out_write(o, "header_page", 12);
	put_file(o, sys, root, "events/header_page");
	out_write(o, "header_event", 13);
	put_file(o, sys, root, "events/header_event");
	TRY(put_system(o, sys, root, refs, n, "ftrace"));
	uint32_t systems = 0;
	for (size_t i = 0; i < n; i++)
		systems += is_first_of_system(refs, i);
	put_u32(o, systems);
	for (size_t i = 0; i < n; i++) {
		if (!is_first_of_system(refs, i))
			continue;
		out_write(o, refs[i].system, strlen(refs[i].system) + 1);
		TRY(put_system(o, sys, root, refs, n, refs[i].system));
	}
	/* No kallsyms: the maps say what is needed. */
	put_u32(o, 0);
	_cleanup_free_ char *printk_path = xasprintf("%s/printk_formats", root);
	_cleanup_strbuf_ struct strbuf printk = {};
	host_read(sys, printk_path, &printk);
	put_u32(o, (uint32_t)printk.len);
	out_write(o, strbuf_str(&printk), printk.len);
	put_file(o, sys, root, "saved_cmdlines");
	return NULL;
}
