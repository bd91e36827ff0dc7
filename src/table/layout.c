#include "table/layout.h"

#include <stdlib.h>

void layout_destroy(struct layout *l)
{
	if (!l)
		return;
	vec_deinit(&l->events);
	vec_deinit(&l->rows);
	vec_deinit(&l->values);
	arena_deinit(&l->arena);
	free(l);
}
