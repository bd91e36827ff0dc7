#include "profile/profile.h"

#include "profile/transfer_priv.h"

struct profile *profile_filter(const struct profile *p, profile_keep_fn keep, void *ctx)
{
	struct profile *ret = profile_create();
	struct profile_transfer t;
	profile_transfer_init(&t, ret, p);
	profile_transfer_origin(&t);
	profile_transfer_rows(&t, keep, ctx);
	profile_transfer_deinit(&t);
	return ret;
}

struct profile *profile_replace_stacks(const struct profile *p, const stack_id *instead)
{
	struct profile *ret = profile_create();
	struct profile_transfer t;
	profile_transfer_init(&t, ret, p);
	t.instead = instead;
	profile_transfer_origin(&t);
	profile_transfer_rows(&t, NULL, NULL);
	profile_transfer_deinit(&t);
	return ret;
}
