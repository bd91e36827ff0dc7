/* Checks of sources of names and code: kernel symbols, debug information, disassemblers, the build ID cache. */
#include <config.h> /* of the build */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "disasm/disasm.h"
#include "doctor/priv.h"
#include "object/object.h"
#include "sys/limits.h"

/* Whether any address at the beginning of the list is not 0: per-CPU variables have low addresses, hidden addresses are all 0. */
static bool shows_addresses(const char *text)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strspn(text, "0") < strcspn(text, " \n"))
			return true;
	return false;
}

static struct finding kernel_symbols(struct doctor *d)
{
	char text[65536];
	_cleanup_close_ int fd = sys_open(d->sys, "/proc/kallsyms", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return (struct finding){ FINDING_MISSING, "no /proc/kallsyms", "names of kernel functions",
					 "a kernel with CONFIG_KALLSYMS" };
	text[n] = 0;
	if (shows_addresses(text))
		return finding_ok("kernel functions have names");
	return (struct finding){ FINDING_MISSING,
				 arena_printf(&d->arena, "their addresses are hidden (kernel.kptr_restrict is %d)",
					      (int)doctor_sysctl(d, "kernel/kptr_restrict")),
				 "names of kernel functions", "run as root, or: sysctl kernel.kptr_restrict=0" };
}

static struct finding kernel_debug_information(struct doctor *d)
{
	struct utsname u;
	char *path;
	if (sys_uname(d->sys, &u))
		*u.release = 0;
	for (size_t i = 0; (path = object_vmlinux_place(NULL, u.release, i)); i++) {
		const char *kept = arena_strdup(&d->arena, path);
		free(path);
		if (sys_exists(d->sys, kept))
			return finding_ok(kept);
	}
	return (struct finding){ FINDING_PARTLY, "not installed", "source lines, inlined functions and local variables of the kernel",
				 arena_printf(&d->arena, "Debian: apt install linux-image-%s-dbg", u.release) };
}

#define DYNAMIC_BUILD "a strobe that is not the static binary"

static struct finding debuginfod(struct doctor *d)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	if (!library_can_load())
		return (struct finding){ FINDING_PARTLY, "the static binary fetches nothing",
					 "names, inlines and lines of programs whose debug information is not installed", DYNAMIC_BUILD };
	if (urls && *urls)
		return finding_ok(arena_printf(&d->arena, "%s", urls));
	return (struct finding){ FINDING_PARTLY, "DEBUGINFOD_URLS lists no server",
				 "names, inlines and lines of programs whose debug information is not installed",
				 "export DEBUGINFOD_URLS with the server of your distribution" };
}

static struct finding disassembler(struct doctor *d)
{
	struct disasm *made = NULL;
	struct utsname u;
	const struct arch *arch = sys_uname(d->sys, &u) ? NULL : arch_by_uname(u.machine);
	if (!arch)
		return (struct finding){ FINDING_MISSING, "this architecture is not known", "annotate", NULL };
	_cleanup_error_ struct strobe_error *err = disasm_create(arch, DISASM_USUAL, DISASM_ATT, &made);
	disasm_destroy(made);
	if (!err)
		return finding_ok(arena_printf(&d->arena, "code of %s", arch->name));
	return (struct finding){ FINDING_MISSING, arena_strdup(&d->arena, err->message), "annotate: code is not shown",
				 library_can_load() ? "Debian: apt install libzydis4.0 libcapstone4" : DYNAMIC_BUILD };
}

static struct finding build_id_cache(struct doctor *d)
{
	const char *home = getenv("HOME");
	const char *path = home && *home ? arena_printf(&d->arena, "%s/.debug", home) : NULL;
	bool can_write = path && (sys_exists(d->sys, path) ? !access(path, W_OK) : !access(home, W_OK));
	if (can_write)
		return finding_ok(path);
	return (struct finding){ FINDING_PARTLY,
				 path ? arena_printf(&d->arena, "%s cannot be written", path) : "there is no home directory",
				 "names of programs that change or vanish after they were recorded",
				 "specify a directory: strobe --buildid-dir DIRECTORY …" };
}

static struct finding memory_of_processes(struct doctor *d)
{
	int64_t scope = doctor_sysctl(d, "kernel/yama/ptrace_scope");
	if (d->is_root || scope <= 0)
		return finding_ok(d->is_root ? "of all" : "of this user's");
	return (struct finding){ FINDING_PARTLY, arena_printf(&d->arena, "kernel.yama.ptrace_scope is %d", (int)scope),
				 "strings and frames of scripts of processes that strobe did not start",
				 "run as root, or: sysctl "
				 "kernel.yama.ptrace_scope=0" };
}

const struct check checks_symbols[] = {
	{ "kernel-symbols", "symbols of the kernel", kernel_symbols },
	{ "kernel-debug-info", "debug information of the kernel", kernel_debug_information },
	{ "debuginfod", "servers of debug information", debuginfod },
	{ "disassembler", "disassembler", disassembler },
	{ "build-id-cache", "copies of what was recorded", build_id_cache },
	{ "process-memory", "memory of other processes", memory_of_processes },
	{},
};
