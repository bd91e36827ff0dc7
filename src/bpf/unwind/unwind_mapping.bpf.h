/*
 * The mapping of the current process at an address, read from the kernel's tree.
 *
 * Source: mm/mmap.c, kernel/bpf/task_iter.c (bpf_find_vma), include/linux/{mm_types,fs,maple_tree}.h, lib/maple_tree.c.
 */
#pragma once
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"
#include "bpf/unwind/unwind_shared.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define MAPPING_EXECUTE 4 /* VM_EXEC */
/* What is returned in place of a position in the cache. */
#define CODE_UNKNOWN -1 /* so far */
#define CODE_NONE    -2 /* no executable mapping */
#define ENOENT	     2

/* Nodes of maple trees: words, types, the maximum depth. */
#define MAPLE_WORDS	 32
#define MAPLE_TYPE(node) ((node) >> 3 & 15)
#define MAPLE_ADDRESS	 (~255ULL)
#define MAPLE_RANGE	 2 /* types from here on are inner nodes */
#define MAPLE_ARANGE	 3
#define MAPLE_DEPTH	 8
#define MAPLE_RESERVED	 4096

const volatile struct unwind_settings settings = {};

/* A node that is being searched. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[MAPLE_WORDS]);
} nodes SEC(".maps");

/* The modification time of a file, in the layouts of different kernels. */
struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inode___since_6_11 {
	__s64 i_mtime_sec;
	__u32 i_mtime_nsec;
};
struct inode___since_6_7 {
	struct timespec64 __i_mtime;
};
struct inode___before_6_7 {
	struct timespec64 i_mtime;
};
#pragma clang attribute pop

INLINE __u64 modified_ns_of(struct inode *inode)
{
	struct inode___since_6_11 *newest = (void *)inode;
	struct inode___since_6_7 *newer = (void *)inode;
	struct inode___before_6_7 *old = (void *)inode;
	struct timespec64 at = {};
	__u32 ns;
	if (bpf_core_field_exists(newest->i_mtime_sec)) {
		bpf_probe_read_kernel(&at.tv_sec, sizeof(at.tv_sec), &newest->i_mtime_sec);
		if (!bpf_probe_read_kernel(&ns, sizeof(ns), &newest->i_mtime_nsec))
			at.tv_nsec = ns;
	} else if (bpf_core_field_exists(newer->__i_mtime)) {
		bpf_probe_read_kernel(&at, sizeof(at), &newer->__i_mtime);
	} else if (bpf_core_field_exists(old->i_mtime)) {
		bpf_probe_read_kernel(&at, sizeof(at), &old->i_mtime);
	}
	return at.tv_sec * 1000000000ULL + at.tv_nsec;
}

/* A mapping that was found. */
struct found_mapping {
	struct unwind_request request; /* as it would be sent */
	__u32 is_code, is_of_file;
};

INLINE void read_file(struct file *file, struct unwind_file_key *key)
{
	struct inode *inode = 0;
	struct super_block *sb = 0;
	bpf_probe_read_kernel(&inode, sizeof(inode), &file->f_inode);
	bpf_probe_read_kernel(&sb, sizeof(sb), &inode->i_sb);
	bpf_probe_read_kernel(&key->inode, sizeof(key->inode), &inode->i_ino);
	bpf_probe_read_kernel(&key->generation, sizeof(key->generation), &inode->i_generation);
	bpf_probe_read_kernel(&key->device, sizeof(key->device), &sb->s_dev);
	key->modified_ns = modified_ns_of(inode);
}

