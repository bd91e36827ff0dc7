/*
 * Annotations and barriers that make the compiler emit code which the kernel's verifier accepts.
 *
 * Source: Documentation/bpf/verifier.rst; kernel/bpf/verifier.c of Linux 6.1, which tests/long/programs.py runs.
 */
#pragma once
#include <linux/types.h>

#define INLINE static inline __attribute__((always_inline))

/* The verifier checks a global function once, and not again for each caller. */
#define GLOBAL __attribute__((noinline))

/*
 * For code that settings may disable: a dead function is dropped at once when the program is loaded, while dead code inside a
 * function is cut out piece by piece, and all code after it is moved each time.
 */
#define APART static __attribute__((noinline))

/*
 * Hides the value of n from the compiler, so that a comparison after it is not optimised away and uses the same register as the
 * code after the comparison. Up to Linux 6.1 the verifier does not learn the range of n when a copy of n, or n - 1, is compared.
 */
#define FORGET(n) asm volatile("" : "+r"(n))

/*
 * Bounds a number by a power of two in a way that the verifier sees wherever the compiler keeps the number: it loses the range of
 * a register that was spilled to the stack before, and after a 32-bit "or" (6.1).
 */
#define BELOW(power, n) ({ __u32 below_ = (n); FORGET(below_); below_ & ((power) - 1); })

/*
 * For code that would have many branches, of which the verifier follows both sides, each with a copy of its state. 1 if a < b, else 0,
 * of numbers that are less than 2^63 apart.
 */
INLINE __u64 is_less(__u64 a, __u64 b)
{
	__u64 difference = a - b;
	FORGET(difference);
	return difference >> 63;
}

/* All bits if the lowest one is set, else none: to choose by & in place of a branch. */
INLINE __u64 all_bits(__u64 lowest)
{
	__u64 mask = -(lowest & 1);
	FORGET(mask);
	return mask;
}

#define NR(array) ((int)(sizeof(array) / sizeof(*(array))))
