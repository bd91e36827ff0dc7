/*
 * The files of descriptors, read from the kernel's structures: pieces of an event (struct trace_file). For the stream: for
 * descriptors without a known path, and for all of them where not every call that opens or closes files is traced. The reader
 * could only read /proc, and by then the descriptor may belong to another file.
 *
 * Nothing is locked: a change meanwhile may yield a wrong name. All is read as bytes: for typed pointers the verifier searches all
 * types of the kernel.
 */
#pragma once
#include "bpf/load/descriptor.bpf.h"
#include "bpf/trace/trace_fetch.bpf.h"

#define NAMES_BYTES 2048
#define NAME_BYTES  256
#define NAMES_MAX   40 /* and mount points */

/*
 * One step from a file up to the root of the task (chroot(2)), or to the topmost directory if the file is not below it; the name
 * goes to s->up.at. Returns whether that was the last step; -1: it did not end at a root. A function of its own, with its state
 * in memory, so that the verifier does not follow all paths to it.
 */
GLOBAL int put_name(struct scratch *s)
{
	struct dentry *dentry, *directory = NULL;
	struct mount *mount, *below = NULL;
	struct dentry *root = NULL;
	const unsigned char *name = NULL;
	__u32 at;
	long n;
	if (!s)
		return -1;
	if (s->up.dentry == s->up.root_dentry && s->up.mount == s->up.root_mount)
		return 1;
	dentry = (struct dentry *)s->up.dentry;
	mount = (struct mount *)(s->up.mount - bpf_core_field_offset(struct mount, mnt));
	READ(root, mount->mnt.mnt_root);
	if (dentry == root) {
		READ(below, mount->mnt_parent);
		READ(s->up.dentry, mount->mnt_mountpoint);
		s->up.mount = (__u64)&below->mnt;
		return below == mount;
	}
	at = s->up.at;
	if (at > TRACE_EVENT_MAX + NAMES_BYTES)
		return -1;
	READ(name, dentry->d_name.name);
	n = bpf_probe_read_kernel_str(s->buf + at, NAME_BYTES, name);
	if (n <= 0)
		return -1;
	s->up.at = at + n;
	READ(directory, dentry->d_parent);
	s->up.dentry = (__u64)directory;
	return directory == dentry; /* a socket, a pipe: without a directory, it is its own parent */
}

static long name_turn(__u32 i, struct scratch **s)
{
	__s32 last = put_name(*s);
	if (*s)
		(*s)->up.last = last;
	return last != 0;
}

/* Describes the file in s->up; if there is none, an unknown file. */
GLOBAL int put_place(struct scratch *s, __s32 fd)
{
	struct dentry *dentry;
	struct inode *inode = NULL;
	struct super_block *sb = NULL;
	struct fs_struct *fs = NULL;
	unsigned long inode_nr = 0, magic = 0;
	unsigned int links = 1;
	struct piece *p;
	struct trace_file *f;
	__u32 at;
	if (!s || s->at > TRACE_EVENT_MAX - PIECE_MAX / 4)
		return 0;
	at = s->at & 0x3ff8;
	s->up.at = at + sizeof(*p) + sizeof(*f);
	dentry = (struct dentry *)s->up.dentry;
	READ(inode, dentry->d_inode);
	READ(inode_nr, inode->i_ino);
	READ(links, inode->i_nlink);
	READ(sb, inode->i_sb);
	READ(magic, sb->s_magic);
	READ(fs, bpf_get_current_task_btf()->fs);
	READ(s->up.root_mount, fs->root.mnt);
	READ(s->up.root_dentry, fs->root.dentry);
	s->up.last = 0;
	if (dentry)
		bpf_loop(NAMES_MAX, name_turn, &s, 0);
	p = (struct piece *)(s->buf + at);
	f = (struct trace_file *)(s->buf + at + sizeof(*p));
	f->inode = inode_nr;
	f->magic = magic;
	f->fd = fd;
	f->flags = (links ? 0 : TRACE_FILE_REMOVED) | (s->up.last == 1 ? TRACE_FILE_KNOWN : 0);
	f->unused = 0;
	*p = (struct piece){ .part = TRACE_PART_FILE, .bytes = s->up.at - at - sizeof(*p) };
	s->at = at + sizeof(*p) + ((p->bytes + 7) & ~7U);
	return 0;
}

GLOBAL int put_file(struct scratch *s, __s32 fd)
{
	struct file *file;
	if (!s || fd < 0)
		return 0;
	file = file_of(bpf_get_current_task_btf(), fd);
	s->up.mount = 0;
	s->up.dentry = 0;
	READ(s->up.mount, file->f_path.mnt);
	READ(s->up.dentry, file->f_path.dentry);
	return put_place(s, fd);
}

GLOBAL int put_directory(struct scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fs_struct *fs = NULL;
	if (!s)
		return 0;
	READ(fs, task->fs);
	READ(s->up.mount, fs->pwd.mnt);
	READ(s->up.dentry, fs->pwd.dentry);
	return put_place(s, TRACE_DIRECTORY);
}

/* Whether fd is open on the selected file, compared by directory and name. */
GLOBAL int is_file(struct scratch *s, __s32 fd)
{
	struct file *file;
	struct dentry *dentry = NULL, *directory = NULL;
	struct inode *inode = NULL;
	struct super_block *sb = NULL;
	const unsigned char *name = NULL;
	unsigned long inode_nr = 0;
	unsigned int device = 0;
	__u32 at;
	long n;
	if (!s || fd < 0 || s->at > TRACE_EVENT_MAX)
		return 0;
	file = file_of(bpf_get_current_task_btf(), fd);
	READ(dentry, file->f_path.dentry);
	READ(directory, dentry->d_parent);
	READ(inode, directory->d_inode);
	READ(inode_nr, inode->i_ino);
	READ(sb, inode->i_sb);
	READ(device, sb->s_dev);
	if (!inode_nr || inode_nr != settings.path_directory || (settings.path_device && settings.path_device != device))
		return 0;
	/* Written after the event, and removed again. */
	at = s->at & 0x3ff8;
	READ(name, dentry->d_name.name);
	n = bpf_probe_read_kernel_str(s->buf + at, NAME_BYTES, name);
	return n == settings.path[0].bytes + 1 && is_path(s, at, n - 1, 0);
}

/* The files of those descriptors of a call that are reported. For a call that closes, before it does. */
GLOBAL int put_files(struct scratch *s, const struct trace_plan *plan, __u32 ended)
{
	__u32 pair[2], arg;
	if (!s || !plan)
		return 0;
	for (__u32 i = 0; i < TRACE_ARGS; i++)
		if (plan->files >> i & 1)
			put_file(s, s->arg[i]);
	if (!ended || s->ret < 0 || !(plan->files & TRACE_FILE_OF_RESULT))
		return 0;
	if (plan->fds & TRACE_FDS_MOVED)
		return put_directory(s);
	arg = (plan->fds & TRACE_FDS_PAIR) - 1;
	if (arg >= TRACE_ARGS)
		return put_file(s, s->ret);
	if (!bpf_probe_read_user(pair, sizeof(pair), (void *)s->arg[arg])) {
		put_file(s, pair[0]);
		put_file(s, pair[1]);
	}
	return 0;
}
