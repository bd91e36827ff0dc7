/*
 * Where CPython keeps its frames: offsets in the structures of each version, for whoever reads another process's memory.
 *
 * 3.8 to 3.12 are a table, made with their headers; from 3.13 on the interpreter describes itself (_Py_DebugOffsets, at the start of
 * _PyRuntime). What a file says is hostile: offsets are limited to what a reader has room for. Sources: Include/internal/pycore_frame.h,
 * pycore_runtime.h, pycore_debug_offsets.h; Objects/locations.md, Objects/lnotab_notes.txt.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/object.h"

#define PYTHON_FRAME_BYTES 128 /* of a frame are read; its fields are within */
#define PYTHON_OFFSET_MAX  (1u << 20)

enum python_entries {
	PYTHON_ENTRY_ALL,   /* each frame has a call of the evaluation loop of its own: up to 3.10 */
	PYTHON_ENTRY_FLAG,  /* the frame that a call of the loop began with has a flag: 3.11 */
	PYTHON_ENTRY_SHIM,  /* a frame without code comes after it: from 3.12 on */
};

struct python_layout {
	uint8_t minor; /* of 3.x */
	uint8_t entries;
	uint32_t interpreters;                /* in _PyRuntime: the first interpreter */
	uint32_t next_interpreter, threads;   /* in an interpreter: the next one, its first thread */
	uint32_t next_thread, thread_id, frame;
	int32_t cframe;                       /* thread.frame is a pointer to a structure that has the frame there; -1: it is the frame */
	uint32_t previous, code, instruction, entry; /* in a frame; entry: the flag, or who owns it */
	uint32_t file_name, name, lines, first_line; /* in a code object; of name the qualified one, where there is one */
	uint32_t bytecode;                    /* where instructions begin; 0: frames have an index */
	uint32_t text, text_compact;          /* where ASCII text begins in a str, and other text */
};

/* How the lines of a code object are written. */
enum python_lines {
	PYTHON_LINES_LNOTAB,    /* up to 3.9 */
	PYTHON_LINES_LINETABLE, /* 3.10 */
	PYTHON_LINES_LOCATIONS, /* from 3.11 on */
};

/* Of the interpreter in an object, by the vaddr of _PyRuntime; minor: as far as it is known. False where its layout is not. */
bool python_find(const struct object *o, uint64_t runtime, unsigned minor, struct python_layout *ret);
/* "libpython3.10.so.1.0": 10; 0: none. */
unsigned python_minor_of_name(const char *name);

enum python_lines python_lines_of(unsigned minor);
/* The line of the instruction at an offset in bytes; first_line where that is all that is known. */
uint32_t python_line(enum python_lines kind, const void *lines, size_t n, uint32_t first_line, uint32_t offset);

/*
 * The text of a str object: its bytes from the object's start on, as far as they were read. Written to ret in UTF-8, at most cap - 1
 * bytes and a NUL; false where it is damaged.
 */
bool python_text(const struct python_layout *l, const void *object, size_t n, char *ret, size_t cap);
