/*
 * Sources: JDK 11, 17, 21 and 25, runtime/vmStructs.{hpp,cpp}, code/{codeCache,codeBlob,nmethod}.hpp, memory/heap.hpp,
 * code/{pcDesc,scopeDesc,debugInfoRec}.*, memory/virtualspace.hpp, utilities/{growableArray,unsigned5}.hpp,
 * code/compressedStream.hpp, oops/method.hpp (CompressedLineNumberReadStream).
 */
#include "interp/hotspot.h"

#include <elf.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "interp/interpreter.h"
#include "interp/lnotab.h"

#define NR(array)    (sizeof(array) / sizeof(*(array)))
#define ENTRIES_MAX  4096
#define ENTRY_MAX    128 /* bytes */
#define TEXT_BYTES   40  /* of the longest name that is compared, and more */
#define UNKNOWN	     UINT16_MAX
#define NO_NULL_FROM 20 /* the version from which on bytes of compressed numbers are never 0 */

/* What is needed to find the layout, besides its own fields. */
struct places {
	uint16_t memory, segments, segment_bits, low, high, len, data; /* offsets */
	uint64_t heaps, version;                                       /* addresses of variables */
};

struct search {
	const struct interp_memory *memory;
	uint64_t at[HOTSPOT_SYMBOLS]; /* values of the variables */
	struct hotspot_layout *layout;
	struct places places;
};

/* Names differ between versions. */
static const struct {
	const char *type, *field;
	size_t at;	/* of an uint16_t in the layout, or in the places */
	bool is_place, is_static, is_optional;
} fields[] = {
#define FIELD(type, field, member)  { type, field, offsetof(struct hotspot_layout, member), false, false, false }
#define OPTIONAL(type, field, member) { type, field, offsetof(struct hotspot_layout, member), false, false, true }
#define PLACE(type, field, member)  { type, field, offsetof(struct places, member), true, false, false }
#define STATIC(type, field, member) { type, field, offsetof(struct places, member), true, true, false }
	FIELD("CodeBlob", "_name", blob_name),
	FIELD("CodeBlob", "_frame_size", blob_frame),
	FIELD("CodeBlob", "_frame_complete_offset", blob_complete),
	FIELD("CodeBlob", "_code_begin", blob_code),
	FIELD("CodeBlob", "_code_offset", blob_code),
	FIELD("CompiledMethod", "_method", nmethod_method),
	FIELD("nmethod", "_method", nmethod_method),
	FIELD("Method", "_constMethod", method_const),
	FIELD("ConstMethod", "_constants", const_pool),
	FIELD("ConstMethod", "_flags", const_flags),
	FIELD("ConstMethod", "_flags._flags", const_flags),
	FIELD("ConstMethod", "_code_size", const_code_bytes),
	FIELD("ConstMethod", "_name_index", const_name),
	FIELD("ConstantPool", "_pool_holder", pool_class),
	FIELD("ConstantPool", "_source_file_name_index", pool_file),
	FIELD("Klass", "_name", class_name),
	FIELD("Symbol", "_length", symbol_length),
	FIELD("Symbol", "_body", symbol_text),
	FIELD("Symbol", "_body[0]", symbol_text),
	OPTIONAL("nmethod", "_scopes_pcs_offset", nmethod_pcs),
	OPTIONAL("nmethod", "_dependencies_offset", nmethod_pcs_end),
	OPTIONAL("CompiledMethod", "_scopes_data_begin", nmethod_scopes),
	OPTIONAL("nmethod", "_scopes_data_offset", nmethod_scopes),
	OPTIONAL("nmethod", "_metadata_offset", nmethod_metadata),
	OPTIONAL("nmethod", "_immutable_data", nmethod_apart),
	OPTIONAL("CodeBlob", "_mutable_data", blob_mutable),
	OPTIONAL("CodeBlob", "_relocation_size", blob_relocation),
	PLACE("CodeHeap", "_memory", memory),
	PLACE("CodeHeap", "_segmap", segments),
	PLACE("CodeHeap", "_log2_segment_size", segment_bits),
	PLACE("VirtualSpace", "_low_boundary", low),
	PLACE("VirtualSpace", "_high_boundary", high),
	PLACE("GrowableArrayBase", "_len", len),
	PLACE("GenericGrowableArray", "_len", len),
	PLACE("GrowableArray<int>", "_data", data),
	STATIC("CodeCache", "_heaps", heaps),
	STATIC("Abstract_VM_Version", "_vm_major_version", version),
};

