/*
 * bpf(2): maps, programs and their attachment, by descriptors that the caller owns.
 *
 * Errors say what the kernel does not permit and why (capabilities, lockdown, a kernel without BPF); the verifier's messages
 * go to the log at LOG_DEBUG. Source: bpf(2), include/uapi/linux/bpf.h.
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

/* Further attributes of some map types: BTF types, a template for the maps that it holds. */
struct bpf_map_types {
	int types_fd;
	uint32_t key_type, value_type; /* 0: none */
	int inner_fd;                  /* -1: none */
};

struct bpf_image_program; /* bpf/load/image.h */

struct strobe_error *bpf_map_make(const struct sys *sys, const char *name, struct bpf_map_shape shape, int *ret_fd) _must_check_;
struct strobe_error *bpf_map_make_typed(const struct sys *sys, const char *name, struct bpf_map_shape shape,
					const struct bpf_map_types *types, int *ret_fd) _must_check_;
/* From now on bpf(2) cannot write to it. */
struct strobe_error *bpf_map_freeze(const struct sys *sys, int fd) _must_check_;
struct strobe_error *bpf_map_set(int fd, const void *key, const void *value) _must_check_;
/* Removes a key, if it is there. */
void bpf_map_unset(int fd, const void *key);
/* Loads the BTF of programs. */
struct strobe_error *bpf_types_load(const struct sys *sys, const void *bytes, size_t n, int *ret_fd) _must_check_;
/* maps: descriptors, by the numbers that its code uses. attach_type: of links that require one (bpf/load/probes.h); else 0. */
struct strobe_error *bpf_image_program_load(const struct sys *sys, const struct bpf_image_program *program, uint32_t attach_type,
					    int types_fd, const int *maps, int *ret_fd) _must_check_;
/* Attached until *ret_link is closed: to a raw tracepoint, or to that of a perf event by its id. */
struct strobe_error *bpf_attach_raw_tracepoint(const struct sys *sys, const char *tracepoint, int program, int *ret_link) _must_check_;
struct strobe_error *bpf_attach_perf_tracepoint(const struct sys *sys, uint64_t id, int program, int *ret_link) _must_check_;
/* By the release in uname(2). */
bool bpf_kernel_is_since(const struct sys *sys, unsigned major, unsigned minor);
/* An error before Linux 5.17, the first that applies CO-RE relocations itself when it loads a program. */
struct strobe_error *bpf_check_kernel(const struct sys *sys) _must_check_;
/* An error that explains the errno with which the kernel refused a BPF operation. */
struct strobe_error *bpf_refused(const struct sys *sys, int errnum, const char *what) _must_check_;
/* How many runs of a program were skipped, because it was running on that CPU already. */
uint64_t bpf_program_missed(int fd);
/* Waits until all programs that are running now, on any CPU, have ended. */
void bpf_wait_for_programs(void);
/* One key after another: the first one where key is NULL; false at the end. */
bool bpf_map_next(int fd, const void *key, void *ret_key);
bool bpf_map_get(int fd, const void *key, void *ret_value);
/* An error below the initial PID namespace, where programs see other task IDs than we do. */
struct strobe_error *bpf_check_pid_namespace(const struct sys *sys) _must_check_;
