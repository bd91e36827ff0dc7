/* Frames of PHP: execute_data of functions of scripts and of functions written in C. */
#pragma once
#include "bpf/unwind/script.bpf.h"

/* struct _zend_execute_data */
#define PHP_FRAME_BYTES	 56
#define PHP_INSTRUCTION	 0
#define PHP_FUNCTION	 24
#define PHP_CALL_INFO	 40
#define PHP_PREVIOUS	 48
#define PHP_CALL_TOP	 (1U << 17)
/* zend_function, zend_op_array, zend_op */
#define PHP_USER	 2 /* its type; that of code for eval() is 4 */
#define PHP_EVAL	 4
#define PHP_NAME	 8
#define PHP_SCOPE	 16
#define PHP_OPCODE_BYTES 32
#define PHP_OPCODE_LINE	 24
#define PHP_CLASS_NAME	 8
/* zend_string */
#define PHP_LENGTH	 16
#define PHP_TEXT	 24

struct php_opcodes {
	__u64 nr, at;
};

struct php_place {
	__u64 file;
	__u32 line, last_line;
};

INLINE __u32 php_text_bytes(__u64 text)
{
	return text ? bounded(read_word_at(text + PHP_LENGTH)) : 0;
}

/* File-level code has no name. */
APART int fill_php_code(struct script_walk *s, struct script_code_message *m, const struct script_fresh *fresh)
{
	__u64 name = read_word_at(fresh->with + PHP_NAME), scope = read_word_at(fresh->with + PHP_SCOPE), file = 0, class = 0;
	m->form = fresh->code == fresh->with;
	if (!m->form)
		file = read_word_at(fresh->with + s->process.php.file);
	if (scope)
		class = read_word_at(scope + PHP_CLASS_NAME);
	m->name_bytes = COPY_PART(m->name, SCRIPT_NAME_BYTES, php_text_bytes(name), name + PHP_TEXT);
	m->file_bytes = COPY_PART(m->file, SCRIPT_FILE_BYTES, php_text_bytes(file), file + PHP_TEXT);
	m->rest_bytes = COPY_PART(m->rest, SCRIPT_NAME_BYTES, php_text_bytes(class), class + PHP_TEXT);
	m->first_line = fresh->line;
	return (!name || m->name_bytes) && (m->form ? name != 0 : m->file_bytes);
}

INLINE _Bool is_php_opcode(const struct php_opcodes *o, __u64 at)
{
	return at - o->at < o->nr * PHP_OPCODE_BYTES && !((at - o->at) % PHP_OPCODE_BYTES);
}

/* Copies of a function, such as closures, share its opcodes, which identify it. */
INLINE void add_php_function(struct script_walk *s, __u64 function, _Bool is_entry)
{
	struct script_fresh of = { .with = function };
	struct php_opcodes opcodes = {};
	struct php_place place = {};
	__u64 at = frame_word(s, PHP_INSTRUCTION);
	__u32 line;
	opcodes.nr = read_half_at(function + s->process.php.opcodes_nr);
	opcodes.at = read_word_at(function + s->process.php.opcodes);
	bpf_probe_read_user(&place, sizeof(place), (void *)(function + s->process.php.file));
	/* The evaluation loop keeps the opcode pointer in a register, and stores it in the frame only before calls. */
	if (!s->stack.nr && is_php_opcode(&opcodes, s->instruction))
		at = s->instruction;
	line = is_php_opcode(&opcodes, at) ? read_half_at(at + PHP_OPCODE_LINE) : place.line;
	of.code = opcodes.at;
	of.stamp = (__u32)(place.file >> 4) ^ place.line;
	of.line = place.line;
	add_frame(s, &of, line, is_entry);
}

INLINE void add_php_native(struct script_walk *s, __u64 function)
{
	struct script_fresh of = { .code = function, .with = function };
	of.stamp = (__u32)(read_word_at(function + PHP_NAME) >> 4);
	if (of.stamp)
		add_frame(s, &of, 0, 0);
}

static long php_step(__u32 i, void *unused)
{
	struct script_walk *s = this_script_walk();
	__u64 function;
	__u8 type = 0;
	if (!s || !s->at || bpf_probe_read_user(s->frame, PHP_FRAME_BYTES, (void *)s->at))
		return 1;
	s->at = frame_word(s, PHP_PREVIOUS);
	function = frame_word(s, PHP_FUNCTION);
	if (!function || bpf_probe_read_user(&type, sizeof(type), (void *)function))
		return 0; /* the frame between a generator and its caller has no function */
	if (type == PHP_USER || type == PHP_EVAL)
		add_php_function(s, function, frame_word(s, PHP_CALL_INFO) & PHP_CALL_TOP);
	else
		add_php_native(s, function);
	return s->stack.nr >= SCRIPT_FRAMES_MAX;
}

APART int walk_php(struct script_walk *s)
{
	s->at = read_word_at(s->process.start);
	bpf_loop(SCRIPT_FRAMES_MAX * 2, php_step, 0, 0);
	return 0;
}
