#include "ptrace/descriptor.h"

#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpf/trace/trace_shared.h"

#define NAMES_MAX PATH_MAX

struct file_piece {
	struct trace_file file;
	char names[NAMES_MAX];
	size_t names_bytes;
};

/* "/a/b" becomes "b" "a": a path as the kernel goes along it, from the file to the root. */
static void put_names(struct file_piece *p, const char *path)
{
	const char *end = path + strlen(path);
	while (end > path) {
		const char *start = end;
		while (start > path && start[-1] != '/')
			start--;
		size_t n = (size_t)(end - start);
		if (n) {
			memcpy(p->names + p->names_bytes, start, n);
			p->names[p->names_bytes + n] = '\0';
			p->names_bytes += n + 1;
		}
		end = start > path ? start - 1 : path;
	}
	p->file.flags = TRACE_FILE_KNOWN;
}

/* Files without a path have the name of their kind: "pipe:[123]". */
static void describe(struct file_piece *p, const char *link)
{
	static const struct {
		const char *format;
		uint32_t magic;
	} kinds[] = { { "socket:[%llu]", SOCKFS_MAGIC }, { "pipe:[%llu]", PIPEFS_MAGIC } };
	unsigned long long inode;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (sscanf(link, kinds[i].format, &inode) != 1)
			continue;
		p->file.magic = kinds[i].magic;
		p->file.inode = inode;
		return;
	}
	size_t n = strlen("anon_inode:");
	if (*link == '/') {
		put_names(p, link);
	} else if (!strncmp(link, "anon_inode:", n)) {
		p->file.magic = ANON_INODE_FS_MAGIC;
		p->names_bytes = strlen(link + n);
		memcpy(p->names, link + n, p->names_bytes);
	}
}

void descriptor_put(struct fetched *f, const struct sys *sys, pid_t pid, unsigned arg, int32_t fd)
{
	struct file_piece p = { .file.fd = fd };
	char link[NAMES_MAX];
	_cleanup_free_ char *in_proc =
		fd == TRACE_DIRECTORY ? xasprintf("/proc/%d/cwd", (int)pid) : xasprintf("/proc/%d/fd/%d", (int)pid, fd);
	_cleanup_free_ char *path = sys_path(sys, in_proc);
	ssize_t n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return;
	link[n] = '\0';
	describe(&p, link);
	fetch_put(f, arg, TRACE_PART_FILE, SYSCALL_FETCH_OK, &p, offsetof(struct file_piece, names) + p.names_bytes);
}

void descriptor_put_arguments(struct fetched *f, const struct sys *sys, pid_t pid, const struct syscall_desc *desc,
			      const uint64_t arg[SYSCALL_ARGS])
{
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		if (desc->fd_args >> i & 1 && ((int32_t)arg[i] >= 0 || (int32_t)arg[i] == TRACE_DIRECTORY))
			descriptor_put(f, sys, pid, i, (int32_t)arg[i]);
}
