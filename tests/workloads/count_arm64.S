/*
 * A program whose instructions are known to the last one: count_arm64 [FORKS] makes so many processes (one digit; none
 * without), waits for them, and each of them and itself go LOOPS times around a loop of two instructions. Without libc.
 */
#ifndef LOOPS
#define LOOPS 1000000
#endif

	.globl	_start
_start:
	mov	x19, #0
	ldr	x0, [sp]		/* argc */
	cmp	x0, #2
	b.lo	work
	ldr	x0, [sp, #16]		/* argv[1] */
	ldrb	w19, [x0]
	sub	x19, x19, #'0'
	mov	x20, x19
fork:
	cbz	x20, work
	mov	x0, #17			/* SIGCHLD */
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		/* clone */
	svc	#0
	cbz	x0, child
	sub	x20, x20, #1
	b	fork
child:
	mov	x19, #0
work:
	ldr	x1, =LOOPS
loop:
	subs	x1, x1, #1
	b.ne	loop
wait:
	cbz	x19, done
	mov	x0, #-1
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x8, #260		/* wait4 */
	svc	#0
	sub	x19, x19, #1
	b	wait
done:
	mov	x0, #0
	mov	x8, #93			/* exit */
	svc	#0
