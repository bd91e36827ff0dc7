/*
 * checker_check_caller(): checker_check() with all callee-saved registers on the stack, and nothing else.
 *
 * A check treats all values on the stack as references. Frames made by a compiler have gaps, which may contain addresses left by
 * earlier calls: so the functions that a program calls jump here, and this frame has no gap.
 */
#include "alloc/checker.h"

#if defined(__x86_64__)
__asm__(".text\n"
	".globl checker_check_caller\n"
	".hidden checker_check_caller\n"
	".type checker_check_caller, @function\n"
	"checker_check_caller:\n"
	".cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"
	"push %rbx\n.cfi_def_cfa_offset 24\n.cfi_offset rbx, -24\n"
	"push %r12\n.cfi_def_cfa_offset 32\n.cfi_offset r12, -32\n"
	"push %r13\n.cfi_def_cfa_offset 40\n.cfi_offset r13, -40\n"
	"push %r14\n.cfi_def_cfa_offset 48\n.cfi_offset r14, -48\n"
	"push %r15\n.cfi_def_cfa_offset 56\n.cfi_offset r15, -56\n"
	"mov %rsp, %rcx\n"
	"sub $8, %rsp\n.cfi_def_cfa_offset 64\n"
	"call checker_check\n"
	"add $8, %rsp\n.cfi_def_cfa_offset 56\n"
	"pop %r15\n.cfi_def_cfa_offset 48\n"
	"pop %r14\n.cfi_def_cfa_offset 40\n"
	"pop %r13\n.cfi_def_cfa_offset 32\n"
	"pop %r12\n.cfi_def_cfa_offset 24\n"
	"pop %rbx\n.cfi_def_cfa_offset 16\n"
	"pop %rbp\n.cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size checker_check_caller, .-checker_check_caller\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl checker_check_caller\n"
	".hidden checker_check_caller\n"
	".type checker_check_caller, %function\n"
	"checker_check_caller:\n"
	".cfi_startproc\n"
	"stp x29, x30, [sp, -96]!\n.cfi_def_cfa_offset 96\n.cfi_offset x29, -96\n.cfi_offset x30, -88\n"
	"stp x19, x20, [sp, 16]\n.cfi_offset x19, -80\n.cfi_offset x20, -72\n"
	"stp x21, x22, [sp, 32]\n.cfi_offset x21, -64\n.cfi_offset x22, -56\n"
	"stp x23, x24, [sp, 48]\n.cfi_offset x23, -48\n.cfi_offset x24, -40\n"
	"stp x25, x26, [sp, 64]\n.cfi_offset x25, -32\n.cfi_offset x26, -24\n"
	"stp x27, x28, [sp, 80]\n.cfi_offset x27, -16\n.cfi_offset x28, -8\n"
	"mov x3, sp\n"
	"bl checker_check\n"
	"ldp x19, x20, [sp, 16]\n"
	"ldp x21, x22, [sp, 32]\n"
	"ldp x23, x24, [sp, 48]\n"
	"ldp x25, x26, [sp, 64]\n"
	"ldp x27, x28, [sp, 80]\n"
	"ldp x29, x30, [sp], 96\n.cfi_def_cfa_offset 0\n"
	"ret\n"
	".cfi_endproc\n"
	".size checker_check_caller, .-checker_check_caller\n");
#else
int checker_check_caller(struct leak_check *c, size_t *ret_objects, size_t *ret_bytes)
{
	__builtin_unwind_init();
	int has_none = checker_check(c, ret_objects, ret_bytes, __builtin_frame_address(0));
	__asm__ volatile("" : : : "memory"); /* not a jump: the frame stays */
	return has_none;
}
#endif
