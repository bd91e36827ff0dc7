/*
 * The types of the kernel, with the fields that the programs here read. Only names matter: the kernel relocates accesses to
 * its own layout when it loads a program (CO-RE), so that one build serves all kernels.
 *
 * Source: include/linux/{sched,binfmts,mm_types,fs,fdtable,dcache,mount,path}.h, fs/mount.h,
 * arch/x86/include/asm/{mmu,ptrace,thread_info}.h, arch/arm64/include/asm/{mmu,ptrace}.h.
 */
#pragma once
#include <linux/bpf.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	unsigned long flags;
#if defined(__TARGET_ARCH_x86)
	__u32 status;
#endif
};

struct rq {
	__u64 clock;
};

struct cfs_rq {
	int throttle_count; /* may be missing: CONFIG_CFS_BANDWIDTH */
	struct rq *rq;	    /* may be missing: CONFIG_FAIR_GROUP_SCHED */
};

struct sched_entity {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq; /* may be missing: CONFIG_FAIR_GROUP_SCHED */
};

struct sched_info {
	unsigned long long run_delay;
	unsigned long long last_arrival; /* by the clock of its struct rq */
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

typedef struct {
	void *vdso;
} mm_context_t;

struct maple_tree { /* since Linux 6.1 */
	void *ma_root;
};

struct file;

struct mm_struct {
	struct file *exe_file;
	struct maple_tree mm_mt;
	unsigned long start_code, start_stack, env_end, task_size, exec_vm;
	mm_context_t context;
};

struct linux_binprm {
	const char *filename, *interp;
};

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	unsigned int i_nlink;
	__u32 i_generation;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file *vm_file;
};

struct fs_struct {
	struct path root, pwd;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	unsigned long fsbase;
};
#endif

struct task_struct {
	struct thread_info thread_info;
#if defined(__TARGET_ARCH_x86)
	struct thread_struct thread;
#endif
	unsigned int flags;
	struct mm_struct *mm;
	int pid, tgid;
	__u64 start_time;
	__u64 self_exec_id;
	char comm[16];
	struct task_struct *group_leader;
	int exit_code, exit_state;
	unsigned int in_iowait : 1;
	struct signal_struct *signal;
	struct fs_struct *fs;
	struct files_struct *files;
	struct sched_entity se;
	struct sched_info sched_info; /* may be missing: CONFIG_SCHED_INFO */
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, flags, sp;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	unsigned long regs[31];
	unsigned long sp, pc, pstate;
	unsigned long orig_x0;
	int syscallno;
};
#else
#error "no layout of pt_regs for this architecture"
#endif

#pragma clang attribute pop
