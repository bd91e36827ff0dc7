/*
 * V8, the engine of Node.js: most sizes and offsets that are needed for stacks are in variables of its object, v8dbg_*, made for
 * debuggers of core files. The others are those of V8 10 to 14.
 *
 * Sources: V8 10.2 (Node 18), 11.3 (Node 20), 12.4 (Node 22), 13.6 (Node 24) gen-postmortem-metadata.py, frame-constants.h,
 * js-function.tq, shared-function-info.tq, script.tq, scope-info.tq, code.h, bytecode-array.h, string.tq.
 */
#include <string.h>

#include <elf.h>

#include "base/text.h"
#include "interp/interpreter.h"

#define NR(array)     (sizeof(array) / sizeof(*(array)))
#define PREFIX	      "v8dbg_"
#define POINTER_BYTES 8
#define FIELD(member) offsetof(struct v8_layout, member)
#define UNKNOWN	      INT16_MIN

static const struct {
	const char *name; /* without the prefix */
	size_t at;        /* offset of an int16_t in the layout */
	bool is_optional;
} fields[] = {
	{ "off_fp_context", FIELD(context), false },
	{ "off_fp_function", FIELD(function), false },
	{ "off_fp_bytecode_array", FIELD(bytecode_array), false },
	{ "off_fp_bytecode_offset", FIELD(bytecode_offset), false },
	{ "class_Map__instance_type__uint16_t", FIELD(map_type), false },
	{ "class_JSFunction__shared__SharedFunctionInfo", FIELD(function_shared), false },
	{ "class_SharedFunctionInfo__name_or_scope_info__Object", FIELD(shared_name), false },
	{ "class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_", FIELD(shared_name), false },
	{ "class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_", FIELD(shared_name), false },
	{ "class_SharedFunctionInfo__function_data__Object", FIELD(shared_data), false },
	{ "class_SharedFunctionInfo__script_or_debug_info__HeapObject", FIELD(shared_script), false },
	{ "class_SharedFunctionInfo__script__Tagged_HeapObject_", FIELD(shared_script), false },
	{ "class_SharedFunctionInfo__raw_function_token_offset__int16_t", FIELD(shared_token), false },
	{ "class_Script__name__Object", FIELD(script_name), false },
	{ "class_Script__source__Object", FIELD(script_source), false },
	{ "class_String__length__int32_t", FIELD(string_length), false },
	{ "class_SeqOneByteString__chars__char", FIELD(string_chars), false },
	{ "class_ConsString__second__String", FIELD(cons_second), false },
	{ "class_SlicedString__offset__SMI", FIELD(sliced_offset), false },
	{ "class_FixedArrayBase__length__SMI", FIELD(array_length), false },
	{ "class_FixedArray__data__uintptr_t", FIELD(array_data), false },
	{ "class_BytecodeArray__data__uintptr_t", FIELD(bytecode_data), false },
	{ "scopeinfo_idx_ncontextlocals", FIELD(scope_locals), false },
	{ "scopeinfo_idx_first_vars", FIELD(scope_variables), false },
	{ "type_JSFunction__JS_FUNCTION_TYPE", FIELD(type_function), false },
	{ "type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", FIELD(type_shared), false },
	{ "type_ScopeInfo__SCOPE_INFO_TYPE", FIELD(type_scope), false },
	{ "type_Script__SCRIPT_TYPE", FIELD(type_script), false },
	{ "type_BytecodeArray__BYTECODE_ARRAY_TYPE", FIELD(type_bytecode), false },
	{ "type_ByteArray__BYTE_ARRAY_TYPE", FIELD(type_bytes), false },
	{ "type_Code__CODE_TYPE", FIELD(type_code), false },
	{ "class_Code__instruction_start__uintptr_t", FIELD(code_instructions), true },
	{ "class_Code__instruction_start__Address", FIELD(code_address), true },
	{ "class_Code__instruction_size__int", FIELD(code_bytes), true },
	{ "class_Code__source_position_table__ByteArray", FIELD(code_positions), true },
	{ "class_JSFunction__code__Tagged_Code_", FIELD(function_code), true },
	{ "type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE", FIELD(type_trusted_bytes), true },
	{ "LastJSFunctionType", FIELD(type_last_function), true },
};

/* Constants of all supported versions: others are rejected. */
static const struct {
	const char *name;
	int32_t value;
} constants[] = {
	{ "HeapObjectTag", 1 },	      { "HeapObjectTagMask", 3 },	 { "SmiTagMask", 1 },	   { "SmiShiftSize", 31 },
	{ "TaggedSize", 8 },	      { "FirstNonstringType", 128 },	 { "ConsStringTag", 1 },   { "ExternalStringTag", 2 },
	{ "SlicedStringTag", 3 },     { "ThinStringTag", 5 },		 { "OneByteStringTag", 8 }, { "StringEncodingMask", 8 },
	{ "StringRepresentationMask", 7 }, { "InterpreterBytecodeOffsetRegister", 9 }, { "InterpreterBytecodeArrayRegister", 12 },
	{ "JSFunctionRegister", 7 },  { "class_SeqOneByteString__chars__char", 16 }, { "class_ConsString__first__String", 16 },
	{ "class_ThinString__actual__String", 16 }, { "class_SlicedString__parent__String", 16 },
};

