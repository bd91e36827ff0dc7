/*
 * Shared by libstrobe_alloc.so and strobe: one region of memory per process image, which the library fills and strobe reads.
 *
 * The region is a memfd: it outlives the process however that ends, and is read without the help of the process, also while it runs.
 * All numbers are in the byte order of the machine. Counts of a sampled region are estimates for all allocations: objects have
 * objects_shift fractional bits. A reader must treat every number in it as hostile. The library appends stacks, modules and points:
 * an entry is valid once the count of its table includes it and its `state` is ALLOC_ENTRY_WHOLE.
 */
#pragma once
#include <stdint.h>

#define ALLOC_MAGIC "STRBHEAP"
#define ALLOC_VERSION 2
#define ALLOC_MEMFD_NAME "strobe-heap"
/* The file to load; its version is set in meson.build. */
#define ALLOC_LIBRARY "libstrobe_alloc.so.0"
/* name=value,…: socket (a path), rate (bytes; 1 = every allocation), depth, seed, leaks, mmap. */
#define ALLOC_ENV "STROBE_HEAP"
#define ALLOC_RATE_DEFAULT (512 * 1024)
#define ALLOC_FRAMES_MAX 256

enum { ALLOC_ENTRY_NEW, ALLOC_ENTRY_WHOLE };

/* Allocations of one size class at one stack. */
struct alloc_entry {
	uint64_t hash;
	uint64_t frames; /* index of the first in the region's frames, innermost first */
	uint16_t depth;
	uint8_t size_class; /* of alloc_size_class() */
	uint8_t state;      /* ALLOC_ENTRY_* */
	uint32_t lock;
	uint64_t allocs, alloc_bytes, frees, free_bytes;
	uint64_t short_objects, short_bytes; /* freed within header.short_ns of being allocated */
	uint64_t peak_objects, peak_bytes;   /* in use at the peak if `generation` is the header's; else the current ones are */
	uint64_t generation;
	double alloc_variance, free_variance; /* of the estimates of bytes; 0 if each allocation is counted */
	uint32_t modules; /* number of modules at that time: an address is in the last one of these that fits */
	uint32_t unused[3];
};

#define ALLOC_FRAME_EXACT ((uint64_t)1 << 63) /* flag of a frame: an instruction that a signal interrupted, not a return address */

struct alloc_module {
	uint64_t start, end; /* addresses in the process */
	uint64_t bias;       /* added to the file's own addresses */
	uint64_t text_start, text_bytes, text_offset; /* of the segment with its code: the file's address, size, offset in the file */
	uint32_t unloaded;   /* its addresses may be reused by later modules */
	uint8_t build_id_bytes;
	uint8_t build_id[20];
	char path[439];
};

struct alloc_point {
	uint64_t time_ns; /* since the region began */
	uint64_t bytes;   /* in use */
};
#define ALLOC_POINTS 2048

/* A part of the library's table of blocks: see blocks.h. */
struct alloc_leaf {
	uint64_t first; /* address of its first block */
	uint64_t at;    /* its address in the process */
	uint64_t bytes;
};
#define ALLOC_LEAVES 4096
#define ALLOC_LEAF_SPAN ((uint64_t)1 << 26)
#define ALLOC_GRANULE 16

/* One per ALLOC_GRANULE of addresses of a leaf. */
struct alloc_slot {
	uint32_t entry; /* 1 + its number; 0 = no block begins here */
	uint32_t born_low;
	uint64_t size : 47;
	uint64_t born_high : 16;
	uint64_t is_ignored : 1; /* by the heap checker: never a leak, nor are blocks that it points to */
};

/* The time of allocation: the low ALLOC_BORN_BITS of ticks >> ALLOC_BORN_SHIFT, which wrap after days. */
#define ALLOC_BORN_SHIFT 4
#define ALLOC_BORN_BITS 48
#define ALLOC_BORN_MASK (((uint64_t)1 << ALLOC_BORN_BITS) - 1)

static inline struct alloc_slot alloc_slot_make(uint32_t entry, uint64_t born, uint64_t size)
{
	return (struct alloc_slot){
		.entry = entry + 1, .born_low = (uint32_t)born, .born_high = (uint16_t)(born >> 32), .size = size };
}

/* Its age at `now`, modulo 1 << ALLOC_BORN_BITS. */
static inline uint64_t alloc_slot_age(const struct alloc_slot *s, uint64_t now)
{
	return (now - ((uint64_t)s->born_high << 32 | s->born_low)) & ALLOC_BORN_MASK;
}

/* Whether it was allocated at `since` or later. */
static inline int alloc_slot_is_since(const struct alloc_slot *s, uint64_t since)
{
	uint64_t age = alloc_slot_age(s, since);
	return !age || age >> (ALLOC_BORN_BITS - 1);
}

struct alloc_table {
	uint64_t at;       /* offset in the region */
	uint32_t nr, most; /* nr may exceed most if the table is full */
};

struct alloc_header {
	char magic[8];
	uint32_t version, header_bytes;
	uint64_t bytes;         /* of the region */
	uint64_t address;       /* of the region in the process */
	uint64_t rate;          /* mean distance of samples in bytes; 1: each allocation is counted */
	uint32_t objects_shift; /* fractional bits of counts of objects */
	uint32_t pid;
	uint64_t start_ns;      /* CLOCK_MONOTONIC */
	uint64_t short_ns;
	struct alloc_table entries, frames, modules, points, leaves;
	uint64_t bytes_in_use; /* all stacks together */
	uint64_t peak_bytes, peak_ns;
	uint64_t generation;    /* of the peak: changes with each new peak */
	uint64_t dropped;       /* allocations that could not be counted: out of memory or room */
	uint64_t truncated;     /* stacks that could not be unwound to their end */
	uint64_t interval_ns;   /* between points */
	uint64_t last_ns;       /* of the last point */
	char program[512];      /* path of the executable */
};

/* Sizes in steps of a quarter of a power of two: all sizes below 16 have a class of their own. */
static inline uint8_t alloc_size_class(uint64_t size)
{
	if (size < 16)
		return (uint8_t)size;
	unsigned bits = 63 - (unsigned)__builtin_clzll(size);
	return (uint8_t)(16 + (bits - 4) * 4 + (size >> (bits - 2) & 3));
}
/* The smallest size of a class. */
static inline uint64_t alloc_class_size(uint8_t class)
{
	if (class < 16)
		return class;
	unsigned bits = (class - 16u) / 4 + 4;
	return bits > 63 ? UINT64_MAX : (uint64_t)(4 + (class - 16u) % 4) << (bits - 2);
}
