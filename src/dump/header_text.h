/*
 * The header of a recording as text, as `report --header` prints it: "# hostname : …", line by line as perf.
 *
 * Sections have nothing in common that a table could show. As JSON they are headers_json() of samples_json.h.
 * Text from the recording is made harmless for terminals. One section a feature, in the order of the feature bits.
 */
#pragma once
#include <stdbool.h>

#include "base/out.h"
#include "record/env.h"

/* full: with long sections (topology, caches), as requested by -I; else only a line that the recording has them. */
void header_text_print(struct out *out, const struct env *env, bool full);
