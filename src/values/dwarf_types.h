/* Types from debug information (DWARF); see values/type.h. One thread at a time. */
#pragma once
#include "values/type.h"

struct dwarf;
struct dwarf_die;
struct dwarf_types;

/* d is borrowed. */
struct dwarf_types *dwarf_types_create(struct dwarf *d);
void dwarf_types_destroy(struct dwarf_types *t);
/* The type of a DIE; NULL = void, or unknown. */
const struct type *dwarf_types_of(struct dwarf_types *t, const struct dwarf_die *die);
