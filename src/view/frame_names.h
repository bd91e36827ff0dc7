/*
 * Names of frames in folded stacks and flame graphs.
 *
 * A name is interned: (text, module, kind). A frame stands for one name, or for several where a JIT's symbol lists the
 * functions inlined into it ("outer->inner"). Two styles:
 *   folded  as stackcollapse-perf.pl tidies them, so that lines from both can be compared and merged: no ';' or quotes,
 *           nothing after an opening parenthesis, "[module]" for code without a symbol, marks _[k] _[j] _[i] on request.
 *           Module and kind are left empty: equal text is the same name.
 *   full    as the profile has them; module and kind are kept, for colours and details.
 * Belongs to one thread. The profile is borrowed and must outlive it. Texts live until frame_names_deinit().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/idset.h"
#include "base/strbuf.h"
#include "base/strtab.h"
#include "base/vector.h"
#include "profile/profile.h"

struct frame_names_options {
	bool full;
	bool mark_kernel;    /* _[k] */
	bool mark_inlined;   /* _[i] */
	bool mark_jit;       /* _[j] */
	bool with_addresses; /* "[module <address>]" where there is no symbol */
	bool with_pid;       /* "comm-PID" and "comm-PID/TID": of profiles with the label columns pid and tid */
	bool with_tid;
};

enum name_kind { NAME_USER, NAME_KERNEL, NAME_JIT, NAME_INLINED, NAME_WAIT, NAME_WAKER, NAME_PROCESS };

/* The mark of such names in folded stacks: "_[k]", or "". */
const char *name_kind_mark(enum name_kind kind);

struct frame_name {
	str_id text;   /* of frame_names.strings */
	str_id module; /* short: "libc.so.6"; "": none */
	enum name_kind kind;
};

typedef uint32_t name_id;

struct name_span {
	uint32_t first, nr; /* in frame_names.lists, outermost first */
};

struct frame_names {
	const struct profile *profile;
	struct frame_names_options options;
	struct strtab strings;
	VEC(struct frame_name) names;
	VEC(name_id) lists;
	struct idset index;
	struct name_span *memo;  /* by frame * 2 + is_java; nr 0: not made yet */
	name_id *process_memo;   /* by label set: name + 1 */
	struct strbuf scratch, piece;
};

void frame_names_init(struct frame_names *n, const struct profile *p, struct frame_names_options options);
void frame_names_deinit(struct frame_names *n);

/* The names of a frame in a process; Java's type signatures are shortened. Spans stay valid, lists.data may move. */
struct name_span frame_names_make(struct frame_names *n, frame_id frame, bool is_java);
/* The name of the process of a label set, or PROFILE_NONE where the profile does not say. */
name_id frame_names_process(struct frame_names *n, labels_id labels);
bool frame_names_is_java(const struct frame_names *n, name_id process);
/* Adds a name that is not of a frame, such as that of a graph's root. */
name_id frame_names_add(struct frame_names *n, const char *text, enum name_kind kind);

static inline struct name_span frame_names_get(struct frame_names *n, frame_id frame, bool is_java)
{
	struct name_span s = n->memo[(size_t)frame * 2 + is_java];
	return s.nr ? s : frame_names_make(n, frame, is_java);
}

static inline const char *frame_name_text(const struct frame_names *n, name_id id, size_t *ret_bytes)
{
	str_id text = n->names.data[id].text;
	*ret_bytes = strtab_length(&n->strings, text);
	return strtab_get(&n->strings, text);
}
