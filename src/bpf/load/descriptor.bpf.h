/*
 * The open file of a descriptor of a task, read from the kernel's structures.
 *
 * Nothing is locked: the result may be wrong if the table changes meanwhile. Source: include/linux/fdtable.h.
 */
#pragma once
#include "bpf/load/verifier.bpf.h"
#include "bpf/load/vmlinux_min.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* 0 if it cannot be read. */
#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), &(from))

INLINE struct file *file_of(struct task_struct *task, __u32 fd)
{
	struct files_struct *files = 0;
	struct fdtable *table = 0;
	struct file **all = 0, *file = 0;
	unsigned int max = 0;
	READ(files, task->files);
	READ(table, files->fdt);
	READ(max, table->max_fds);
	READ(all, table->fd);
	if (fd < max)
		READ(file, all[fd]);
	return file;
}
