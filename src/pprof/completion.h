/* Completion at the prompt of pprof: commands and settings, then functions of the profile. */
#pragma once
#include "profile/profile.h"

/*
 * before: the line up to the cursor. Calls add() with each text that may replace its last word; the text is valid during the call.
 * Returns the byte offset of that word.
 */
size_t pprof_complete(const struct profile *p, const char *before, void (*add)(void *ctx, const char *text), void *ctx);
