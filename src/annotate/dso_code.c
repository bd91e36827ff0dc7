#include "annotate/dso_code.h"

#include <string.h>

#include "object/buildid_cache.h"
#include "object/object.h"
#include "symbol/source.h"

static const struct symbol *symbol_at(struct dso_code *c, uint64_t addr)
{
	if (!c->symbol || addr < c->symbol->start || addr >= c->symbol->end)
		c->symbol = dso_symbol(c->dso, addr);
	return c->symbol;
}

/* The symbol's own bytes: memory has no end to stop at. */
static const void *kernel_bytes(struct dso_code *c, uint64_t addr, size_t *ret_bytes)
{
	const struct symbol *s = symbol_at(c, addr);
	uint64_t n = s ? s->end - addr : 0;
	if (!n || n > ANNOTATE_MAX_BYTES)
		return NULL;
	void *code = arena_alloc(&c->arena, n);
	_cleanup_error_ struct strobe_error *err = dso_kernel_code(c->dso, addr, code, n);
	if (err) {
		c->hindrance = arena_strdup(&c->arena, err->message);
		return NULL;
	}
	*ret_bytes = n;
	return code;
}

static const void *bytes_at(void *ctx, uint64_t addr, size_t *ret_bytes)
{
	struct dso_code *c = ctx;
	const void *code = dso_code(c->dso, addr, ret_bytes);
	bool kernel = c->file->kind == MAPPED_KERNEL || c->file->kind == MAPPED_MODULE;
	return code || !kernel || c->hindrance ? code : kernel_bytes(c, addr, ret_bytes);
}

static const char *name_at(void *ctx, uint64_t addr, uint64_t *ret_start)
{
	struct dso_code *c = ctx;
	const char *section = dso_section_name(c->dso, addr);
	const char *slot = section && !strncmp(section, ".got", 4) ? dso_slot_name(c->dso, addr) : NULL;
	const struct symbol *s = slot ? NULL : dso_symbol(c->dso, addr);
	if (slot)
		*ret_start = addr;
	if (s)
		*ret_start = s->start;
	return slot ? slot : s ? dso_symbol_name(c->dso, s) : NULL;
}

static enum disasm_encoding encoding_at(void *ctx, uint64_t addr)
{
	struct dso_code *c = ctx;
	struct object *debug, *object = dso_object(c->dso, &debug);
	if (dso_is_thumb(c->dso, addr))
		return DISASM_THUMB;
	const struct object_header *h = object ? object_header(object) : NULL;
	return h && h->big_endian && h->arch && !h->arch->big_endian ? DISASM_BIG_ENDIAN : DISASM_USUAL;
}

static unsigned places_at(void *ctx, uint64_t addr, struct code_place ret[CODE_PLACES_MAX])
{
	struct dso_code *c = ctx;
	struct source_frame frames[SOURCE_FRAMES_MAX];
	_Static_assert(SOURCE_FRAMES_MAX <= CODE_PLACES_MAX, "all frames have room");
	unsigned n = dso_source(c->dso, addr, symbol_at(c, addr), frames);
	for (unsigned i = 0; i < n; i++)
		ret[i] = (struct code_place){
			.function = frames[i].symbol ? dso_symbol_name(c->dso, frames[i].symbol) : NULL,
			.file = frames[i].file,
			.line = frames[i].line,
		};
	return n;
}

void dso_code_init(struct dso_code *c, struct dso *dso, const struct mapped_file *file, const struct arch *arch)
{
	*c = (struct dso_code){ .dso = dso, .file = file, .arch = arch };
	arena_init(&c->arena);
}

void dso_code_deinit(struct dso_code *c)
{
	arena_deinit(&c->arena);
}

struct code_source dso_code_source(struct dso_code *c)
{
	struct object *debug, *object = dso_object(c->dso, &debug);
	const struct arch *arch = object ? object_header(object)->arch : c->arch;
	return (struct code_source){
		.arch = arch, .bytes = bytes_at, .encoding = encoding_at, .name = name_at, .places = places_at, .ctx = c,
	};
}

struct annotate_function dso_code_function(const struct dso_code *c, const struct profile *p, mapping_id mapping, uint64_t start,
					   uint64_t end)
{
	const struct profile_mapping *m = &p->mappings.data[mapping];
	return (struct annotate_function){
		.object = profile_str(p, m->name),
		.object_path = profile_str(p, m->path),
		.build_id = profile_str(p, m->build_id),
		.section = dso_section_name(c->dso, start),
		.debug_origin = dso_source_origin(c->dso),
		.start = start,
		.end = end,
	};
}

struct strobe_error *dso_code_missing(const struct dso_code *c, const char *what)
{
	struct dso_facts facts = dso_facts(c->dso);
	char id[BUILDID_HEX_MAX];
	buildid_hex(c->file->build_id, c->file->build_id_len, id);
	const char *name = c->file->name ? c->file->name : "it", *why = facts.problem ? facts.problem : c->hindrance;
	switch (c->file->kind) {
	case MAPPED_KERNEL:
		return error_create(ERROR_NOT_FOUND, "the code of %s is in the kernel's image, and none with its build-id (%s) was "
				    "found%s%s: install the kernel's debug symbols, or name the image with -k",
				    what, *id ? id : "not recorded", why ? "; " : "", why ? why : "");
	case MAPPED_MODULE:
		return error_create(ERROR_NOT_FOUND, "the code of %s is in the module %s, whose file was not found%s%s", what,
				    name, why ? ": " : "", why ? why : "");
	case MAPPED_BPF:
	case MAPPED_OTHER_KERNEL:
		return error_create(ERROR_UNSUPPORTED, "the code of %s was made by the running kernel (%s) and is in no file", what,
				    name);
	case MAPPED_JIT:
	case MAPPED_ANON:
		return error_create(ERROR_NOT_FOUND, "the code of %s was made while its program ran, and nothing kept it%s%s: have "
				    "the program write a jitdump file", what, why ? "; " : "", why ? why : "");
	default:
		break;
	}
	return error_create(ERROR_NOT_FOUND, "the code of %s is not available: %s", what,
			    facts.problem ? facts.problem : "its file has no bytes there");
}
