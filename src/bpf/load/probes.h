/*
 * Programs at places in the code of files or of the kernel (uprobes, kprobes), without a definition in tracefs. They end with their
 * links, which end with this process in any case.
 *
 * One link has all addresses of a file where the kernel supports that (uprobes from Linux 6.6 on, kprobes from 6.5 on, with
 * CONFIG_FPROBE_EVENTS); else each address has a perf event. Programs are in the section "uprobe" or "kprobe" and must be loaded for
 * the kind of link that they will have. Source: bpf(2), perf_event_open(2), linux/bpf.h.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vector.h"
#include "sys/sys.h"

struct bpf_image_program;

struct bpf_probe_places {
	const char *path;        /* of the file; NULL: the kernel */
	const uint64_t *at;      /* offsets in the file, or addresses in the kernel */
	const uint64_t *cookies; /* bpf_get_attach_cookie() of each */
	/* of USDT markers: offsets in the file of counters that the kernel increments while the marker is probed; NULL: none */
	const uint64_t *semaphores;
	uint32_t nr;
	bool at_return;          /* of the function that begins there */
	/*
	 * Only these processes hit the probes, not others that use the file, nor their children. (Such perf events cannot be inherited:
	 * the kernel looks for their path in the memory of the forking task, which fails.)
	 */
	const pid_t *processes;
	size_t processes_nr; /* 0: all of the system */
};

typedef VEC(int) bpf_links;

/*
 * The attach type to load a probe's program for: that of links with many addresses, if the kernel has them; else 0, for perf events.
 * Those of the section "kprobe/kernel" are for entries and returns of functions, those of "kprobe/place" for any place of the kernel:
 * perf events.
 */
uint32_t bpf_probe_attach_type(const struct sys *sys, const struct bpf_image_program *p);
/* Whether programs of the section "uprobe.s" may wait for memory here. */
bool bpf_probes_can_sleep(const struct sys *sys);
/* An error that says why functions of the kernel cannot be probed here, or NULL. */
struct strobe_error *bpf_check_kernel_probes(const struct sys *sys) _must_check_;
/* Appends links; on an error, those attached before it remain in the list. */
struct strobe_error *bpf_probes_attach(const struct sys *sys, int program, uint32_t attach_type, const struct bpf_probe_places *places,
				       bpf_links *links) _must_check_;
