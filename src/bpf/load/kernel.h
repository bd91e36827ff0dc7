/*
 * bpf(2): maps, programs and their attachment, by descriptors that the caller owns.
 *
 * Errors name what the kernel forbids and why (rights, lockdown, a kernel without BPF); what its verifier says goes to
 * the log at LOG_DEBUG. Source: bpf(2), include/uapi/linux/bpf.h.
 */
#pragma once
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "bpf/load/asm.h"
#include "sys/sys.h"

struct bpf_map_shape {
	enum bpf_map_type type;
	uint32_t key_bytes, value_bytes, entries;
	uint32_t flags;
};

struct strobe_error *bpf_map_make(const struct sys *sys, const char *name, struct bpf_map_shape shape, int *ret_fd) _must_check_;
struct strobe_error *bpf_map_set(int fd, const void *key, const void *value) _must_check_;
/* Removes a key, if it is there. */
void bpf_map_unset(int fd, const void *key);
/* purpose: for the log. */
struct strobe_error *bpf_program_load(const struct sys *sys, enum bpf_prog_type type, struct bpf_asm *program, const char *purpose,
				      int *ret_fd) _must_check_;
/* A raw tracepoint program, loaded and attached; *ret_link ends it when closed. */
struct strobe_error *bpf_attach_raw_tracepoint(const struct sys *sys, const char *tracepoint, struct bpf_asm *program,
					       int *ret_link) _must_check_;
/* Helpers that the program calls are there: a kernel tells by refusing, so this is a cheap look at its version instead. */
bool bpf_kernel_is_at_least(const struct sys *sys, unsigned major, unsigned minor);
/* The sentence for an errno that the kernel refused something of BPF with. */
struct strobe_error *bpf_refused(const struct sys *sys, int errnum, const char *what) _must_check_;
/* How many runs of a program were skipped, because it was running on that CPU already. */
uint64_t bpf_program_missed(int fd);
/* Every program that runs now, on whatever CPU, is through afterwards. */
void bpf_wait_for_programs(void);
/* One key after another: the first one where key is NULL; false at the end. */
bool bpf_map_next(int fd, const void *key, void *ret_key);
bool bpf_map_get(int fd, const void *key, void *ret_value);
/* An error where task ids as programs see them are not ours: below the top pid namespace. */
struct strobe_error *bpf_check_pid_namespace(const struct sys *sys) _must_check_;
