/*
 * Shared by the part of the BPF program that reads frames of interpreters (scripts.bpf.h) and user space (scripts.c).
 */
#pragma once
#include <linux/types.h>

#include "interp/layouts.h"

#define SCRIPT_PROCESSES   4096
#define SCRIPT_FRAMES_MAX  512
#define SCRIPT_FRAME_BYTES 128 /* of a frame that are read at most */
#define SCRIPT_CODES_SEEN  32768
/* New code objects that one sample sends: the others follow with later ones. */
#define SCRIPT_CODES_A_SAMPLE 16
/* Parts of a code object; powers of two. What is longer is cut. */
#define SCRIPT_NAME_BYTES 512
#define SCRIPT_FILE_BYTES 1024
#define SCRIPT_NAME_TEXT  2048 /* a name as user space has it, with its class or package */
#define SCRIPT_REST_BYTES 8192

/* What interp/python.h has of CPython. */
struct script_python {
	__u32 next_interpreter, threads;
	__u32 next_thread, thread_id, frame;
	__s32 cframe;
	__u32 previous, code, instruction, entry;
	__u32 file_name, name, lines, first_line;
	__u32 bytecode, text;
	__u8 minor, entries, index_scale, unused;
};

/* Where a variable of each thread is: below the thread pointer, or in the module whose number `module` points to. */
struct script_thread_local {
	__u64 module; /* 0: at the thread pointer plus offset */
	__s64 offset;
};

struct script_ruby {
	struct script_thread_local context; /* the pointer to it */
	struct ruby_layout layout;
	__u32 unused;
};

/* The pointer to a thread's interpreter belongs to a key of pthread_getspecific(3). */
struct script_perl {
	struct perl_layout layout;
	__u32 specific; /* in a thread: pointers to blocks of keys */
	__u32 unused;
};

struct script_process {
	__u64 mm;
	/*
	 * 0: it is not known (yet). Where the pointer to the first interpreter is (Python), to the innermost frame (PHP), the number of
	 * the key (Perl); for Ruby any other value.
	 */
	__u64 start;
	__u32 kind; /* enum script_kind */
	__u32 requests; /* that were sent for it */
	__u64 requested_ns;
	union {
		struct script_python python;
		struct php_layout php;
		struct script_ruby ruby;
		struct script_perl perl;
		struct v8_layout v8;
	};
};

/* A process whose program may be an interpreter, and of which nothing is known, or where it has a file mapped that has one. */
struct script_request {
	__u64 mm;
	__u32 pid, device; /* device: as the kernel has it, 20 bits of minor number */
	__u64 inode, start, end, pgoff; /* of such a mapping, or 0 */
};
#define SCRIPT_REQUESTS_MAX 10
/* From one request to the next this is doubled: a program that starts has not mapped its libraries yet. */
#define SCRIPT_REQUEST_AGAIN_NS 1000000ULL

enum script_message { SCRIPT_MESSAGE_STACK = 0x5845, SCRIPT_MESSAGE_CODE };

#define SCRIPT_FRAME_ENTRY 1 /* a call of the evaluation loop began with it */
/*
 * Of V8 the offset has besides, from this bit on, which frame of the native stack it belongs to; and SCRIPT_FRAME_ENTRY is of code made at
 * run time, whose place it takes. Where user space goes on with the walk of the native stack, the number is not known yet: each frame of
 * the rest is OPEN, if it is a function's, and followed by a RETURN, whose `code` is the address that it returns to.
 */
#define V8_NATIVE_SHIFT	 16
#define V8_NATIVE_OPEN	 0x3ffe
#define V8_NATIVE_RETURN 0x3fff
#define V8_OFFSET_MAX	 65534

struct script_frame {
	__u64 code; /* 0: the loop runs no function of its own; it is no frame, and only ends what belongs to a call of the loop */
	__u32 stamp; /* distinguishes what had this address one after the other */
	__u32 offset_flags; /* of the instruction, or the line (PHP, Perl), shifted by 1; SCRIPT_FRAME_* */
};

/* Frames, innermost first, follow. */
struct script_stack {
	__u32 message;
	__u16 nr;
	__u16 is_cut;
	__u64 mm;
};

/* Of Ruby, rest begins with the table of positions, as large as this; then come the entries of lines. */
#define SCRIPT_POSITIONS_BYTES 1024

/*
 * A code object. Its parts are as the interpreter has them: objects of Python, texts of the others. rest: the lines (Python, Ruby),
 * positions of instructions (V8), or the name of the class or package (PHP, Perl); as much of it as there is.
 */
struct script_code_message {
	__u32 message, stamp;
	__u64 code, mm;
	__u32 kind;
	__u32 form; /* enum php_form, enum perl_form, enum v8_form */
	__u32 first_line; /* V8: the position in the source */
	__u32 name_bytes, file_bytes, rest_bytes;
	__u32 size; /* of the code, in instructions (Ruby); of the source, in UTF-16 units (V8) */
	__u32 lines_nr; /* entries of lines that it has, whether or not they are here; Ruby */
	__u64 source;   /* a string; V8 */
	__u8 name[SCRIPT_NAME_BYTES], file[SCRIPT_FILE_BYTES], rest[SCRIPT_POSITIONS_BYTES + SCRIPT_REST_BYTES];
};
