/*
 * Shared by the BPF program that walks stacks (unwind.bpf.c) and user space: compiled call frame information,
 * which file has which, and what a walk gives. Private to them.
 *
 * Tables are in one long array of 32-bit words, cut into chunks, each a map of its own: word i is word
 * i % UNWIND_CHUNK_WORDS of chunk i / UNWIND_CHUNK_WORDS. A table is the numbers of its rules, the last first (what rule r
 * of the table is in the map of rules: word pages - 1 - r), its index of pages and its rows, both as unwind/table.h has them:
 * user space walks along the same ones. Rules are shared by all tables. Registers are DWARF numbers of the machine's
 * architecture (arch/arch.h).
 */
#pragma once
#include <linux/types.h>

#include "bpf/unwind/waits_shared.h"

#define UNWIND_CHUNK_BITS  19
#define UNWIND_CHUNK_WORDS (1U << UNWIND_CHUNK_BITS)
#define UNWIND_CHUNKS      128
#define UNWIND_RULES       65536
#define UNWIND_RULES_FIRST 16384 /* in a map that is there from the beginning */
#define UNWIND_FILES       8192
#define UNWIND_CODE_BITS   10 /* of code under one word of the index */
#define UNWIND_NUMBER_BITS 22 /* of a rule in a row; above them is where it begins under its word of the index */

#define UNWIND_FRAMES_MAX 512
/* Of stack, for user space to go on where the tables here do not lead on. */
#define UNWIND_COPY_BYTES 26624 /* values of one CPU are at most 32 KB */
#define UNWIND_COPY_PIECE 512
#define UNWIND_MORE_BYTES 30720 /* which deeper stacks have besides */

enum unwind_rule_kind {
	UNWIND_RULE_NONE,   /* no call frame information: frame pointers */
	UNWIND_RULE_REG,    /* CFA: reg + value */
	UNWIND_RULE_DEREF,  /* CFA: what lies at reg + value, and addend */
	UNWIND_RULE_PLT,    /* CFA: sp + 8, and 8 more from byte `value` of a 16-byte stub on */
	UNWIND_RULE_SIGNAL, /* registers lie where the kernel puts them for a handler: from sp on */
	UNWIND_RULE_END,    /* the outermost frame */
	UNWIND_RULE_USER,   /* only user space can find it */
};

#define UNWIND_WALK_REGS 32 /* general registers and stack pointer: at most these; a power of two */

/* Where the registers lie that functions keep for their callers (arch.dwarf_kept, in its order), and the return address. */
#define UNWIND_KEPT_RA 11
#define UNWIND_KEPTS   12

struct unwind_code_rule {
	__u8 kind, reg;
	__u16 kept;  /* bit by number of what is kept; without UNWIND_KEPT_RA the return address is in its register */
	__u16 based; /* those of them that lie from reg on, in realigned frames */
	__u16 is_analysed; /* by its instructions: a return address that no call precedes is left to user space */
	__s32 value;
	__s32 at[UNWIND_KEPTS]; /* from the CFA, or from reg */
	__s32 addend;           /* of UNWIND_RULE_DEREF */
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
	UNWIND_FILE_REQUESTED, /* of user space, which has not answered yet */
	UNWIND_FILE_READY,
	UNWIND_FILE_UNSURE, /* is used, and requested anew now and then */
};

/* The table of such a file. */
struct unwind_file_code {
	__u64 requested_ns; /* when it was last requested of user space */
	__u64 delta;        /* where the mapping begins - delta: what is subtracted from addresses, for the offset in the table */
	__u32 pages, pages_nr;
	__u32 rows;
	__u8 kind, has_interpreter; /* has_interpreter: of scripts, so that processes may have their frames */
	__u16 state;
};

/* A request to user space: which file a process has mapped there. */
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
	UNWIND_WALK_LIMIT,
	UNWIND_WALK_COPY,  /* user space goes on with a copy of the stack */
};

enum unwind_message { UNWIND_MESSAGE_STACK = 0x5742, UNWIND_MESSAGE_COPY, UNWIND_MESSAGE_MORE, UNWIND_MESSAGE_WAIT };

/* Return addresses (and first the sample's own), innermost first; they follow. */
struct unwind_stack {
	__u32 message; /* UNWIND_MESSAGE_STACK */
	__u16 nr;
	__u8 end, unused;
	__u64 period; /* of the sample, where the stack came with it */
};

/* The other message; its last frame is where the walk is, with these registers. */
struct unwind_copy {
	__u32 message; /* UNWIND_MESSAGE_COPY */
	__u32 bytes;   /* of stack */
	__u64 reg[UNWIND_WALK_REGS];
	__u64 pc;
	__u64 exact;    /* pc is not a return address */
	__u64 is_data;  /* nothing is mapped as code at pc */
	__u64 is_32bit; /* code of the machine's 32-bit sibling; registers are numbered as those of 64 bits are */
	__u64 wait;	/* the number of the wait that it belongs to (waits_shared.h); 0: of the sample that follows */
	struct unwind_stack stack;
	__u64 frames[UNWIND_FRAMES_MAX];
	__u8 memory[UNWIND_COPY_BYTES]; /* from the piece on that the stack pointer is in */
};

/* Comes before a copy that is full: what lies after it. */
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
	__u32 page_bits; /* of the running kernel's pages */
	__u32 wait_frames_max;
	__u32 waits_split;     /* the time from a wakeup on is a wait of its own; and wakers are noted */
	__u32 waits_of_locks;  /* for futexes alone, up to where the thread runs again; wakers of the first at a place are noted */
	__u64 wait_quantum_ns; /* as much waiting of a thread at one place makes a sample */
	__u8 wait_calls[WAIT_CALLS];
};
