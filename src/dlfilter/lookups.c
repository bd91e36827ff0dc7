/* Look-ups of a filter for the current sample. */
#include <string.h>

#include "dlfilter/dlfilter_priv.h"
#include "dlfilter/place.h"
#include "symbol/source.h"

static struct resolved_frame look_up(const struct dlfilter *d, uint64_t ip)
{
	/* A filter may pass on any word of a call chain: a marker is not an address. */
	if (ip >= PERF_CONTEXT_MAX)
		return (struct resolved_frame){ .ip = ip, .addr = ip };
	return resolve_sample_address(d->machine, d->symbols, d->s, ip);
}

static void set_symbol(struct filter_place *p, const struct resolved_frame *f)
{
	uint64_t distance = place_distance(f);
	p->symbol = dso_symbol_name(f->dso, f->symbol);
	p->symbol_start = f->symbol->start - distance;
	p->symbol_end = f->symbol->end - distance;
	p->symbol_offset = (uint32_t)(f->addr - f->symbol->start);
	p->binding = f->symbol->binding;
}

static void set_dso(const struct dlfilter *d, struct dlfilter_place *ret, const struct resolved_frame *f)
{
	struct filter_place *p = &ret->place;
	size_t bytes;
	enum mapped_kind kind = f->map->file->kind;
	if (f->dso)
		ret->facts = dso_facts(f->dso);
	p->dso = place_dso(f, d->o.kernel_path);
	p->is_64bit = kind == MAPPED_FILE && ret->facts.loaded ? ret->facts.is_64bit : d->arch->pointer_bytes == 8;
	p->build_id = place_build_id(f, &ret->facts, &bytes);
	p->build_id_bytes = (uint32_t)bytes;
}

/* As in perf, mappings of a memfd have offsets as well. */
static uint64_t shown_address(const struct resolved_frame *f, uint64_t ip)
{
	if (!f->map)
		return ip;
	const struct mapped_file *file = f->map->file;
	bool is_memfd = file->kind == MAPPED_ANON && !strncmp(file->path, "/memfd:", 7);
	return is_memfd ? ip - f->map->start + f->map->pgoff : f->addr - place_distance(f);
}

static void find_place(const struct dlfilter *d, uint64_t ip, struct dlfilter_place *ret)
{
	struct resolved_frame f = look_up(d, ip);
	*ret = (struct dlfilter_place){ .is_known = true };
	ret->place.bytes = sizeof(ret->place);
	ret->place.addr = shown_address(&f, ip);
	ret->place.is_kernel = arch_is_kernel_address(d->arch, ip);
	if (f.symbol)
		set_symbol(&ret->place, &f);
	if (f.map)
		set_dso(d, ret, &f);
}

static const struct filter_place *resolve_ip(void *ctx)
{
	struct dlfilter *d = ctx;
	if (!d->s)
		return NULL;
	if (!d->ip.is_known) {
		find_place(d, d->s->sample.ip, &d->ip);
		d->ip.place.comm = d->s->comm;
	}
	return &d->ip.place;
}

static const struct filter_place *resolve_addr(void *ctx)
{
	struct dlfilter *d = ctx;
	if (!d->s || !place_addr_has_symbol(&d->s->event->attr))
		return NULL;
	if (!d->addr.is_known)
		find_place(d, d->s->sample.addr, &d->addr);
	return &d->addr.place;
}

static char **args(void *ctx, int *nr)
{
	struct dlfilter *d = ctx;
	if (!nr)
		return NULL;
	bool is_allowed = d->s || d->is_stopping_or_starting;
	*nr = is_allowed ? d->o.args_nr : 0;
	return is_allowed ? d->o.args : NULL;
}

static int32_t resolve_address(void *ctx, uint64_t address, struct filter_place *place)
{
	struct dlfilter *d = ctx;
	if (!d->s || !place)
		return -1;
	find_place(d, address, &d->other);
	uint32_t bytes = place->bytes;
	memcpy(place, &d->other.place, bytes < sizeof(*place) ? bytes : sizeof(*place));
	place->bytes = bytes;
	return 0;
}

static void place_done(void *ctx, struct filter_place *place)
{
	/* The place's memory belongs to the session, or is reused by the next look-up. */
	(void)ctx;
	(void)place;
}

/* Reads that many bytes of code at ip, up to the end of its mapping; 0: unavailable. */
static uint32_t read_code(const struct dlfilter *d, uint64_t ip, void *buffer, uint32_t bytes)
{
	struct resolved_frame f = look_up(d, ip);
	if (!f.dso || !f.map)
		return 0;
	if (bytes > f.map->end - ip)
		bytes = (uint32_t)(f.map->end - ip);
	if (f.map->file->kind == MAPPED_KERNEL || f.map->file->kind == MAPPED_MODULE) {
		struct strobe_error *err = dso_kernel_code(f.dso, f.addr, buffer, bytes);
		bool is_read = !err;
		error_destroy(err);
		if (is_read)
			return bytes;
	}
	size_t n;
	const void *code = dso_code(f.dso, f.addr, &n);
	if (!code)
		return 0;
	bytes = bytes < n ? bytes : (uint32_t)n;
	memcpy(buffer, code, bytes);
	return bytes;
}

static const uint8_t *insn(void *ctx, uint32_t *bytes)
{
	struct dlfilter *d = ctx;
	struct insn i;
	if (!bytes)
		return NULL;
	*bytes = 0;
	if (!d->s || !d->s->sample.ip)
		return NULL;
	if (!d->disasm) {
		struct strobe_error *err = disasm_create(d->arch, DISASM_USUAL, DISASM_ATT, &d->disasm);
		error_destroy(err); /* without a disassembler there is no instruction, as on architectures that perf cannot decode */
	}
	uint32_t n = d->disasm ? read_code(d, d->s->sample.ip, d->insn, sizeof(d->insn)) : 0;
	if (!n || !disasm_decode(d->disasm, d->insn, n, d->s->sample.ip, &i))
		return NULL;
	*bytes = i.bytes;
	return d->insn;
}

static const char *srcline(void *ctx, uint32_t *line)
{
	struct dlfilter *d = ctx;
	const char *file = NULL;
	if (!d->s || !line)
		return NULL;
	*line = 0;
	struct resolved_frame f = look_up(d, d->s->sample.ip);
	return f.dso && dso_source_line(f.dso, f.addr, &file, line) ? file : NULL;
}

static struct perf_event_attr *attr(void *ctx)
{
	struct dlfilter *d = ctx;
	if (!d->s)
		return NULL;
	d->attr = d->s->event->attr;
	return &d->attr;
}

static int32_t object_code(void *ctx, uint64_t ip, void *buffer, uint32_t bytes)
{
	struct dlfilter *d = ctx;
	if (!d->s || !buffer)
		return -1;
	bytes = bytes < INT32_MAX ? bytes : INT32_MAX;
	uint32_t n = read_code(d, ip, buffer, bytes);
	return n ? (int32_t)n : -1;
}

const struct filter_functions dlfilter_lookups = {
	.resolve_ip = resolve_ip,
	.resolve_addr = resolve_addr,
	.args = args,
	.resolve_address = resolve_address,
	.insn = insn,
	.srcline = srcline,
	.attr = attr,
	.object_code = object_code,
	.place_done = place_done,
};
