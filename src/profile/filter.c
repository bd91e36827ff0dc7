#include "profile/profile.h"

#include <stdlib.h>

#include "base/mem.h"
#include "profile/transfer_priv.h"

struct profile *profile_filter(const struct profile *p, bool (*keep)(void *ctx, const struct profile *p, const struct profile_row *row),
			       void *ctx)
{
	struct profile *ret = profile_create();
	struct profile_transfer t;
	profile_transfer_init(&t, ret, p);
	profile_transfer_origin(&t);
	/* Every event stays, with its number, even where none of its rows does. */
	for (uint32_t i = 0; i < p->events.len; i++)
		profile_transfer_event(&t, i);
	uint32_t *rows = p->log.len ? xcalloc(p->rows.len, sizeof(*rows)) : NULL;
	for (uint32_t i = 0; i < p->rows.len; i++) {
		if (!keep(ctx, p, &p->rows.data[i]))
			continue;
		uint32_t row = profile_transfer_row(&t, i);
		if (rows)
			rows[i] = row + 1;
	}
	for (size_t i = 0; i < p->log.len; i++) {
		struct profile_log_entry e = p->log.data[i];
		if (!rows[e.row])
			continue;
		e.row = rows[e.row] - 1;
		vec_push(&ret->log, e);
	}
	ret->log_dropped = p->log_dropped;
	free(rows);
	profile_transfer_deinit(&t);
	return ret;
}