struct search {
	const struct object *object;
	struct v8_layout *layout;
	bool has_other; /* a constant has another value */
	bool is_newest; /* of V8 14, whose tables of positions are different */
};

static bool value_of(const struct object *o, const struct object_symbol *s, int32_t *ret)
{
	size_t n;
	const void *p = object_bytes_at(o, s->value, &n);
	if (!p || n < sizeof(*ret))
		return false;
	memcpy(ret, p, sizeof(*ret));
	return true;
}

static void take(struct search *search, const char *name, int32_t value)
{
	search->is_newest |= strcmp(name, "class_JSFunction__prototype_or_initial_map__Tagged_UnionOf_JSPrototype_Map_TheHole_") == 0;
	for (size_t i = 0; i < NR(fields); i++) {
		int16_t field = (int16_t)value;
		if (strcmp(name, fields[i].name) == 0 && field == value && field != UNKNOWN)
			memcpy((char *)search->layout + fields[i].at, &field, sizeof(field));
	}
	for (size_t i = 0; i < NR(constants); i++)
		search->has_other |= strcmp(name, constants[i].name) == 0 && value != constants[i].value;
}

static void take_all(struct search *search, uint32_t type)
{
	struct object_symtab t;
	if (!object_symtab(search->object, type, &t))
		return;
	for (uint32_t i = 1; i < t.count; i++) {
		struct object_symbol s = object_symbol(&t, i);
		const char *name = object_symbol_name(&t, &s);
		int32_t value;
		if (s.section && text_has_prefix(name, PREFIX) && value_of(search->object, &s, &value))
			take(search, name + strlen(PREFIX), value);
	}
}

static bool is_whole(const struct v8_layout *l)
{
	for (size_t i = 0; i < NR(fields); i++) {
		int16_t field;
		memcpy(&field, (const char *)l + fields[i].at, sizeof(field));
		if (field == UNKNOWN && !fields[i].is_optional)
			return false;
	}
	return true;
}

/*
 * Up to V8 10 a Code's description precedes its instructions; from 11 on it has their address. In JSFunction the code is after the feedback
 * cell; types of derived classes follow its own.
 */
static void complete_old(struct v8_layout *l)
{
	l->code_is_inline = l->code_instructions != UNKNOWN;
	if (!l->code_is_inline && l->code_positions != UNKNOWN) {
		l->code_instructions = (int16_t)(l->code_positions + 2 * POINTER_BYTES);
		l->code_bytes = (int16_t)(l->code_instructions + 2 * POINTER_BYTES);
	}
	l->code_bytecode = 2 * POINTER_BYTES;
	l->function_code = (int16_t)(l->function_shared + 3 * POINTER_BYTES);
	l->bytecode_positions = (int16_t)(l->array_length + 3 * POINTER_BYTES);
}

/*
 * From V8 12 on bytecode, code and their tables are "trusted" objects. What runs a function, and the bytecode of baseline code, are
 * the first fields of theirs; a BytecodeArray has its positions after its length and its wrapper. From V8 13 on a function has no
 * pointer to its code but the number of an entry of a table, and a ScopeInfo has the positions of its function before its variables.
 */
static void complete_trusted(struct v8_layout *l)
{
	enum { FIRST_VARIABLES_AFTER_POSITIONS = 5, POSITIONS = 3 };
	l->code_is_inline = false;
	l->code_instructions = l->code_address;
	l->code_bytecode = POINTER_BYTES;
	l->shared_data = POINTER_BYTES;
	l->type_bytes = l->type_trusted_bytes;
	l->bytecode_positions = (int16_t)(l->array_length + 2 * POINTER_BYTES);
	if (l->function_code == UNKNOWN)
		l->function_code = 0; /* the map, which is never code */
	l->scope_start = l->scope_variables == FIRST_VARIABLES_AFTER_POSITIONS ? POSITIONS : 0;
}

static void complete(struct v8_layout *l)
{
	l->scope_start = 0;
	if (l->type_trusted_bytes != UNKNOWN)
		complete_trusted(l);
	else
		complete_old(l);
	l->function_types = l->type_last_function != UNKNOWN ? (int16_t)(l->type_last_function - l->type_function + 1) : 15;
	l->external_data = (int16_t)(l->string_chars + POINTER_BYTES);
}

void v8_find(struct object *o, struct interpreter *ret)
{
	struct search search = { .object = o, .layout = &ret->v8 };
	for (size_t i = 0; i < NR(fields); i++) {
		int16_t unknown = UNKNOWN;
		memcpy((char *)search.layout + fields[i].at, &unknown, sizeof(unknown));
	}
	take_all(&search, SHT_DYNSYM);
	take_all(&search, SHT_SYMTAB);
	complete(&ret->v8);
	ret->is_known = !search.has_other && is_whole(&ret->v8) && ret->v8.function == ret->v8.context - POINTER_BYTES &&
			 ret->v8.code_instructions != UNKNOWN && ret->v8.code_bytes != UNKNOWN;
	if (search.is_newest)
		ret->v8.type_bytes = -1; /* no object is of it: functions have their first line */
	ret->start = ret->is_known; /* any value but 0 */
}
