/* Frames as text: made once for each, and copied from then on. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "dump/dumper_priv.h"

static bool is_kernel(const struct mapped_file *f)
{
	return f->kind == MAPPED_KERNEL || f->kind == MAPPED_MODULE || f->kind == MAPPED_BPF || f->kind == MAPPED_OTHER_KERNEL;
}

/* The reference names a module by its path once the recording's list of build-ids has brought that, and else by its name. */
static bool has_recorded_build_id(const struct env *env, const char *path)
{
	for (size_t i = 0; i < env->build_ids.len; i++)
		if (!strcmp(env->build_ids.data[i].filename, path))
			return true;
	return false;
}

const char *dump_dso_name(const struct dumper *d, const struct resolved_frame *f)
{
	if (!f->map)
		return "[unknown]";
	const struct mapped_file *file = f->map->file;
	if (file->kind == MAPPED_MODULE && has_recorded_build_id(d->env, file->path))
		return file->path;
	if (d->options.kernel_path && is_kernel(file) && f->dso) {
		struct dso_facts facts = dso_facts(f->dso);
		if (facts.long_name)
			return facts.long_name;
	}
	return file->kind == MAPPED_FILE || file->kind == MAPPED_ANON ? file->path : file->name;
}

static void put_name(struct out *out, const char *s)
{
	out_text(out, s, strlen(s));
}

static void put_symbol(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f)
{
	if (!f->symbol) {
		out_str(out, "[unknown]");
		return;
	}
	put_name(out, dso_symbol_name(f->dso, f->symbol));
	if (of & DUMP_FIELD(SYMOFF)) {
		out_str(out, "+0x");
		out_hex(out, f->addr - f->symbol->start);
	}
	(void)d;
}

void dump_symbol_part(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f)
{
	if (of & DUMP_FIELD(SYM)) {
		out_ch(out, ' ');
		put_symbol(d, out, of, f);
	}
	if (of & (DUMP_FIELD(DSO) | DUMP_FIELD(DSOFF)) && !f->inlined) {
		out_str(out, " (");
		put_name(out, dump_dso_name(d, f));
		if (of & DUMP_FIELD(DSOFF) && f->map) {
			out_str(out, "+0x");
			out_hex(out, dump_shown_address(f));
		}
		out_ch(out, ')');
	}
}

static void put_source_line(struct dumper *d, struct out *out, const struct resolved_frame *f)
{
	if (!f->map)
		return;
	out_str(out, "\n  ");
	if (f->file) {
		const char *slash = strrchr(f->file, '/');
		put_name(out, slash && !d->options.full_source_path ? slash + 1 : f->file);
		out_f(out, ":%u", f->line);
	} else {
		put_name(out, f->map->file->name);
		out_ch(out, '[');
		out_hex(out, f->addr);
		out_ch(out, ']');
	}
}

/* Memory without a file, as the reference tells it by its name: code there is shown where it lies. */
static bool is_anonymous(const struct mapped_file *f)
{
	static const char *const prefixes[] = { "//anon", "/dev/zero", "/anon_hugepage", "[heap", "[stack", "/SYSV" };
	if (f->kind != MAPPED_ANON)
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (text_has_prefix(f->path, prefixes[i]))
			return true;
	return false;
}

/* Offsets into the file, as objdump and addr2line count; addresses of the kernel as they are. */
uint64_t dump_shown_address(const struct resolved_frame *f)
{
	if (!f->map || is_kernel(f->map->file) || is_anonymous(f->map->file))
		return f->ip;
	return f->ip - f->map->start + f->map->pgoff;
}

static bool is_stop(const struct dumper *d, const struct resolved_frame *f)
{
	if (!f->symbol)
		return false;
	const char *name = dso_symbol_name(f->dso, f->symbol);
	for (uint32_t i = 0; i < d->options.stop_at_nr; i++)
		if (!strcmp(d->options.stop_at[i], name))
			return true;
	return false;
}

