#include "cmd/probes.h"

#include "probe/inline.h"
#include "probe/installed.h"
#include "sys/sys.h"

struct strobe_error *cmd_resolve_probes(struct cmd_context *ctx, struct event_list *events)
{
	struct probe_files files = {};
	probe_warn_replaced_events(sys_live(), events);
	if (!probe_inline_is_any(events))
		return NULL;
	TRY(cmd_buildid_dir(ctx, &files.buildid_dir));
	files.servers = session_servers(cmd_host(ctx));
	return probe_inline_resolve(events, sys_live(), &files);
}
