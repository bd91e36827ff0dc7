/*
 * What code says to the compiler so that the kernel's verifier follows it.
 *
 * Source: Documentation/bpf/verifier.rst; kernel/bpf/verifier.c of Linux 6.1, which tests/long/programs.py runs.
 */
#pragma once

#define INLINE static inline __attribute__((always_inline))

/* The verifier looks at each of these once, and not again for every caller. */
#define GLOBAL __attribute__((noinline))

/*
 * What the settings may leave out altogether: a function of its own goes at once when the program is loaded. Pieces of dead
 * code in the midst of what stays are cut out one by one, and everything after them is moved each time.
 */
#define APART static __attribute__((noinline))

/*
 * The compiler knows no more of n from here on: a comparison that follows is made, with the register that is used after it.
 * Up to Linux 6.1 the verifier learns nothing of a number when a copy of it, or n - 1, is compared.
 */
#define FORGET(n) asm volatile("" : "+r"(n))

/*
 * A number that is below a power of two, so that the verifier knows it, too, wherever the compiler keeps it: neither what it
 * knows of a register comes with one that was put on the stack before, nor does a 32-bit "or" leave it anything (6.1).
 */
#define BELOW(power, n) ({ __u32 below_ = (n); FORGET(below_); below_ & ((power) - 1); })

#define NR(array) ((int)(sizeof(array) / sizeof(*(array))))
