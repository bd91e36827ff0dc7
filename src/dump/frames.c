/* Frames as text, cached by function or address. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "dump/dumper_priv.h"

static bool is_kernel(const struct mapped_file *f)
{
	return f->kind == MAPPED_KERNEL || f->kind == MAPPED_MODULE || f->kind == MAPPED_BPF || f->kind == MAPPED_OTHER_KERNEL;
}

/* perf shows the path of a module if the recording's list of build IDs has it, else its name. */
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

static void put_symbol(struct out *out, const struct resolved_frame *f)
{
	if (f->symbol)
		put_name(out, dso_symbol_name(f->dso, f->symbol));
	else
		out_str(out, "[unknown]");
}

static void put_dso(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f)
{
	if (!(of & (DUMP_FIELD(DSO) | DUMP_FIELD(DSOFF))) || f->inlined)
		return;
	out_str(out, " (");
	put_name(out, dump_dso_name(d, f));
	if (of & DUMP_FIELD(DSOFF) && f->map) {
		out_str(out, "+0x");
		out_hex(out, dump_shown_address(f));
	}
	out_ch(out, ')');
}

void dump_symbol_part(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f)
{
	if (of & DUMP_FIELD(SYM)) {
		out_ch(out, ' ');
		put_symbol(out, f);
		if (of & DUMP_FIELD(SYMOFF) && f->symbol) {
			out_str(out, "+0x");
			out_hex(out, f->addr - f->symbol->start);
		}
	}
	put_dso(d, out, of, f);
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

/* Memory without a file, which perf recognises by name: code there is shown with its address. */
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

/* Offsets into the file, as used by objdump and addr2line; kernel addresses unchanged. */
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

/*
 * The text after the address of a frame in a chain, or of a sample's own frame after the columns, without the offset into the
 * function, whose position is returned.
 */
static uint32_t put_rest(struct dumper *d, struct out *out, uint64_t of, const struct resolved_frame *f, bool is_leaf)
{
	uint32_t offset_at = UINT32_MAX;
	if (of & DUMP_FIELD(SYM)) {
		out_ch(out, ' ');
		put_symbol(out, f);
		if (of & DUMP_FIELD(SYMOFF) && f->symbol)
			offset_at = (uint32_t)out->len;
	}
	put_dso(d, out, of, f);
	if (of & DUMP_FIELD(SRCLINE))
		put_source_line(d, out, f);
	if (f->inlined && !is_leaf)
		out_str(out, " (inlined)");
	if (!is_leaf)
		out_ch(out, '\n');
	return offset_at;
}

#define LEAF 0x80 /* beside the kind */

#define BY_ADDRESS (DUMP_FIELD(DSOFF) | DUMP_FIELD(SRCLINE))

static struct frame_key key_of(const struct resolved_frame *f, uint64_t fields, unsigned kind)
{
	struct frame_key k = { .symbol = f->symbol, .dso = f->dso, .of = f->map ? f->map->file : NULL, .kind = (uint16_t)kind,
			       .inlined = f->inlined };
	if (fields & BY_ADDRESS) {
		k.ip = f->ip;
		k.map = f->map;
		k.file = f->file;
		k.line = f->line;
	}
	return k;
}

static bool same_frame(const void *table, uint32_t id, const void *key)
{
	const struct frame_key *t = &((const struct dumper *)table)->frame_keys.data[id], *k = key;
	return t->ip == k->ip && t->map == k->map && t->symbol == k->symbol && t->dso == k->dso && t->of == k->of &&
	       t->kind == k->kind && t->line == k->line && t->file == k->file && t->inlined == k->inlined;
}

static uint32_t add_frame(struct dumper *d, const struct resolved_frame *f, const struct frame_key *k, uint64_t hash)
{
	struct frame_text t = { .stops = d->options.stop_at_nr && is_stop(d, f) };
	size_t n;
	d->scratch.len = 0;
	t.offset_at = put_rest(d, &d->scratch, d->options.fields.of[k->kind & ~LEAF], f, k->kind & LEAF);
	const char *text = out_mem(&d->scratch, &n);
	t.text = arena_memdup(&d->arena, text, n);
	t.bytes = (uint32_t)n;
	uint32_t id = (uint32_t)d->frames.len;
	vec_push(&d->frames, t);
	vec_push(&d->frame_keys, *k);
	idset_insert(&d->frames_index, hash, id);
	return id;
}

static uint32_t find_text(struct dumper *d, const struct resolved_frame *f, unsigned kind)
{
	struct frame_key key = key_of(f, d->options.fields.of[kind & ~(unsigned)LEAF], kind);
	uint64_t hash = hash_combine(hash_u64(key.ip ^ (uint64_t)kind << 56),
				     (uintptr_t)key.of ^ hash_u64((uintptr_t)key.symbol) ^ key.line ^ (uint64_t)key.inlined << 63);
	uint32_t id = idset_find(&d->frames_index, hash, same_frame, d, &key);
	return id == IDSET_NONE ? add_frame(d, f, &key, hash) : id;
}

static uint32_t *number_slot(struct dumper *d, uint32_t number, unsigned kind)
{
	typeof(d->numbered[0][0]) *slots = &d->numbered[kind & LEAF ? 1 : 0][kind & ~(unsigned)LEAF];
	if (number >= slots->len) {
		size_t more = number + 1 - slots->len;
		memset(vec_extend(slots, more), 0, more * sizeof(*slots->data));
	}
	return &slots->data[number];
}

const struct frame_text *dump_frame_text(struct dumper *d, const struct resolved_frame *f, unsigned kind)
{
	uint32_t *slot = number_slot(d, f->number, kind);
	if (!*slot)
		*slot = find_text(d, f, kind) + 1;
	return &d->frames.data[*slot - 1];
}

#define ADDRESS_BYTES 17

static unsigned hex_bytes(uint64_t v)
{
	return (unsigned)(67 - __builtin_clzll(v | 1)) / 4;
}

/* v as exactly n digits. */
static void write_hex(char *to, uint64_t v, unsigned n)
{
	for (; n; v >>= 4)
		to[--n] = "0123456789abcdef"[v & 15];
}

size_t dump_frame_bytes(const struct resolved_frame *f, const struct frame_text *t)
{
	size_t offset = t->offset_at == UINT32_MAX ? 0 : 3 + hex_bytes(f->addr - f->symbol->start);
	return ADDRESS_BYTES + offset + t->bytes;
}

void dump_write_frame(char *to, char before, const struct resolved_frame *f, const struct frame_text *t)
{
	unsigned digits = hex_bytes(f->ip);
	uint32_t head = t->offset_at == UINT32_MAX ? 0 : t->offset_at;
	memset(to + 1, ' ', ADDRESS_BYTES - 1);
	*to = before;
	to += ADDRESS_BYTES;
	write_hex(to - digits, f->ip, digits);
	if (t->offset_at != UINT32_MAX) {
		uint64_t offset = f->addr - f->symbol->start;
		digits = hex_bytes(offset);
		memcpy(to, t->text, head);
		memcpy(to + head, "+0x", 3);
		write_hex(to + head + 3, offset, digits);
		to += head + 3 + digits;
	}
	memcpy(to, t->text + head, t->bytes - head);
}

static void put_frame(struct out *out, char before, const struct resolved_frame *f, const struct frame_text *t)
{
	size_t n = dump_frame_bytes(f, t);
	dump_write_frame(out_reserve(out, n), before, f, t);
	out->len += n;
}

void dump_chain(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s)
{
	for (uint32_t i = 0; i < s->chain_nr; i++) {
		const struct frame_text *t = dump_frame_text(d, &s->chain[i], kind);
		put_frame(out, '\t', &s->chain[i], t);
		if (t->stops)
			break;
	}
}

void dump_leaf(struct dumper *d, struct out *out, unsigned kind, const struct resolved_sample *s)
{
	put_frame(out, ' ', &s->leaf, dump_frame_text(d, &s->leaf, kind | LEAF));
}

struct resolved_frame dump_lookup(struct dumper *d, const struct resolved_sample *s, uint64_t ip)
{
	return resolve_sample_address(d->machine, d->symbols, s, ip);
}
