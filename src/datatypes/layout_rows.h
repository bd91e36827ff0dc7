/* The members of a type as the rows of a layout (table/layout.h), without costs. */
#pragma once
#include "table/layout.h"
#include "values/type.h"

/* Appends them; strings are in the layout's arena. Types are hostile: members beyond ten thousand or nested too deeply are left out. */
void layout_rows(const struct type *t, struct layout *l);
