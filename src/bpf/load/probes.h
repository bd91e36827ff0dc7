/*
 * Programs at places in the code of files or of the kernel (uprobes, kprobes), without a definition in tracefs: they end with their
 * links, and with this process whatever ends it.
 *
 * One link has all places of a file where the kernel knows such (uprobes from Linux 6.6 on, kprobes from 6.5 on, with
 * CONFIG_FPROBE_EVENTS); else each place has a perf event. Programs are of the section "uprobe" or "kprobe"; the kernel requires that
 * they are loaded for the kind of link that they get. Source: bpf(2), perf_event_open(2), linux/bpf.h.
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
	const uint64_t *semaphores; /* of markers: offsets in the file, which the kernel counts up while they are probed; NULL: none */
	uint32_t nr;
	bool at_return;          /* of the function that begins there */
	/*
	 * Processes that the probes are for: others that use the file do not stop at them, nor do those that these start. (Perf events
	 * of this kind cannot be inherited: the kernel looks for their path in the memory of the task that forks, which fails.)
	 */
	const pid_t *processes;
	size_t processes_nr; /* 0: all of the system */
};

typedef VEC(int) bpf_links;

/*
 * What a program of probes is loaded for: the attach type of links with many places, where there are such; else 0, perf events. Those of
 * the section "kprobe/kernel" are for entries and returns of functions, those of "kprobe/place" for any place of the kernel: perf events.
 */
uint32_t bpf_probe_attach_type(const struct sys *sys, const struct bpf_image_program *p);
/* Whether programs of the section "uprobe.s" may wait for memory here. */
bool bpf_probes_can_sleep(const struct sys *sys);
/* Why functions of the kernel cannot be probed here, or NULL. */
struct strobe_error *bpf_check_kernel_probes(const struct sys *sys) _must_check_;
/* Appends links; what was attached before an error stays in there. */
struct strobe_error *bpf_probes_attach(const struct sys *sys, int program, uint32_t attach_type, const struct bpf_probe_places *places,
				       bpf_links *links) _must_check_;
