#include "interp/cold.h"

#include <string.h>

#include "base/u64map.h"
#include "unwind/functions.h"

#define JUMPS_MIN 4 /* fewer are bytes that look like jumps by chance */

/* The target of a jump with a 32-bit displacement at the address (x86: jmp, jcc); 0: not a jump. */
static uint64_t target_of(const uint8_t *p, uint64_t vaddr)
{
	int32_t distance;
	bool is_conditional = p[0] == 0x0f && (p[1] & 0xf0) == 0x80;
	if (p[0] != 0xe9 && !is_conditional)
		return 0;
	memcpy(&distance, p + 1 + is_conditional, sizeof(distance));
	return vaddr + 5 + is_conditional + (uint64_t)(int64_t)distance;
}

void interpreter_find_cold(struct object *o, struct interpreter_range loop, struct interpreter_range *ret)
{
	struct unwind_functions functions;
	struct u64map jumps = {};
	size_t n;
	const uint8_t *code = object_bytes_at(o, loop.start, &n);
	if (!code || object_header(o)->arch != &arch_x86_64)
		return;
	uint64_t most = JUMPS_MIN - 1;
	unwind_functions_of(o, NULL, &functions);
	n = n < loop.end - loop.start ? n : (size_t)(loop.end - loop.start);
	for (size_t i = 0; i + 6 <= n; i++) {
		uint64_t to = target_of(code + i, loop.start + i);
		const struct unwind_function *f = to ? unwind_function_at(&functions, to) : NULL;
		if (!f || f->start == to || (to >= loop.start && to < loop.end))
			continue;
		uint64_t *count = u64map_put(&jumps, f->start, NULL);
		if (++*count <= most)
			continue;
		most = *count;
		*ret = (struct interpreter_range){ f->start, f->end };
	}
	u64map_deinit(&jumps);
	vec_deinit(&functions.list);
}
