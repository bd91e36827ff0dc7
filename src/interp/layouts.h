/*
 * Offsets in bytes of the fields that are needed for stacks, for each kind of interpreter. Filled in by user space (interpreter.h),
 * used by the BPF program that reads frames (bpf/unwind/script_shared.h).
 */
#pragma once
#include <linux/types.h>

enum script_kind {
	SCRIPT_NONE,
	SCRIPT_PYTHON,
	SCRIPT_PHP,
	SCRIPT_RUBY,
	SCRIPT_PERL,
	SCRIPT_V8,
	SCRIPT_HOTSPOT,
	SCRIPT_LUAJIT,
	SCRIPT_KINDS,
};

/* Sources: Zend/zend_compile.h, zend_globals.h, zend_types.h; Zend/zend_vm_execute.h for the meaning of sampled registers. */
struct php_layout {
	__u32 current; /* in executor_globals: the innermost frame */
	__u32 file, opcodes_nr, opcodes; /* in zend_op_array; file: the lines follow it */
};

/*
 * Sources: vm_core.h (rb_execution_context_struct, rb_control_frame_struct, rb_iseq_constant_body), iseq.c (succ_index_table),
 * include/ruby/internal/core/{rstring,rarray}.h.
 */
struct ruby_layout {
	__u32 frame_bytes; /* of rb_control_frame_t */
	__u32 lines, lines_nr, positions; /* insn_info in a body */
	__u32 embedded;    /* embedded text in a string */
	__u8 has_length;   /* an embedded string has its length before its text, instead of in its flags */
	__u8 has_fixnum;   /* the first line is a tagged integer object */
	__u8 unused[2];
};

/* Sources: intrpvar.h, cop.h (struct stackinfo, struct context, struct cop), cv.h, gv.h, hv.h; builds with threads. */
struct perl_layout {
	__u32 place, stack, main; /* in an interpreter: PL_curcop, PL_curstackinfo, PL_main_cv */
	__u32 context_bytes;      /* of a PERL_CONTEXT */
	__u32 sub, eval;          /* code of a sub, of an eval */
	__u32 file;               /* in a COP */
	__u16 statements[2];      /* op_type of COPs: nextstate, dbstate */
};

/* For V8 (sources in v8.c); offsets in objects count from their address, which a pointer has with a tag. */
struct v8_layout {
	/* In a frame, relative to its frame pointer; context: or the type of the frame. */
	__s16 context, function, bytecode_array, bytecode_offset;
	__s16 map_type; /* the instance type, in an object's map */
	__s16 function_shared, function_code;
	__s16 shared_name, shared_data, shared_script, shared_token; /* in a SharedFunctionInfo; name: or a ScopeInfo */
	__s16 script_name, script_source;
	__s16 scope_locals, scope_variables, scope_start; /* words of a ScopeInfo; start: 0 if it is after the variables */
	__s16 string_length, string_chars, cons_second, sliced_offset, external_data;
	__s16 array_length, array_data;
	__s16 bytecode_positions, bytecode_data;
	__s16 code_instructions, code_bytes, code_bytecode, code_positions;
	__s16 code_is_inline; /* the instructions follow it; otherwise it has their address */
	__s16 code_address;   /* where it has it, in V8 12 and later */
	/* instance types; functions have a range */
	__s16 type_function, type_last_function, function_types, type_trusted_bytes, type_shared, type_scope, type_script;
	__s16 type_bytecode, type_bytes, type_code;
};

/* For HotSpot (sources in hotspot.c), of a process. */
#define HOTSPOT_HEAPS	    3
#define HOTSPOT_HAS_LINES   1    /* ConstMethod::_has_linenumber_table */
#define HOTSPOT_LINES_BYTES 2048 /* the maximum that is read; a power of two */
enum hotspot_scopes_form {
	HOTSPOT_SCOPES_NONE,
	HOTSPOT_SCOPES_IN_BLOB, /* to JDK 22 */
	HOTSPOT_SCOPES_APART,	/* from JDK 25 on */
};
struct hotspot_heap {
	__u64 low, segments; /* segments: address of its map */
	__u64 bytes;
};
struct hotspot_layout {
	struct hotspot_heap heaps[HOTSPOT_HEAPS];
	__u16 header_bytes; /* before a blob */
	__u16 blob_name, blob_frame, blob_complete, blob_code;
	__u16 nmethod_method, method_const;
	__u16 const_pool, const_flags, const_code_bytes, const_name, const_bytes;
	__u16 pool_class, pool_file, pool_bytes, class_name, symbol_length, symbol_text;
	/*
	 * What was inlined: in an nmethod, offsets of descriptions of addresses, of their end, of scopes (or their address), of methods;
	 * from the blob on or, where it has separate memory for them, from there.
	 */
	__u16 nmethod_pcs, nmethod_pcs_end, nmethod_scopes, nmethod_metadata, nmethod_apart, blob_mutable, blob_relocation;
	__u8 scopes_form; /* enum hotspot_scopes_form */
	__u8 segment_bits; /* log2 of the bytes of a segment */
	__u8 code_is_offset, complete_is_short;
	__u8 has_no_null;   /* bytes of compressed numbers are not 0 */
	__u8 has_dump; /* an agent writes a jitdump, which names addresses: frames keep them */
};

/* For LuaJIT: where a process has its virtual machine. */
struct luajit_layout {
	__u64 start, bytes;
};

/* Origin of code. PHP: NATIVE is a function in C, which has no file. Perl: FILE is the code of a file or of eval STRING. */
enum php_form { PHP_FORM_SCRIPT, PHP_FORM_NATIVE };
enum perl_form { PERL_FORM_SUB, PERL_FORM_FILE, PERL_FORM_MAIN };
/* Added to bytecode offsets of V8 and HotSpot, so that 0 (offset unknown) and the next offset map to the line where the function begins. */
#define V8_BYTECODE_AT 2
/* V8: names or files in UTF-16; others are Latin-1. */
enum v8_form { V8_FORM_WIDE_NAME = 1, V8_FORM_WIDE_FILE = 2 };
