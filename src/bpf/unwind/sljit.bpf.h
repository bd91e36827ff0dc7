/*
 * Frames of regular expressions that PCRE2 has compiled (PHP, git, nginx, grep -P, GLib …), for which nobody keeps a table or a frame
 * pointer: a function begins with a prologue that is always the same but for the size of its frame. Between prologue and epilogue the
 * stack pointer moves by calls within the function alone, which keep their return address elsewhere.
 *
 * Sources: PCRE2 10.42 to 10.47, pcre2_jit_compile.c; sljitNativeX86_64.c (sljit_emit_enter), sljitNativeX86_common.c
 * (emit_endbranch: prologues begin at multiples of 4).
 */
#pragma once
#include "bpf/load/verifier.bpf.h"

#include <bpf/bpf_helpers.h>

#define SLJIT_PIECE  16  /* bytes of code, searched at once */
#define SLJIT_PIECES 2048 /* from the address back: 32 KB, much more than a usual expression has */
/* push rbx; push r15; push r14; push r13; push rbp */
#define SLJIT_PUSHES_LOW   0x41574153U
#define SLJIT_PUSHES_HIGH  0x55554156U
#define SLJIT_PUSHES	   5
#define SLJIT_PUSHES_BYTES 8
/* then: mov rbx, rdi; sub rsp, of one byte or of four */
#define SLJIT_SUB	     11
#define SLJIT_SUB_BYTE	     0xec8348U
#define SLJIT_SUB_WORD	     0xec8148U
#define SLJIT_SUB_BYTE_BYTES 4
#define SLJIT_SUB_WORD_BYTES 7
#define SLJIT_FRAME_MAX	     (1U << 20)

struct sljit_search {
	__u64 pc, start; /* start: of the function; 0: not found */
};

static long sljit_search_piece(__u32 i, struct sljit_search *s)
{
	__u64 from = (s->pc & ~(SLJIT_PIECE - 1ULL)) - (__u64)i * SLJIT_PIECE, start = 0;
	__u32 words[SLJIT_PIECE / 4 + 1];
	if (bpf_probe_read_user(words, sizeof(words), (void *)from))
		return 1;
#pragma unroll
	for (int j = 0; j < SLJIT_PIECE / 4; j++) {
		__u64 differs = (words[j] ^ SLJIT_PUSHES_LOW) | (words[j + 1] ^ SLJIT_PUSHES_HIGH);
		start += (from + 4 * j - start) & all_bits(is_less(differs, 1) & is_less(from + 4 * j, s->pc + 1));
	}
	s->start = start;
	return start != 0;
}

/* Where the function at pc begins; 0: it is not one of PCRE2's. */
GLOBAL __u64 sljit_start_of(__u64 pc)
{
	struct sljit_search s = { .pc = pc };
	bpf_loop(SLJIT_PIECES, sljit_search_piece, &s, 0);
	return s.start;
}

INLINE __u64 sljit_code_at(__u64 at)
{
	__u64 code = 0;
	bpf_probe_read_user(&code, sizeof(code), (void *)at);
	return code;
}

/* How many registers are popped at pc before the function returns (pop rbp, r13, r14, r15, rbx; ret), from 1 on; 0: it goes on. */
INLINE __u64 sljit_pops_at(__u64 pc)
{
	__u64 code = sljit_code_at(pc), low = code & 0xffffffff, high = code >> 32;
	return 1 * is_less((code & 0xff) ^ 0xc3, 1) + 2 * is_less((code & 0xffff) ^ 0xc35b, 1) + 3 * is_less(low ^ 0xc35b5f41, 1) +
	       4 * is_less((low ^ 0x5f415e41) | ((high & 0xffff) ^ 0xc35b), 1) + 5 * is_less((low ^ 0x5e415d41) | (high ^ 0xc35b5f41), 1) +
	       6 * is_less((low ^ 0x415d415d) | (high ^ 0x5b5f415e), 1);
}

/* The number of bytes on the stack at pc, below the return address of the function that begins at `start`. ~0: it is not a function. */
INLINE __u64 sljit_bytes_at(__u64 start, __u64 pc)
{
	__u64 code = sljit_code_at(start + SLJIT_SUB), offset = pc - start;
	__u64 is_byte = is_less((code & 0xffffff) ^ SLJIT_SUB_BYTE, 1), is_word = is_less((code & 0xffffff) ^ SLJIT_SUB_WORD, 1);
	__u64 bytes = code >> 24 & (is_byte ? 0xff : 0xffffffff);
	__u64 body = SLJIT_SUB + (is_byte ? SLJIT_SUB_BYTE_BYTES : SLJIT_SUB_WORD_BYTES);
	__u64 pushed = is_less(0, offset) + is_less(2, offset) + is_less(4, offset) + is_less(6, offset) + is_less(7, offset);
	if (!(is_byte | is_word) || bytes > SLJIT_FRAME_MAX)
		return ~0ULL;
	return 8 * pushed + (bytes & all_bits(~is_less(offset, body)));
}
