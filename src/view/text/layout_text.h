/*
 * Layouts of types with the costs of members, and how many types are known, as plain text.
 *
 * Writes to the caller's out and keeps nothing; control bytes in names become \xNN. Source of the format: the output of perf 7.2
 * (annotate --data-type, --type-stat, --insn-stat). Members of structs in arrays are ours.
 */
#pragma once
#include "base/out.h"
#include "table/layout.h"
#include "view/text/listing_text.h"

/* with_events: name them. */
void text_layout(struct out *o, const struct layout *l, enum listing_shown shown, bool with_events);
void text_layout_reasons(struct out *o, const struct layout_stats *s);
void text_layout_mnemonics(struct out *o, const struct layout_stats *s);