static void frame_line(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f)
{
	out_ch(out, '\t');
	if (of & DUMP_FIELD(IP))
		out_hex_width(out, f->ip, 16, ' ');
	dump_symbol_part(d, out, of, f);
	if (of & DUMP_FIELD(SRCLINE))
		put_source_line(d, out, f);
	if (f->inlined)
		out_str(out, " (inlined)");
	out_ch(out, '\n');
}

/* The text of the place a sample was taken at, which stands behind the columns and shows the address as it was. */
static void leaf_text(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f)
{
	out_ch(out, ' ');
	out_hex_width(out, f->ip, 16, ' ');
	dump_symbol_part(d, out, of, f);
	if (of & DUMP_FIELD(SRCLINE))
		put_source_line(d, out, f);
}

#define LEAF 0x80 /* beside the kind: the text is leaf_text() */

struct frame_key {
	const struct resolved_frame *frame;
	uint32_t kind;
};

static bool same_frame(const void *table, uint32_t id, const void *key)
{
	const struct frame_text *t = &((const struct dumper *)table)->frames.data[id];
	const struct frame_key *k = key;
	const struct resolved_frame *f = k->frame;
	return t->ip == f->ip && t->map == f->map && t->symbol == f->symbol && t->dso == f->dso && t->kind == k->kind &&
	       t->line == f->line && t->file == f->file && t->inlined == f->inlined;
}

static uint32_t add_frame(struct dumper *d, const struct frame_key *k, uint64_t hash)
{
	const struct resolved_frame *f = k->frame;
	struct frame_text t = { .ip = f->ip, .map = f->map, .symbol = f->symbol, .dso = f->dso, .kind = k->kind, .file = f->file,
				.line = f->line, .inlined = f->inlined, .stops = d->options.stop_at_nr && is_stop(d, f) };
	size_t n;
	d->scratch.len = 0;
	uint64_t of = d->options.fields.of[k->kind & ~LEAF];
	if (k->kind & LEAF)
		leaf_text(d, &d->scratch, of, f);
	else
		frame_line(d, &d->scratch, of, f);
	const char *text = out_mem(&d->scratch, &n);
	t.text = arena_memdup(&d->arena, text, n);
	t.bytes = (uint32_t)n;
	uint32_t id = (uint32_t)d->frames.len;
	vec_push(&d->frames, t);
	idset_insert(&d->frames_index, hash, id);
	return id;
}

/* Valid until the next call. */
static const struct frame_text *frame_text(struct dumper *d, const struct resolved_frame *f, uint32_t kind)
{
	struct frame_key key = { f, kind };
	uint64_t hash = hash_combine(hash_u64(f->ip ^ (uint64_t)kind << 56), (uintptr_t)f->map ^ (uintptr_t)f->symbol ^ f->line);
	uint32_t id = idset_find(&d->frames_index, hash, same_frame, d, &key);
	if (id == IDSET_NONE)
		id = add_frame(d, &key, hash);
	return &d->frames.data[id];
}

void dump_chain(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s)
{
	for (uint32_t i = 0; i < s->chain_nr; i++) {
		const struct frame_text *t = frame_text(d, &s->chain[i], kind);
		out_write(out, t->text, t->bytes);
		if (t->stops)
			break;
	}
}

void dump_leaf(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s)
{
	const struct frame_text *t = frame_text(d, &s->leaf, kind | LEAF);
	out_write(out, t->text, t->bytes);
}

struct resolved_frame dump_lookup(struct dumper *d, const struct resolved_sample *s, uint16_t cpumode, uint64_t ip)
{
	struct resolved_frame f = { .ip = ip, .addr = ip, .cpumode = cpumode };
	f.map = machine_map(d->machine, s->thread, cpumode, ip, s->sample.time);
	if (f.map) {
		f.dso = symbols_dso(d->symbols, f.map->file);
		f.addr = dso_address(f.dso, f.map, ip);
		f.symbol = dso_symbol(f.dso, f.addr);
	}
	return f;
}
