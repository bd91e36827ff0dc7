#include "selftest/features.h"

#include <string.h>
#include <strings.h>

#include "config.h"

#define OWN "built in"

const struct feature features[] = {
	{ "aio", "HAVE_AIO_SUPPORT", false },
	{ "bpf", "HAVE_BPF_PROGRAMS", HAVE_BPF_PROGRAMS },
	{ "bpf_programs", "HAVE_BPF_PROGRAMS", HAVE_BPF_PROGRAMS },
	{ "bpf_skeletons", "HAVE_BPF_PROGRAMS", HAVE_BPF_PROGRAMS },
	{ "capstone", "HAVE_CAPSTONE", HAVE_CAPSTONE },
	{ "debuginfod", OWN, !STROBE_STATIC },
	{ "dwarf", OWN, true },
	{ "dwarf-unwind", OWN, true },
	{ "dwarf_getlocations", OWN, true },
	{ "libbfd", "HAVE_LIBBFD_SUPPORT", false },
	{ "libcapstone", "HAVE_CAPSTONE", HAVE_CAPSTONE },
	{ "libdw-dwarf-unwind", OWN, true },
	{ "libedit", "HAVE_HISTEDIT", HAVE_HISTEDIT },
	{ "libelf", OWN, true },
	{ "libLLVM", "HAVE_LIBLLVM_SUPPORT", false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false },
	{ "libpfm4", "HAVE_PFM", HAVE_PFM },
	{ "libslang", "ncurses", true },
	{ "libtraceevent", OWN, true },
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", false },
	{ "lzma", "HAVE_LZMA", HAVE_LZMA },
	{ "microhttpd", "HAVE_MICROHTTPD", HAVE_MICROHTTPD },
	{ "zlib", "HAVE_ZLIB", HAVE_ZLIB },
	{ "zstd", "HAVE_ZSTD", HAVE_ZSTD },
	{ "zydis", "HAVE_ZYDIS", HAVE_ZYDIS },
	{},
};

const struct feature *feature_find(const char *name, size_t n)
{
	for (const struct feature *f = features; f->name; f++)
		if ((strlen(f->name) == n && !strncasecmp(f->name, name, n)) || (strlen(f->macro) == n && !strncmp(f->macro, name, n)))
			return f;
	return NULL;
}
