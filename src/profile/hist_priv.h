/* Shared by the files that make up a hist. */
#pragma once
#include "profile/hist.h"

static inline const struct profile_function *frame_function(const struct profile *p, frame_id id)
{
	if (id == PROFILE_NONE || p->frames.data[id].function == PROFILE_NONE)
		return NULL;
	return &p->functions.data[p->frames.data[id].function];
}

static inline const struct profile_mapping *frame_mapping(const struct profile *p, frame_id id)
{
	if (id == PROFILE_NONE || p->frames.data[id].mapping == PROFILE_NONE)
		return NULL;
	return &p->mappings.data[p->frames.data[id].mapping];
}

#define KIND_FILE 0 /* profile_mapping.kind: a file mapped by a process */

/*
 * The address that perf shows for code without a symbol: for files mapped by a process, its offset in the file, if it
 * is in the mapping that the profile has.
 */
static inline uint64_t frame_address(const struct profile *p, const struct profile_frame *f)
{
	if (f->function != PROFILE_NONE || f->mapping == PROFILE_NONE || f->space != SPACE_USER)
		return f->addr;
	const struct profile_mapping *m = &p->mappings.data[f->mapping];
	if (m->kind != KIND_FILE)
		return f->addr;
	return f->ip >= m->start && f->ip < m->end ? f->ip - m->start + m->offset : f->addr;
}
