/*
 * The part of the evaluation loop that the compiler moved away, where no symbol says which it is: the one function in whose midst
 * jumps of the loop end. Such jumps go to the beginning of a function otherwise.
 */
#include <string.h>

#include "base/u64map.h"
#include "interp/python.h"
#include "unwind/functions.h"

#define JUMPS_MIN 4 /* bytes that look like a jump by chance are fewer */

/* Where a jump with a distance of 32 bits at the address leads (x86: jmp, jcc); 0: it is none. */
static uint64_t target_of(const uint8_t *p, uint64_t vaddr)
{
	int32_t distance;
	bool is_conditional = p[0] == 0x0f && (p[1] & 0xf0) == 0x80;
	if (p[0] != 0xe9 && !is_conditional)
		return 0;
	memcpy(&distance, p + 1 + is_conditional, sizeof(distance));
	return vaddr + 5 + is_conditional + (uint64_t)(int64_t)distance;
}

void python_find_cold(struct object *o, struct python *p)
{
	struct unwind_functions functions;
	struct u64map jumps = {};
	size_t n;
	const uint8_t *code = object_bytes_at(o, p->loop, &n);
	if (p->cold || !code || object_header(o)->arch != &arch_x86_64)
		return;
	uint64_t most = JUMPS_MIN - 1;
	unwind_functions_of(o, NULL, &functions);
	n = n < p->loop_end - p->loop ? n : (size_t)(p->loop_end - p->loop);
	for (size_t i = 0; i + 6 <= n; i++) {
		uint64_t to = target_of(code + i, p->loop + i);
		const struct unwind_function *f = to ? unwind_function_at(&functions, to) : NULL;
		if (!f || f->start == to || (to >= p->loop && to < p->loop_end))
			continue;
		uint64_t *count = u64map_put(&jumps, f->start, NULL);
		if (++*count <= most)
			continue;
		most = *count;
		p->cold = f->start;
		p->cold_end = f->end;
	}
	u64map_deinit(&jumps);
	vec_deinit(&functions.list);
}
