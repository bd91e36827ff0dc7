#include "profile/rewrite.h"

#include "profile/transfer_priv.h"

struct profile *profile_rewrite(const struct profile *p, const struct profile_rewrite *how)
{
	struct profile *ret = profile_create();
	struct profile_transfer t;
	profile_transfer_init(&t, ret, p);
	t.rewrite = how;
	profile_transfer_origin(&t);
	for (mapping_id i = 0; i < p->mappings.len; i++)
		profile_transfer_mapping(&t, i);
	profile_transfer_rows(&t, NULL, NULL);
	profile_transfer_deinit(&t);
	return ret;
}
