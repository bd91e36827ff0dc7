#include "session/symbols.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "object/sysroot.h"

/* An unreadable file or directory in an option is an error: otherwise names would silently come from elsewhere. */
static struct strobe_error *check_readable(const char *option, const char *path)
{
	if (!path || !access(path, R_OK))
		return NULL;
	return error_errno(errno, "%s: cannot read %s", option, path);
}

struct strobe_error *session_symbols(const struct session_host *host, const struct env *env, bool force, struct symbols_options *ret,
				     struct foreign_files **ret_foreign)
{
	TRY(check_readable("--vmlinux", ret->vmlinux));
	TRY(check_readable("--kallsyms", ret->kallsyms));
	_cleanup_free_ char *root = ret->symfs ? sysroot_directory(ret->symfs) : NULL;
	TRY(check_readable("--symfs", root));
	TRY(session_buildid_dir(host, &ret->buildid_dir));
	*ret_foreign = foreign_files_create(env, NULL);
	foreign_files_serve(*ret_foreign, ret);
	ret->trust_all = force;
	ret->debuginfod = session_servers(host);
	return NULL;
}
