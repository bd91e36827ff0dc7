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
#include "sys/sys.h"

struct bpf_map_shape {
	enum bpf_map_type type;
	uint32_t key_bytes, value_bytes, entries;
	uint32_t flags;
};

/* What some kinds of maps require besides: types of a program's BTF, a map like those that it is to hold. */
struct bpf_map_types {
	int types_fd;
	uint32_t key_type, value_type; /* 0: none */
	int inner_fd;                  /* -1: none */
};

struct bpf_image_program; /* bpf/load/image.h */

struct strobe_error *bpf_map_make(const struct sys *sys, const char *name, struct bpf_map_shape shape, int *ret_fd) _must_check_;
struct strobe_error *bpf_map_make_typed(const struct sys *sys, const char *name, struct bpf_map_shape shape,
					const struct bpf_map_types *types, int *ret_fd) _must_check_;
/* No call of bpf(2) writes to it any more. */
struct strobe_error *bpf_map_freeze(const struct sys *sys, int fd) _must_check_;
struct strobe_error *bpf_map_set(int fd, const void *key, const void *value) _must_check_;
/* Removes a key, if it is there. */
void bpf_map_unset(int fd, const void *key);
/* BTF of programs, into the kernel. */
struct strobe_error *bpf_types_load(const struct sys *sys, const void *bytes, size_t n, int *ret_fd) _must_check_;
/* maps: the descriptors that its code numbers. attach_type: of links that require one (bpf/load/probes.h); else 0. */
struct strobe_error *bpf_image_program_load(const struct sys *sys, const struct bpf_image_program *program, uint32_t attach_type,
					    int types_fd, const int *maps, int *ret_fd) _must_check_;
/* Attached until *ret_link is closed: to a raw tracepoint, or to that of a perf event by its id. */
struct strobe_error *bpf_attach_raw_tracepoint(const struct sys *sys, const char *tracepoint, int program, int *ret_link) _must_check_;
struct strobe_error *bpf_attach_perf_tracepoint(const struct sys *sys, uint64_t id, int program, int *ret_link) _must_check_;
/* By the release that the kernel says it is. */
bool bpf_kernel_is_since(const struct sys *sys, unsigned major, unsigned minor);
/* An error before Linux 5.17, the first that relocates programs for its own types as it loads them. */
struct strobe_error *bpf_check_kernel(const struct sys *sys) _must_check_;
/* The sentence for an errno that the kernel refused something of BPF with. */
struct strobe_error *bpf_refused(const struct sys *sys, int errnum, const char *what) _must_check_;
/* How many runs of a program were skipped, because it was running on that CPU already. */
uint64_t bpf_program_missed(int fd);
/* Every program that runs now, on whatever CPU, is through afterwards. */
void bpf_wait_for_programs(void);
/* One key after another: the first one where key is NULL; false at the end. */
bool bpf_map_next(int fd, const void *key, void *ret_key);
bool bpf_map_get(int fd, const void *key, void *ret_value);
/* An error where task ids as programs see them are not ours: below the initial PID namespace. */
struct strobe_error *bpf_check_pid_namespace(const struct sys *sys) _must_check_;
