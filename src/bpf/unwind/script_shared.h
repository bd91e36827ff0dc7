/*
 * Shared by the part of the BPF program that reads frames of interpreters (scripts.bpf.h) and user space (scripts.c).
 */
#pragma once
#include <linux/types.h>

#include "interp/layouts.h"

#define SCRIPT_PROCESSES   4096
#define SCRIPT_FRAMES_MAX  512
#define SCRIPT_FRAME_BYTES 128 /* maximum size of a frame that is read */
#define SCRIPT_CODES_SEEN  32768
/* The maximum number of new code objects sent with one sample; others follow with later samples. */
#define SCRIPT_CODES_A_SAMPLE 16
/* Parts of a code object; powers of two. Longer ones are truncated. */
#define SCRIPT_NAME_BYTES 512
#define SCRIPT_FILE_BYTES 1024
#define SCRIPT_NAME_TEXT  2048 /* a name in user space, with its class or package */
#define SCRIPT_REST_BYTES 8192

/* The layout of CPython (interp/python.h). */
struct script_python {
	__u32 next_interpreter, threads;
	__u32 next_thread, thread_id, frame;
	__s32 cframe;
	__u32 previous, code, instruction, entry;
	__u32 file_name, name, lines, first_line;
	__u32 bytecode, text;
	__u8 minor, entries, index_scale, unused;
};

/* The location of a thread-local variable: relative to the thread pointer, or in the TLS module whose number is at `module`. */
struct script_thread_local {
	__u64 module; /* 0: at the thread pointer plus offset */
	__s64 offset;
};

struct script_ruby {
	struct script_thread_local context; /* the pointer to it */
	struct ruby_layout layout;
	__u32 unused;
};

/* The pointer to a thread's interpreter is the value of a key of pthread_getspecific(3). */
struct script_perl {
	struct perl_layout layout;
	__u32 specific; /* in a thread: pointers to blocks of keys */
	__u32 unused;
};

struct script_process {
	__u64 mm;
	/*
	 * The address of the pointer to the first interpreter (Python) or to the innermost frame (PHP), the key (Perl); Ruby: any value.
	 * 0: unknown (yet).
	 */
	__u64 start;
	__u32 kind; /* enum script_kind */
	__u32 requests; /* sent for it */
	__u64 requested_ns;
	union {
		struct script_python python;
		struct php_layout php;
		struct script_ruby ruby;
		struct script_perl perl;
		struct v8_layout v8;
		struct hotspot_layout hotspot;
		struct luajit_layout luajit;
	};
};

/* Requests to examine a process that may run an interpreter, or that has mapped a file with one. */
struct script_request {
	__u64 mm;
	__u32 pid, device; /* device: as the kernel has it, 20 bits of minor number */
	__u64 inode, start, end, pgoff; /* of such a mapping, or 0 */
};
#define SCRIPT_REQUESTS_MAX 10
/* The time between two requests, doubled each time: a program that is just starting has not mapped its libraries yet. */
#define SCRIPT_REQUEST_AGAIN_NS 1000000ULL

enum script_message { SCRIPT_MESSAGE_STACK = 0x5845, SCRIPT_MESSAGE_CODE };

#define SCRIPT_FRAME_ENTRY 1 /* a call of the evaluation loop began with it */
/*
 * For V8, HotSpot and LuaJIT, the bits from this one on are the number of the native frame to which the frame belongs;
 * SCRIPT_FRAME_ENTRY marks compiled code, whose native frame it replaces. If user space continues the native walk of V8, that
 * number is unknown yet: each remaining frame of a function is OPEN and followed by a RETURN, whose `code` is its return address.
 */
#define V8_NATIVE_SHIFT	 16
#define V8_NATIVE_OPEN	 0x3ffe
#define V8_NATIVE_RETURN 0x3fff
#define V8_OFFSET_MAX	 65534

struct script_frame {
	__u64 code; /* 0: the loop runs no function: not a frame, but the end of the frames of a call of the loop */
	__u32 stamp; /* distinguishes code objects that had this address at different times */
	__u32 offset_flags; /* of the instruction, or the line (PHP, Perl), shifted by 1; SCRIPT_FRAME_* */
};

/* Frames, innermost first, follow. */
struct script_stack {
	__u32 message;
	__u16 nr;
	__u16 is_cut;
	__u64 mm;
};

/* For Ruby, rest begins with the table of positions, of this size; the entries of lines follow. */
#define SCRIPT_POSITIONS_BYTES 1024

/*
 * A code object. Its parts are in the interpreter's format: objects for Python, text for the others. rest: the line table (Python, Ruby),
 * positions of instructions (V8), the name of the class or package (PHP, Perl), or that of the class and, from
 * SCRIPT_POSITIONS_BYTES on, the line table (HotSpot); possibly truncated.
 */
struct script_code_message {
	__u32 message, stamp;
	__u64 code, mm;
	__u32 kind;
	__u32 form; /* enum php_form, enum perl_form, enum v8_form */
	__u32 first_line; /* V8: the position in the source */
	__u32 name_bytes, file_bytes, rest_bytes;
	__u32 size; /* of the code, in instructions (Ruby); of the source, in UTF-16 units (V8); of the class's name (HotSpot) */
	__u32 lines_nr; /* total number of line entries, also those not in the message; Ruby */
	__u64 source;   /* a string; V8 */
	__u8 name[SCRIPT_NAME_BYTES], file[SCRIPT_FILE_BYTES], rest[SCRIPT_POSITIONS_BYTES + SCRIPT_REST_BYTES];
};
