/* Reads the source files of a listing's places. */
#pragma once
#include "annotate/annotate.h"

/* Reads each file once; one that cannot be read gets a problem. */
void source_text_read(struct listing *l, const struct annotate_options *options);
