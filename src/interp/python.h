/*
 * Offsets of CPython's frames in the structures of each version, for reading another process's memory.
 *
 * 3.8 to 3.12 are a table, made with their headers; from 3.13 on the interpreter describes itself (_Py_DebugOffsets, at the start of
 * _PyRuntime). Files are hostile: offsets are limited to the sizes of readers' buffers. Sources: Include/internal/pycore_frame.h,
 * pycore_runtime.h, pycore_debug_offsets.h; Objects/locations.md, Objects/lnotab_notes.txt.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

#define PYTHON_FRAME_BYTES 128 /* bytes of a frame that are read; its fields are within */
#define PYTHON_OFFSET_MAX  (1u << 20)

enum python_entries {
	PYTHON_ENTRY_ALL,   /* each frame has its own call of the evaluation loop: up to 3.10 */
	PYTHON_ENTRY_FLAG,  /* a flag in the first frame of each call of the loop: 3.11 */
	PYTHON_ENTRY_SHIM,  /* a frame without code after the first frame of each call: 3.12 and later */
};

struct python_layout {
	uint8_t minor; /* of 3.x */
	uint8_t entries;
	uint32_t interpreters;                /* in _PyRuntime: the first interpreter */
	uint32_t next_interpreter, threads;   /* in an interpreter: the next one, its first thread */
	uint32_t next_thread, thread_id, frame;
	int32_t cframe;                       /* offset in the structure that thread.frame points to; -1: thread.frame is the frame */
	uint32_t previous, code, instruction, entry; /* in a frame; entry: the flag, or the owner */
	uint32_t file_name, name, lines, first_line; /* in a code object; name is the qualified one, if available */
	uint32_t bytecode;                    /* offset of the instructions; 0: frames have an index */
	uint32_t text, text_compact;          /* offset of text in a str, for ASCII and for other text */
};

/* The encoding of a code object's lines. */
enum python_lines {
	PYTHON_LINES_LNOTAB,    /* up to 3.9 */
	PYTHON_LINES_LINETABLE, /* 3.10 */
	PYTHON_LINES_LOCATIONS, /* 3.11 and later */
};

/* For the interpreter in an object, by the vaddr of _PyRuntime; minor: if known. False if its layout is unknown. */
bool python_find(const struct object *o, uint64_t runtime, unsigned minor, struct python_layout *ret);
/* "libpython3.10.so.1.0": 10; 0: none. */
unsigned python_minor_of_name(const char *name);

enum python_lines python_lines_of(unsigned minor);
/* The line of the instruction at an offset in bytes; first_line if nothing else is known. */
uint32_t python_line(enum python_lines kind, const void *lines, size_t n, uint32_t first_line, uint32_t offset);

/*
 * Writes the text of a str object to ret in UTF-8, at most cap - 1 bytes and a NUL. The object's bytes from its start on may be
 * incomplete; false if damaged.
 */
bool python_text(const struct python_layout *l, const void *object, size_t n, char *ret, size_t cap);
/* A hash of the text alone: the object's head has counts, addresses and a hash of its own, which differ among processes. 0: damaged. */
uint64_t python_text_hash(const struct python_layout *l, const void *object, size_t n);
