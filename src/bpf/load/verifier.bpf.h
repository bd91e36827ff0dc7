/*
 * Annotations and barriers that make the compiler emit code which the kernel's verifier accepts.
 *
 * Source: Documentation/bpf/verifier.rst; kernel/bpf/verifier.c of Linux 6.1, which tests/long/programs.py runs.
 */
#pragma once

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

#define NR(array) ((int)(sizeof(array) / sizeof(*(array))))
