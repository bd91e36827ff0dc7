/*
 * What the part of the BPF program that reads frames of interpreters (python.bpf.h) and user space (scripts.c) both know.
 */
#pragma once
#include <linux/types.h>

#define SCRIPT_PROCESSES   4096
#define SCRIPT_FRAMES_MAX  512
#define SCRIPT_FRAME_BYTES 128 /* of a frame that are read */
#define SCRIPT_CODES_SEEN  32768
/* New code objects that one sample sends: the others follow with later ones. */
#define SCRIPT_CODES_A_SAMPLE 16
/* Parts of a code object; powers of two. What is longer is cut. */
#define SCRIPT_NAME_BYTES  512
#define SCRIPT_FILE_BYTES  1024
#define SCRIPT_LINES_BYTES 4096

/* What interp/python.h has of the interpreter of a process; offsets in bytes. */
struct script_process {
	__u64 mm;
	__u64 interpreters; /* where the pointer to the first one is; 0: it is not known (yet) */
	__u32 next_interpreter, threads;
	__u32 next_thread, thread_id, frame;
	__s32 cframe;
	__u32 previous, code, instruction, entry;
	__u32 file_name, name, lines, first_line;
	__u32 bytecode, text;
	__u8 minor, entries, index_scale, unused;
	__u32 requests; /* that were sent for it */
	__u64 requested_ns;
};

/* A process whose program may be an interpreter, and of which nothing is known. */
struct script_request {
	__u64 mm;
	__u32 pid, unused;
};
#define SCRIPT_REQUESTS_MAX 10
/* From one request to the next this is doubled: a program that starts has not mapped its libraries yet. */
#define SCRIPT_REQUEST_AGAIN_NS 1000000ULL

enum script_message { SCRIPT_MESSAGE_STACK = 0x5845, SCRIPT_MESSAGE_CODE };

#define SCRIPT_FRAME_ENTRY 1 /* a call of the evaluation loop began with it */

struct script_frame {
	__u64 code;
	__u32 stamp; /* tells apart what had this address one after the other */
	__u32 offset_flags; /* of the instruction, shifted by 1; SCRIPT_FRAME_* */
};

/* Frames, innermost first, follow. */
struct script_stack {
	__u32 message;
	__u16 nr;
	__u16 is_cut;
	__u64 mm;
};

/* The parts are objects of the interpreter, as they are; as much of the last as there is. */
struct script_code_message {
	__u32 message, stamp;
	__u64 code, mm;
	__u32 first_line;
	__u32 name_bytes, file_bytes, lines_bytes;
	__u8 name[SCRIPT_NAME_BYTES], file[SCRIPT_FILE_BYTES], lines[SCRIPT_LINES_BYTES];
};
