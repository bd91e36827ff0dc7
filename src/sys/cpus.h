/*
 * The CPUs of the system: which are present, their topology, and the memory and caches they share.
 *
 * Source: Documentation/admin-guide/cputopology.rst, ABI/stable/sysfs-devices-node, sysfs-devices-system-cpu.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "sys/sys.h"

#define SYS_CPU_MAX 65535

typedef VEC(uint32_t) sys_cpus; /* ascending */

/* Parses "0-3,7" and appends to *ret. */
struct strobe_error *sys_cpus_parse(const char *list, sys_cpus *ret) _must_check_;
struct strobe_error *sys_cpus_online(const struct sys *sys, sys_cpus *ret) _must_check_;
/* The highest possible CPU number on this machine, plus one. */
uint32_t sys_cpus_possible_nr(const struct sys *sys);
bool sys_cpus_has(const sys_cpus *cpus, uint32_t cpu);

struct sys_cpu {
	uint32_t cpu;
	bool online;
	int32_t core, cluster, die, socket, node; /* -1: unknown (offline, or not reported) */
};

struct sys_node {
	uint32_t node;
	uint64_t mem_total_kb, mem_free_kb;
	const char *cpus; /* list */
};

struct sys_cache {
	uint32_t level, line_bytes, sets, ways;
	const char *type, *size, *cpus; /* "Data", "48K", "0-1" */
};

struct sys_topology {
	struct arena arena;       /* owns all strings */
	VEC(struct sys_cpu) cpus; /* all present, ascending */
	size_t online_nr;
	/* Distinct lists of CPUs that share a package, a die, a core. */
	VEC(const char *) packages, dies, cores;
	VEC(struct sys_node) nodes;
	VEC(struct sys_cache) caches; /* each cache once, by level, type and CPUs */
};

struct strobe_error *sys_topology_read(struct sys_topology *t, const struct sys *sys) _must_check_;
void sys_topology_deinit(struct sys_topology *t);

/* Descriptions of the machine, owned; NULL: unknown. */
char *sys_cpu_description(const struct sys *sys);
/* "GenuineIntel,6,207,2" on x86 (vendor, family, model, stepping), the MIDR on Arm, the PVR line on PowerPC. */
char *sys_cpuid(const struct sys *sys);
uint64_t sys_mem_total_kb(const struct sys *sys);