/* Pointers are read as bytes: see mm_of() in unwind.bpf.c. */
static long look_at(struct task_struct *task, struct vm_area_struct *vma, struct found_mapping *f)
{
	struct file *file = 0;
	struct mm_struct *mm = 0;
	__u64 flags = 0, pgoff = 0, vdso = 0;
	bpf_probe_read_kernel(&f->request.start, sizeof(f->request.start), &vma->vm_start);
	bpf_probe_read_kernel(&f->request.end, sizeof(f->request.end), &vma->vm_end);
	bpf_probe_read_kernel(&flags, sizeof(flags), &vma->vm_flags);
	f->is_code = (flags & MAPPING_EXECUTE) != 0;
	if (!f->is_code)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), &vma->vm_file);
	if (!file) {
		bpf_probe_read_kernel(&mm, sizeof(mm), &task->mm);
		bpf_probe_read_kernel(&vdso, sizeof(vdso), &mm->context.vdso);
		f->is_of_file = f->request.start == vdso;
		return 0;
	}
	f->is_of_file = 1;
	bpf_probe_read_kernel(&pgoff, sizeof(pgoff), &vma->vm_pgoff);
	f->request.key.pgoff = pgoff << settings.page_bits;
	read_file(file, &f->request.key);
	return 0;
}

/* The entry of a node for an address: another node or, in a leaf, the mapping; 0: unreadable. */
GLOBAL __u64 maple_entry(__u64 node, __u64 ip)
{
	__u32 zero = 0;
	__u64 *words = bpf_map_lookup_elem(&nodes, &zero);
	__u64 slots = 16 - (all_bits(is_less(MAPLE_TYPE(node) ^ MAPLE_ARANGE, 1)) & 6);
	__u64 at = 0, is_before = 1, half = ip >> 1; /* halves: the last address of all is less than 2^63 away then, and all are odd */
	if (!words || bpf_probe_read_kernel(words, MAPLE_WORDS * sizeof(*words), (void *)(node & MAPLE_ADDRESS)))
		return 0;
	/* After the parent pointer come the last addresses of all entries but the last one, then the entries. */
#pragma unroll
	for (__u32 i = 0; i < 15; i++) {
		__u64 last = words[i + 1] - (i > 0); /* 0 after the first: no more */
		is_before &= is_less(last >> 1, half);
		at += is_before;
	}
	if (at > slots - 1)
		at = slots - 1;
	return words[(slots + at) & (MAPLE_WORDS - 1)];
}

/* The mapping below the root of a tree; 0: none. */
GLOBAL __u64 maple_find(__u64 root, __u64 ip)
{
	__u64 entry = root;
	for (int depth = 0; depth < MAPLE_DEPTH && entry > MAPLE_RESERVED; depth++) {
		_Bool is_leaf = MAPLE_TYPE(entry) < MAPLE_RANGE;
		entry = maple_entry(entry, ip);
		if (is_leaf)
			return entry > MAPLE_RESERVED ? entry : 0;
	}
	return 0;
}

/*
 * Searches without the mmap lock, which bpf_find_vma() can take only once in an interrupt. If mappings change meanwhile, the mapping
 * found does not contain the address, or is the one of a moment ago.
 */
INLINE int search_maple(struct task_struct *task, __u64 ip, struct found_mapping *f)
{
	struct mm_struct *mm = 0;
	__u64 root = 0, vma;
	bpf_probe_read_kernel(&mm, sizeof(mm), &task->mm);
	bpf_probe_read_kernel(&root, sizeof(root), &mm->mm_mt.ma_root);
	vma = maple_find(root, ip);
	if (!vma)
		return CODE_NONE;
	look_at(task, (void *)vma, f);
	return f->request.start <= ip && ip < f->request.end ? 0 : CODE_NONE;
}

/* What the kernel has mapped at ip: 0, CODE_UNKNOWN or CODE_NONE. */
INLINE int find_vma(__u64 ip, struct found_mapping *f)
{
	struct task_struct *task = bpf_get_current_task_btf();
	long found;
	if (bpf_core_field_exists(((struct mm_struct *)0)->mm_mt))
		return search_maple(task, ip, f);
	found = bpf_find_vma(task, ip, look_at, f, 0);
	return !found ? 0 : found == -ENOENT ? CODE_NONE : CODE_UNKNOWN;
}
