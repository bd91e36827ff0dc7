/*
 * LuaJIT of 64-bit references (LJ_GC64), which x86-64 has by default since 2022: its virtual machine is one function in assembly, found
 * by the instructions that enter compiled code. Of a machine with references of 32 bits no frame is found.
 */
#include <string.h>

#include "base/mem.h"
#include "interp/interpreter.h"
#include "unwind/functions.h"

void luajit_find(struct object *o, struct interpreter *ret)
{
	/* sub rsp, 16; mov [rsp+16], r12; mov [rsp+8], r13 (vm_x64.dasc, BC_JLOOP) */
	static const uint8_t enters[] = { 0x48, 0x83, 0xec, 0x10, 0x4c, 0x89, 0x64, 0x24, 0x10, 0x4c, 0x89, 0x6c, 0x24, 0x08 };
	size_t n;
	const struct object_section *s = object_header(o)->arch == &arch_x86_64 ? object_find_section(o, ".text") : NULL;
	const uint8_t *p = s ? object_section_raw(o, s, &n) : NULL;
	const uint8_t *at = p ? memmem(p, n, enters, sizeof(enters)) : NULL;
	struct unwind_functions functions;
	if (!at)
		return;
	unwind_functions_of(o, NULL, &functions);
	const struct unwind_function *f = unwind_function_at(&functions, s->addr + (uint64_t)(at - p));
	if (f) {
		ret->loop[0] = (struct interpreter_range){ f->start, f->end };
		ret->start = f->start;
		ret->is_known = true;
	}
	vec_deinit(&functions.list);
}