static const struct {
	const char *type;
	size_t at; /* of an uint16_t in the layout */
} sizes[] = {
	{ "HeapBlock", offsetof(struct hotspot_layout, header_bytes) },
	{ "ConstMethod", offsetof(struct hotspot_layout, const_bytes) },
	{ "ConstantPool", offsetof(struct hotspot_layout, pool_bytes) },
};

static bool read_word(const struct search *s, uint64_t at, uint64_t *ret)
{
	return s->memory->read(s->memory->ctx, at, ret, sizeof(*ret));
}

/* A name of the tables; "": it cannot be read. */
static const char *read_text(const struct search *s, uint64_t at, char text[static TEXT_BYTES])
{
	text[TEXT_BYTES - 1] = 0;
	if (!s->memory->read(s->memory->ctx, at, text, TEXT_BYTES - 1))
		*text = 0;
	return text;
}

static uint64_t entry_word(const struct search *s, const uint8_t *entry, enum hotspot_symbol offset)
{
	uint64_t v = 0;
	if (s->at[offset] <= ENTRY_MAX - sizeof(v))
		memcpy(&v, entry + s->at[offset], sizeof(v));
	return v;
}

static void set_half(void *to, size_t at, uint64_t v)
{
	uint16_t half = v < UNKNOWN ? (uint16_t)v : UNKNOWN;
	memcpy((char *)to + at, &half, sizeof(half));
}

static void take_field(struct search *s, size_t i, const uint8_t *entry)
{
	char form[TEXT_BYTES];
	uint64_t address = entry_word(s, entry, HOTSPOT_STRUCT_ADDRESS);
	if (fields[i].is_static)
		memcpy((char *)&s->places + fields[i].at, &address, sizeof(address));
	else
		set_half(fields[i].is_place ? (void *)&s->places : (void *)s->layout, fields[i].at,
			 entry_word(s, entry, HOTSPOT_STRUCT_OFFSET));
	if (strcmp(fields[i].field, "_code_offset") == 0)
		s->layout->code_is_offset = 1;
	if (strcmp(fields[i].field, "_frame_complete_offset") == 0)
		s->layout->complete_is_short =
			strcmp(read_text(s, entry_word(s, entry, HOTSPOT_STRUCT_FORM), form), "int") != 0;
}

static void take_struct(struct search *s, const uint8_t *entry)
{
	char type[TEXT_BYTES], field[TEXT_BYTES];
	bool has_field = false;
	read_text(s, entry_word(s, entry, HOTSPOT_STRUCT_TYPE), type);
	for (size_t i = 0; i < NR(fields); i++) {
		if (strcmp(type, fields[i].type) != 0)
			continue;
		if (!has_field)
			read_text(s, entry_word(s, entry, HOTSPOT_STRUCT_FIELD), field);
		has_field = true;
		if (strcmp(field, fields[i].field) == 0)
			take_field(s, i, entry);
	}
}

static void take_type(struct search *s, const uint8_t *entry)
{
	char type[TEXT_BYTES];
	read_text(s, entry_word(s, entry, HOTSPOT_TYPE_NAME), type);
	for (size_t i = 0; i < NR(sizes); i++)
		if (strcmp(type, sizes[i].type) == 0)
			set_half(s->layout, sizes[i].at, entry_word(s, entry, HOTSPOT_TYPE_SIZE));
}

