#include "tracing/open_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bpf/trace/trace_shared.h"

#ifndef PID_FS_MAGIC /* Linux 6.9 */
#define PID_FS_MAGIC 0x50494446
#endif

#define NOTHING   UINT32_MAX /* in place of an ID: looked up without success */
#define DELETED   " (deleted)"
#define BYTES_MAX 4096
#define STAY      3          /* number of low descriptors that stay open over an exec */
#define FDS_MAX   65536      /* higher ones are looked up each time */

void open_files_init(struct open_files *f, const struct sys *sys, enum open_files_by by)
{
	*f = (struct open_files){ .sys = sys, .by = by };
	strtab_init(&f->paths);
}

void open_files_deinit(struct open_files *f)
{
	for (size_t i = 0; i < f->all.len; i++)
		vec_deinit(&f->all.data[i].fds);
	vec_deinit(&f->all);
	u64map_deinit(&f->by_pid);
	u64map_deinit(&f->netlink);
	strtab_deinit(&f->paths);
}

static struct process_files *process(struct open_files *f, uint32_t pid)
{
	bool is_new;
	if (f->last < f->all.len && f->all.data[f->last].pid == pid)
		return &f->all.data[f->last];
	uint64_t *at = u64map_put(&f->by_pid, pid, &is_new);
	if (is_new) {
		*at = f->all.len;
		vec_push(&f->all, (struct process_files){ .pid = pid });
	}
	f->last = *at;
	return &f->all.data[*at];
}

/* The entry for its ID; NULL: no room. */
static uint32_t *slot(struct open_files *f, uint32_t pid, int fd)
{
	struct process_files *p = process(f, pid);
	if (fd == AT_FDCWD)
		return &p->directory;
	if (fd < 0 || fd >= FDS_MAX)
		return NULL;
	if ((size_t)fd >= p->fds.len) {
		size_t n = (size_t)fd + 1 - p->fds.len;
		memset(vec_extend(&p->fds, n), 0, n * sizeof(uint32_t));
	}
	return &p->fds.data[fd];
}

static void set(struct open_files *f, uint32_t pid, int fd, uint32_t id)
{
	uint32_t *at = slot(f, pid, fd);
	if (at)
		*at = id;
}

static bool is_deleted(const char *path, size_t n)
{
	size_t mark = sizeof(DELETED) - 1;
	return n >= mark && !memcmp(path + n - mark, DELETED, mark);
}

/* The length of the prefix of kernel paths that is the root of that process (chroot(2)), which it does not see. */
static size_t root_bytes(uint32_t pid, const char *path, size_t n)
{
	char link[64], root[BYTES_MAX];
	snprintf(link, sizeof(link), "/proc/%u/root", pid);
	ssize_t bytes = readlink(link, root, sizeof(root));
	if (bytes <= 1 || (size_t)bytes > n || memcmp(root, path, (size_t)bytes) != 0)
		return 0;
	return (size_t)bytes == n || path[bytes] == '/' ? (size_t)bytes : 0;
}

