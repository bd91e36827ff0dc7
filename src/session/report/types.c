#include "session/report/types.h"

#include "datatypes/labels.h"
#include "session/report/foreign.h"

static struct dso *dso_of(void *ctx, mapping_id mapping)
{
	struct report_session *r = ctx;
	struct machine *machine = resolver_machine(r->session.resolver);
	uint32_t order = r->session.profile->mappings.data[mapping].order;
	if (order >= machine_files_count(machine))
		return NULL;
	return symbols_dso(resolver_symbols(r->session.resolver), machine_file_at(machine, order));
}

void report_add_types(struct report_session *r)
{
	struct datatypes *types;
	datatype_columns(r->session.profile);
	if (report_is_foreign(r))
		return;
	struct strobe_error *err = datatypes_create(arch_or_native(r->session.env->arch), &types);
	if (err) {
		session_say(r->session.host, "types of data are not known: %s", err->message);
		error_destroy(err);
		return;
	}
	datatype_labels(types, r->session.profile, dso_of, r);
	datatypes_destroy(types);
}

struct strobe_error *report_name_types(struct report_session *r, mapping_id mapping, struct listing *l)
{
	struct datatypes *types;
	struct dso *dso = report_is_foreign(r) ? NULL : dso_of(r, mapping);
	if (!dso)
		return error_create(ERROR_UNSUPPORTED, "types of data are shown for recordings only");
	TRY(datatypes_create(arch_or_native(r->session.env->arch), &types));
	datatype_listing(types, dso, l);
	datatypes_destroy(types);
	return NULL;
}