/* Each entry of a table, which ends with one without a name. */
static void take_entries(struct search *s, enum hotspot_symbol table, enum hotspot_symbol bytes, enum hotspot_symbol name,
			 void (*take)(struct search *s, const uint8_t *entry))
{
	uint8_t entry[ENTRY_MAX];
	if (!s->at[bytes] || s->at[bytes] > sizeof(entry))
		return;
	memset(entry, 0, sizeof(entry));
	for (uint64_t i = 0; i < ENTRIES_MAX; i++) {
		if (!s->memory->read(s->memory->ctx, s->at[table] + i * s->at[bytes], entry, s->at[bytes]) ||
		    !entry_word(s, entry, name))
			return;
		take(s, entry);
	}
}

/* ---- heaps ---- */

static bool read_heap(struct search *s, uint64_t heap, struct hotspot_heap *ret)
{
	const struct places *p = &s->places;
	uint64_t low, high, segments;
	uint32_t bits;
	if (!read_word(s, heap + p->memory + p->low, &low) || !read_word(s, heap + p->memory + p->high, &high) ||
	    !read_word(s, heap + p->segments + p->low, &segments) ||
	    !s->memory->read(s->memory->ctx, heap + p->segment_bits, &bits, sizeof(bits)))
		return false;
	*ret = (struct hotspot_heap){ .low = low, .segments = segments, .bytes = high - low };
	s->layout->segment_bits = (uint8_t)bits;
	return low && high > low && segments && bits < 20;
}

static bool read_heaps(struct search *s)
{
	uint64_t array, data, heap;
	uint32_t n;
	if (!read_word(s, s->places.heaps, &array) || !array ||
	    !s->memory->read(s->memory->ctx, array + s->places.len, &n, sizeof(n)) || !n || n > HOTSPOT_HEAPS ||
	    !read_word(s, array + s->places.data, &data))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!read_word(s, data + 8 * (uint64_t)i, &heap) || !read_heap(s, heap, &s->layout->heaps[i]))
			return false;
	return true;
}

static bool is_whole(const struct search *s)
{
	for (size_t i = 0; i < NR(fields); i++) {
		uint16_t half;
		memcpy(&half, (const char *)(fields[i].is_place ? (const void *)&s->places : (const void *)s->layout) + fields[i].at,
		       sizeof(half));
		if (!fields[i].is_static && !fields[i].is_optional && half == UNKNOWN)
			return false;
	}
	return s->places.heaps && s->layout->header_bytes && s->layout->const_bytes && s->layout->pool_bytes;
}

/* JDK 23 and 24 have yet another. */
static enum hotspot_scopes_form scopes_form_of(const struct hotspot_layout *l)
{
	if (l->nmethod_pcs == UNKNOWN || l->nmethod_scopes == UNKNOWN)
		return HOTSPOT_SCOPES_NONE;
	if (l->nmethod_apart != UNKNOWN)
		return l->blob_mutable != UNKNOWN && l->blob_relocation != UNKNOWN ? HOTSPOT_SCOPES_APART : HOTSPOT_SCOPES_NONE;
	return l->nmethod_pcs_end != UNKNOWN && l->nmethod_metadata != UNKNOWN ? HOTSPOT_SCOPES_IN_BLOB : HOTSPOT_SCOPES_NONE;
}

bool hotspot_read(const struct interp_memory *memory, const struct hotspot_symbols *symbols, uint64_t bias, struct hotspot_layout *ret)
{
	struct search s = { .memory = memory, .layout = ret };
	uint32_t version = 0;
	memset(ret, 0xff, sizeof(*ret));
	memset(&s.places, 0xff, sizeof(s.places));
	memset(ret->heaps, 0, sizeof(ret->heaps));
	ret->code_is_offset = ret->complete_is_short = ret->has_dump = 0;
	ret->header_bytes = ret->const_bytes = ret->pool_bytes = 0;
	s.places.heaps = s.places.version = 0;
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		if (!symbols->of[i] || !read_word(&s, bias + symbols->of[i], &s.at[i]))
			return false;
	take_entries(&s, HOTSPOT_STRUCTS, HOTSPOT_STRUCT_BYTES, HOTSPOT_STRUCT_TYPE, take_struct);
	take_entries(&s, HOTSPOT_TYPES, HOTSPOT_TYPE_BYTES, HOTSPOT_TYPE_NAME, take_type);
	if (s.places.version && !memory->read(memory->ctx, s.places.version, &version, sizeof(version)))
		return false;
	ret->has_no_null = version >= NO_NULL_FROM;
	ret->scopes_form = (uint8_t)scopes_form_of(ret);
	return is_whole(&s) && read_heaps(&s);
}