/* Looks up a descriptor that was opened before the trace. */
static uint32_t look_up(struct open_files *f, uint32_t pid, int fd)
{
	char link[64], path[BYTES_MAX];
	if (fd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%u/cwd", pid);
	else
		snprintf(link, sizeof(link), "/proc/%u/fd/%d", pid, fd);
	f->lookups++;
	ssize_t n = f->sys ? readlink(link, path, sizeof(path)) : -1;
	if (n <= 0 || (fd == AT_FDCWD && is_deleted(path, (size_t)n)))
		return NOTHING;
	size_t above = *path == '/' ? root_bytes(pid, path, (size_t)n) : 0;
	if (above == (size_t)n)
		return strtab_add_n(&f->paths, "/", 1);
	return strtab_add_n(&f->paths, path + above, (size_t)n - above);
}

/* Its id, or NOTHING. */
static uint32_t known(struct open_files *f, uint32_t pid, int fd)
{
	for (unsigned i = 0; i < f->given_nr; i++)
		if (f->given[i].fd == fd)
			return f->given[i].id;
	uint32_t *at = f->by == OPEN_FILES_FOLLOWED ? slot(f, pid, fd) : NULL;
	if (at && *at)
		return *at;
	/* By now the descriptor may be another file. */
	if (f->is_bad && fd >= 0)
		return NOTHING;
	if (!at)
		return fd < 0 ? NOTHING : look_up(f, pid, fd);
	return *at = look_up(f, pid, fd);
}

const char *open_files_path(struct open_files *f, uint32_t pid, int fd)
{
	uint32_t id = known(f, pid, fd);
	return id == NOTHING ? NULL : strtab_get(&f->paths, id);
}

int open_files_netlink(struct open_files *f, uint32_t pid, int fd)
{
	if (!f->netlink.used || fd < 0)
		return -1;
	uint32_t id = known(f, pid, fd);
	const uint64_t *protocol = id == NOTHING ? NULL : u64map_get(&f->netlink, id);
	return protocol ? (int)*protocol : -1;
}

/* The name of a socket made by a call: its inode. */
static void learn_netlink(struct open_files *f, const struct syscall_event *ev)
{
	bool is_new;
	if (strcmp(ev->desc->name, "socket") != 0 || ev->arg[0] != AF_NETLINK)
		return;
	uint32_t id = known(f, ev->pid, (int)ev->ret);
	if (id != NOTHING)
		*u64map_put(&f->netlink, id, &is_new) = ev->arg[2];
}

void open_files_inherit(struct open_files *f, uint32_t parent, uint32_t child)
{
	if (f->by != OPEN_FILES_FOLLOWED)
		return;
	process(f, child); /* add it first, since that may move the other one */
	struct process_files *from = process(f, parent), *to = process(f, child);
	vec_clear(&to->fds);
	to->directory = from->directory;
	for (size_t i = 0; i < from->fds.len; i++)
		vec_push(&to->fds, from->fds.data[i] == NOTHING ? 0 : from->fds.data[i]);
}

void open_files_forget(struct open_files *f, uint32_t pid)
{
	struct process_files *p = process(f, pid);
	if (p->fds.len > STAY)
		p->fds.len = STAY;
}

void open_files_end(struct open_files *f, uint32_t pid)
{
	struct process_files *p = process(f, pid);
	p->directory = 0;
	vec_deinit(&p->fds);
}

/* --- what events bring along --- */

/* Joins the names, stored from the last one on, to a path that ends at `end`; returns its start, or NULL: too long. */
static char *path_of(const char *names, size_t bytes, char *start, char *end)
{
	if (!bytes)
		*--end = '/';
	while (bytes) {
		size_t n = strnlen(names, bytes);
		if ((size_t)(end - start) < n + 1)
			return NULL;
		end -= n;
		memcpy(end, names, n);
		*--end = '/';
		n = n < bytes ? n + 1 : n;
		names += n;
		bytes -= n;
	}
	return end;
}

/* The ID of the kernel's name of such a file, as in /proc/PID/fd. */
static uint32_t name_of(struct open_files *f, const struct trace_file *file, const char *names, size_t bytes)
{
	char text[BYTES_MAX], *path;
	unsigned long long inode = file->inode;
	size_t room = sizeof(text) - sizeof(DELETED);
	switch (file->magic) {
	case SOCKFS_MAGIC:
		return strtab_add_n(&f->paths, text, (size_t)snprintf(text, sizeof(text), "socket:[%llu]", inode));
	case PIPEFS_MAGIC:
		return strtab_add_n(&f->paths, text, (size_t)snprintf(text, sizeof(text), "pipe:[%llu]", inode));
	case PID_FS_MAGIC:
		return strtab_add(&f->paths, "anon_inode:[pidfd]");
	case NSFS_MAGIC: /* the type of the namespace is unknown */
		return NOTHING;
	case ANON_INODE_FS_MAGIC:
		return strtab_add_n(&f->paths, text, (size_t)snprintf(text, sizeof(text), "anon_inode:%.*s", (int)bytes, names));
	}
	path = file->flags & TRACE_FILE_KNOWN ? path_of(names, bytes, text, text + room) : NULL;
	if (!path)
		return NOTHING;
	size_t n = (size_t)(text + room - path);
	if (file->flags & TRACE_FILE_REMOVED) {
		memcpy(path + n, DELETED, sizeof(DELETED));
		n += sizeof(DELETED) - 1;
	}
	return strtab_add_n(&f->paths, path, n);
}

void open_files_take(struct open_files *f, const struct syscall_event *ev)
{
	f->given_nr = 0;
	f->is_bad = ev->has_ret && ev->ret == -EBADF;
	for (uint32_t i = 0; i < ev->payload.nr && f->given_nr < GIVEN_FILES; i++) {
		struct trace_file file;
		const uint8_t *data = ev->payload.piece[i].data;
		uint32_t bytes = ev->payload.piece[i].bytes;
		if (ev->payload.piece[i].part != SYSCALL_PART_FILE || bytes < sizeof(file))
			continue;
		memcpy(&file, data, sizeof(file));
		f->given[f->given_nr++] = (struct given_file){
			.fd = file.fd,
			.id = name_of(f, &file, (const char *)data + sizeof(file), bytes - sizeof(file)),
		};
	}
}

/* --- what calls change --- */

/* The string fetched for an argument; false: none. */
static bool string_of(const struct syscall_event *ev, unsigned arg, const char **ret, size_t *ret_n)
{
	for (uint32_t i = 0; i < ev->payload.nr; i++) {
		if (ev->payload.piece[i].arg != arg || ev->payload.piece[i].part != SYSCALL_PART_WHOLE)
			continue;
		*ret = (const char *)ev->payload.piece[i].data;
		*ret_n = ev->payload.piece[i].bytes;
		return *ret_n && ev->payload.piece[i].status == SYSCALL_FETCH_OK;
	}
	return false;
}

/*
 * Writes a path below a directory to text, without "./" and "//"; returns its length, or 0: too long, or not known without the file
 * system (".." after a name, which may be a link). above: number of bytes of the directory that the kernel resolved.
 */
static size_t join(char text[BYTES_MAX], const char *directory, size_t n, size_t above, const char *path, size_t path_bytes)
{
	const char *end = path + path_bytes;
	if (n + path_bytes + 2 > BYTES_MAX)
		return 0;
	memcpy(text, directory, n);
	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t bytes = (size_t)((slash ? slash : end) - path);
		if (bytes == 2 && path[0] == '.' && path[1] == '.') {
			if (n > above)
				return 0;
			while (n > 1 && text[--n] != '/')
				;
			above = n;
		} else if (bytes && !(bytes == 1 && path[0] == '.')) {
			if (text[n - 1] != '/')
				text[n++] = '/';
			memcpy(text + n, path, bytes);
			n += bytes;
		}
		path += bytes + 1;
	}
	return n;
}

