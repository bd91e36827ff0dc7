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

/* The bits of a data source (union perf_mem_data_src) that a memory key compares. */
uint64_t column_data_source(enum column_id id, uint64_t data_src);