/* ---- lines ---- */

/* UNSIGNED5: the lowest 6 bits of a byte are added to those before, until one is low enough. */
static int32_t read_signed(struct cursor *c, bool has_no_null)
{
	const uint32_t excluded = has_no_null, low = 256 - 64 - excluded;
	uint32_t sum = 0;
	for (unsigned i = 0; i < 5; i++) {
		uint32_t byte = cursor_u8(c);
		if (c->bad || byte < excluded)
			return 0;
		sum += (byte - excluded) << 6 * i;
		if (byte - excluded < low)
			break;
	}
	return (int32_t)(sum >> 1 ^ -(sum & 1));
}

uint32_t hotspot_lines_convert(const void *lines, size_t n, bool has_no_null, struct strbuf *to)
{
	enum { ESCAPE = 0xff, OFFSET_MAX = 65535 };
	struct cursor c = cursor_make(lines, n, false);
	struct lnotab_writer writer;
	int64_t offset = 0, line = 0;
	uint32_t first = 0;
	while (cursor_left(&c)) {
		uint8_t byte = cursor_u8(&c);
		if (!byte)
			break;
		offset += byte == ESCAPE ? read_signed(&c, has_no_null) : byte >> 3;
		line += byte == ESCAPE ? read_signed(&c, has_no_null) : byte & 7;
		if (c.bad || offset < 0 || offset > OFFSET_MAX || line <= 0 || line > INT32_MAX)
			break;
		if (!first) {
			first = (uint32_t)line;
			writer = lnotab_begin(to, first);
		}
		if (!lnotab_put(&writer, (uint32_t)offset + V8_BYTECODE_AT, (uint32_t)line))
			break;
	}
	return first;
}

void hotspot_class_name(char *name)
{
	for (; *name; name++)
		if (*name == '/')
			*name = '.';
}

/* ---- the object ---- */

void hotspot_find(const struct object *o, struct interpreter *ret)
{
	static const char *const symbols[HOTSPOT_SYMBOLS] = {
		[HOTSPOT_STRUCTS] = "Structs", [HOTSPOT_STRUCT_BYTES] = "StructEntryArrayStride",
		[HOTSPOT_STRUCT_TYPE] = "StructEntryTypeNameOffset", [HOTSPOT_STRUCT_FIELD] = "StructEntryFieldNameOffset",
		[HOTSPOT_STRUCT_FORM] = "StructEntryTypeStringOffset", [HOTSPOT_STRUCT_OFFSET] = "StructEntryOffsetOffset",
		[HOTSPOT_STRUCT_ADDRESS] = "StructEntryAddressOffset", [HOTSPOT_TYPES] = "Types",
		[HOTSPOT_TYPE_BYTES] = "TypeEntryArrayStride", [HOTSPOT_TYPE_NAME] = "TypeEntryTypeNameOffset",
		[HOTSPOT_TYPE_SIZE] = "TypeEntrySizeOffset",
	};
	static const char prefix[] = "gHotSpotVM";
	struct object_symtab t;
	if (!object_symtab(o, SHT_DYNSYM, &t))
		return;
	for (uint32_t i = 1; i < t.count; i++) {
		struct object_symbol s = object_symbol(&t, i);
		const char *name = object_symbol_name(&t, &s);
		if (!s.section || !text_has_prefix(name, prefix))
			continue;
		for (size_t j = 0; j < NR(symbols); j++)
			if (strcmp(name + sizeof(prefix) - 1, symbols[j]) == 0)
				ret->hotspot.of[j] = s.value;
	}
	ret->is_known = true;
	for (size_t j = 0; j < NR(symbols); j++)
		ret->is_known &= ret->hotspot.of[j] != 0;
	ret->start = ret->is_known; /* any value but 0 */
}
