/*
 * Shared by the BPF program that walks stacks (unwind.bpf.c) and user space: compiled call frame information,
 * the table of each file, and the result of a walk. Private to them.
 *
 * Tables are in one long array of 32-bit words, cut into chunks, each a map of its own: word i is word
 * i % UNWIND_CHUNK_WORDS of chunk i / UNWIND_CHUNK_WORDS. A table is the numbers of its rules in the map of rules, the last
 * first (rule r of the table: word pages - 1 - r), its index of pages and its rows, both in the format of unwind/table.h, so
 * that user space can walk by them, too. Rules are shared by all tables. Registers are DWARF numbers of the machine's
 * architecture (arch/arch.h).
 */
#pragma once
#include <linux/types.h>

#include "bpf/unwind/waits_shared.h"

#define UNWIND_CHUNK_BITS  18
#define UNWIND_CHUNK_WORDS (1U << UNWIND_CHUNK_BITS)
#define UNWIND_CHUNKS      256
#define UNWIND_RULES       65536
#define UNWIND_RULES_FIRST 8192 /* in the first map */
#define UNWIND_FILES       8192
#define UNWIND_CODE_BITS   10 /* log2 of the bytes of code per word of the index */
#define UNWIND_NUMBER_BITS 22 /* of a rule in a row; the bits above are its offset from the address of the index word */

#define UNWIND_FRAMES_MAX 512
/* Bytes of stack for user space to continue a walk. */
#define UNWIND_COPY_BYTES 26624 /* values of one CPU are at most 32 KB */
#define UNWIND_COPY_PIECE 512
#define UNWIND_MORE_BYTES 30720 /* a second piece, of deeper stacks */

enum unwind_rule_kind {
	UNWIND_RULE_NONE,   /* no call frame information: frame pointers */
	UNWIND_RULE_REG,    /* CFA: reg + value */
	UNWIND_RULE_DEREF,  /* CFA: what lies at reg + value, and addend */
	UNWIND_RULE_PLT,    /* CFA: sp + 8, and 8 more from byte `value` of a 16-byte stub on */
	UNWIND_RULE_GO,     /* CFA, on another stack: [[sp + addend] + 8] - [sp + value] + 8 */
	UNWIND_RULE_GO_SYSTEM, /* the same by the thread's g (unwind/table.h) */
	UNWIND_RULE_SIGNAL, /* registers lie where the kernel puts them for a handler: from sp on */
	UNWIND_RULE_END,    /* the outermost frame */
	UNWIND_RULE_USER,   /* only user space can evaluate it */
};

#define UNWIND_WALK_REGS 32 /* general registers and stack pointer: at most these; a power of two */

/* Where the callee-saved registers (arch.dwarf_kept, in its order) and the return address are saved. */
#define UNWIND_KEPT_RA 11
#define UNWIND_KEPTS   12

struct unwind_code_rule {
	__u8 kind, reg;
	__u16 kept;  /* bits by index; without UNWIND_KEPT_RA the return address is in its register */
	__u16 based; /* those of them that are relative to reg, in realigned frames */
	__u16 is_analysed; /* found by analysing instructions: a return address not preceded by a call is left to user space */
	__s32 value;
	__s32 at[UNWIND_KEPTS]; /* from the CFA, or from reg */
	__s32 addend;           /* of UNWIND_RULE_DEREF, UNWIND_RULE_GO and UNWIND_RULE_GO_SYSTEM */
};

/*
 * A file that is mapped as code from an offset on, as the kernel knows it. Another file of the same name differs in one of
 * these; all zero: the vdso.
 */
struct unwind_file_key {
	__u64 inode, pgoff; /* pgoff: in bytes */
	__u64 modified_ns;
	__u32 device, generation;
};

enum unwind_code_kind {
	UNWIND_CODE_TABLE,
	UNWIND_CODE_BARE, /* without a table (JIT) */
	UNWIND_CODE_USER, /* only user space has the table */
};

enum unwind_file_state {
	UNWIND_FILE_REQUESTED, /* waiting for user space */
	UNWIND_FILE_READY,
	UNWIND_FILE_UNSURE, /* is used, but requested again from time to time */
};

/* The table of such a file. */
struct unwind_file_code {
	__u64 requested_ns; /* time of the last request to user space */
	__u64 delta;        /* start of the mapping - delta is subtracted from addresses to get the offset in the table */
	__u32 pages, pages_nr;
	__u32 rows;
	__u8 kind, has_interpreter; /* has_interpreter: an interpreter: processes may have frames of scripts */
	__u16 state;
};

/* A request to user space for the table of a mapped file. */
struct unwind_request {
	struct unwind_file_key key;
	__u64 start, end; /* of the mapping */
	__u32 pid, unused;
};

enum unwind_walk_end {
	UNWIND_WALK_WHOLE,
	UNWIND_WALK_BARE,  /* code without tables that keeps no frame pointer */
	UNWIND_WALK_LOST,  /* memory that cannot be read */
	UNWIND_WALK_LOOP,
	UNWIND_WALK_EXEC,  /* at the call of execve(2): the memory of its callers has been released */
	UNWIND_WALK_LIMIT,
	UNWIND_WALK_COPY,  /* user space continues with a copy of the stack */
};

enum unwind_message { UNWIND_MESSAGE_STACK = 0x5742, UNWIND_MESSAGE_COPY, UNWIND_MESSAGE_MORE, UNWIND_MESSAGE_WAIT };

/*
 * The address of the sample and return addresses follow, innermost first. A record that also has the sample begins at `with`: the 32 bits
 * before it are the length of the RAW field, and both together make room for PERF_CONTEXT_USER.
 */
struct unwind_stack {
	__u32 message; /* UNWIND_MESSAGE_STACK */
	__u16 nr;
	__u8 end, unused[5];
	__u32 with; /* the sample: its period, shifted by 1; 1 where the stack is cut */
};

/* The walk so far: its last frame has these registers. */
struct unwind_copy {
	__u32 message; /* UNWIND_MESSAGE_COPY */
	__u32 bytes;   /* of stack */
	__u64 reg[UNWIND_WALK_REGS];
	__u64 pc;
	__u64 exact;    /* pc is not a return address */
	__u64 is_data;  /* nothing is mapped as code at pc */
	__u64 is_32bit; /* 32-bit code; registers are numbered like the 64-bit ones */
	__u64 wait;	/* the number of its wait (waits_shared.h); 0: it belongs to the next sample */
	struct unwind_stack stack;
	__u64 frames[UNWIND_FRAMES_MAX];
	__u8 memory[UNWIND_COPY_BYTES]; /* from the piece with the stack pointer on */
};

/* Precedes a full copy: the memory after it. */
struct unwind_more {
	__u32 message; /* UNWIND_MESSAGE_MORE */
	__u32 bytes;
	__u8 memory[UNWIND_MORE_BYTES];
};

struct unwind_settings {
	__u32 frames_max;
	__u32 followed_words; /* of bits, 64 to a word; 0: samples of all tasks are kept */
	__u32 followed_by_thread;
	__u32 has_scripts; /* frames of interpreters are read, too */
	__u32 page_bits; /* log2 of the running kernel's page size */
	__u32 wait_frames_max;
	__u32 waits_split;     /* the time after a wakeup is a wait of its own; wakers are recorded */
	__u32 waits_of_locks;  /* only futexes, until the thread runs again; wakers of the first waits at a place are recorded */
	__u64 wait_quantum_ns; /* waiting time of a thread at one place per sample */
	__u8 wait_calls[WAIT_CALLS];
};
