/*
 * Where interpreters keep what a stack needs, for each kind; offsets in bytes. For user space, which finds them (python.h, php.h, ruby.h,
 * perl.h), and for the BPF program that reads frames by them (bpf/unwind/script_shared.h).
 */
#pragma once
#include <linux/types.h>

enum script_kind { SCRIPT_NONE, SCRIPT_PYTHON, SCRIPT_PHP, SCRIPT_RUBY, SCRIPT_PERL, SCRIPT_V8, SCRIPT_KINDS };

/*
 * Sources: Zend/zend_compile.h, zend_globals.h, zend_types.h; Zend/zend_vm_execute.h for what a sampled register is.
 */
struct php_layout {
	__u32 current;          /* in executor_globals: the innermost frame */
	__u32 file, first_line; /* in zend_op_array */
};

/*
 * Sources: vm_core.h (rb_execution_context_struct, rb_control_frame_struct, rb_iseq_constant_body), iseq.c (succ_index_table),
 * include/ruby/internal/core/{rstring,rarray}.h.
 */
struct ruby_layout {
	__u32 frame_bytes; /* of rb_control_frame_t */
	__u32 lines, lines_nr, positions; /* in a body: insn_info */
	__u32 embedded;    /* text in a string */
	__u8 has_length;   /* a string that is embedded has its length before its text, and not in its flags */
	__u8 has_fixnum;   /* the first line is an object */
	__u8 unused[2];
};

/* Sources: intrpvar.h, cop.h (struct stackinfo, struct context, struct cop), cv.h, gv.h, hv.h; builds with threads. */
struct perl_layout {
	__u32 place, stack, main; /* in an interpreter: PL_curcop, PL_curstackinfo, PL_main_cv */
	__u32 context_bytes;      /* of a PERL_CONTEXT */
	__u32 sub, eval;          /* in it: code of a sub, of an eval */
	__u32 file;               /* in a COP */
	__u16 statements[2];      /* op_type of COPs: nextstate, dbstate */
};

/* Of V8 (v8.c has the sources); offsets in objects are from their address, which a pointer has with a tag. */
struct v8_layout {
	/* In a frame, from its frame pointer; context: or what kind of frame it is. */
	__s16 context, function, bytecode_array, bytecode_offset;
	__s16 map_type; /* the instance type of objects, in their map */
	__s16 function_shared, function_code;
	__s16 shared_name, shared_data, shared_script, shared_token; /* in a SharedFunctionInfo; name: or a ScopeInfo */
	__s16 script_name, script_source;
	__s16 scope_locals, scope_variables; /* words of a ScopeInfo */
	__s16 string_length, string_chars, cons_second, sliced_offset, external_data;
	__s16 array_length, array_data;
	__s16 bytecode_positions, bytecode_data;
	__s16 code_instructions, code_bytes, code_bytecode, code_positions;
	__s16 code_is_inline; /* its instructions follow; else there is their address */
	/* instance types; of functions there are several */
	__s16 type_function, function_types, type_shared, type_scope, type_script, type_bytecode, type_bytes, type_code;
};

/* What code is of. PHP: NATIVE of a function in C, which has no file. Perl: FILE of a file, or of eval STRING. */
enum php_form { PHP_FORM_SCRIPT, PHP_FORM_NATIVE };
enum perl_form { PERL_FORM_SUB, PERL_FORM_FILE, PERL_FORM_MAIN };
/*
 * Offsets of V8: those of bytecode have this added to them, so that 0 and the byte after it, where that is not known, are of the line where
 * the function begins.
 */
#define V8_BYTECODE_AT 2
/* Bits of V8: parts that are UTF-16; others are Latin-1. */
enum v8_form { V8_FORM_WIDE_NAME = 1, V8_FORM_WIDE_FILE = 2 };