/* The ID of the path in an argument, relative to the directory of `at`; 0: unknown. */
static uint32_t named(struct open_files *f, const struct syscall_event *ev, unsigned arg, int at)
{
	char text[BYTES_MAX];
	const char *path;
	size_t n;
	if (!string_of(ev, arg, &path, &n))
		return 0;
	if (*path == '/')
		return strtab_add_n(&f->paths, path, n);
	uint32_t directory = known(f, ev->pid, at);
	if (directory == NOTHING || *strtab_get(&f->paths, directory) != '/')
		return 0;
	size_t bytes = strtab_length(&f->paths, directory);
	n = join(text, strtab_get(&f->paths, directory), bytes, at == AT_FDCWD ? bytes : 0, path, n);
	return n ? strtab_add_n(&f->paths, text, n) : 0;
}

/* Only two commands of fcntl duplicate a descriptor. */
static bool copies(const struct syscall_event *ev)
{
	return ev->desc->ret != SYSCALL_RET_FCNTL || ev->arg[1] == F_DUPFD || ev->arg[1] == F_DUPFD_CLOEXEC;
}

static void follow(struct open_files *f, const struct syscall_event *ev)
{
	uint32_t id = 0;
	if (f->by != OPEN_FILES_FOLLOWED)
		return;
	switch (ev->desc->fds) {
	case SYSCALL_FDS_OPENED:
		id = named(f, ev, 0, AT_FDCWD);
		break;
	case SYSCALL_FDS_OPENED_AT:
		id = named(f, ev, 1, (int32_t)ev->arg[0]);
		break;
	case SYSCALL_FDS_COPIED:
		if (!copies(ev))
			return;
		id = known(f, ev->pid, (int32_t)ev->arg[0]);
		break;
	case SYSCALL_FDS_MOVED:
	case SYSCALL_FDS_MOVED_TO: /* the new directory is in the event, or is looked up */
		set(f, ev->pid, AT_FDCWD, f->given_nr && f->given[0].id != NOTHING ? f->given[0].id : 0);
		return;
	default:
		for (unsigned i = 0; i < f->given_nr; i++)
			set(f, ev->pid, f->given[i].fd, f->given[i].id);
		if (ev->desc->ret != SYSCALL_RET_FD || f->given_nr)
			return;
	}
	set(f, ev->pid, (int)ev->ret, id == NOTHING ? 0 : id);
}

void open_files_follow(struct open_files *f, const struct syscall_event *ev)
{
	follow(f, ev);
	learn_netlink(f, ev);
}

void open_files_close(struct open_files *f, const struct syscall_event *ev)
{
	struct process_files *p = process(f, ev->pid);
	uint64_t first = (uint32_t)ev->arg[0], last = (uint32_t)ev->arg[1];
	if (ev->desc->fds == SYSCALL_FDS_CLOSED)
		last = first;
	else if (ev->desc->fds != SYSCALL_FDS_CLOSED_ALL || ev->arg[2])
		return;
	for (; first <= last && first < p->fds.len; first++)
		p->fds.data[first] = 0;
}
