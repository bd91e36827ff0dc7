/* The inside of struct tracepoints, for the parser of formats and the evaluator. */
#pragma once
#include "base/arena.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "decode/tracepoint.h"

struct tracepoints {
	struct arena arena;
	bool swapped;
	unsigned long_bytes;
	uint32_t page_bytes;       /* 0: unknown */
	VEC(struct tracepoint *) list;
	struct u64map by_id;       /* id → index in list */
	struct u64map printk;      /* address of a string of the kernel → const char * */
};

static inline uint64_t raw_load(const struct tracepoints *t, const uint8_t *p, unsigned bytes, bool is_signed)
{
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	switch (bytes) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&u16, p, 2);
		u16 = t->swapped ? __builtin_bswap16(u16) : u16;
		return is_signed ? (uint64_t)(int16_t)u16 : u16;
	case 4:
		memcpy(&u32, p, 4);
		u32 = t->swapped ? __builtin_bswap32(u32) : u32;
		return is_signed ? (uint64_t)(int32_t)u32 : u32;
	case 8:
		memcpy(&u64, p, 8);
		return t->swapped ? __builtin_bswap64(u64) : u64;
	default:
		return 0;
	}
}
