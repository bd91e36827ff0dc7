/*
 * The PMUs of the machine in sysfs: formats of their config words, named events, CPUs.
 *
 * A pmu_set reads lazily, keeps all data in its arena, and owns the pmus.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events,caps}. One thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "sys/cpus.h"
#include "sys/sys.h"

#define PMU_DIR     "/sys/bus/event_source/devices"
#define PMU_CONFIGS 5 /* config, config1 … config4 */

struct pmu_range {
	uint8_t first, last;
};

/* The positions of a term's bits: the value's low bits are in the first range, and so on. */
struct pmu_format {
	const char *name;
	unsigned config; /* 0 … PMU_CONFIGS - 1 */
	const struct pmu_range *ranges;
	size_t ranges_nr;
	unsigned bits; /* in all ranges */
};

struct pmu_alias {
	const char *name;
	const char *terms;      /* "event=0x3c,umask=0x1" */
	const char *unit;       /* or NULL */
	double scale;           /* 1.0: none */
	const char *scale_text; /* the text of the file, or NULL */
	bool per_package, snapshot;
};

struct pmu {
	const char *name;
	uint32_t type;
	bool uncore;   /* has a cpumask: counts for a socket on those CPUs */
	bool core;     /* belongs to CPU cores: "cpu", or has a list of CPUs */
	sys_cpus cpus; /* of cpumask or cpus; empty: neither exists */
	VEC(struct pmu_format) formats;
	VEC(struct pmu_alias) aliases; /* by name; pmu_aliases() reads them */
	bool formats_read, aliases_read;
};

struct pmu_set {
	const struct sys *sys;
	struct arena arena;
	VEC(struct pmu *) pmus; /* by name */
	bool read;
};

void pmu_set_init(struct pmu_set *set, const struct sys *sys);
void pmu_set_deinit(struct pmu_set *set);
/* Reads names, types and CPUs of all PMUs, once. A machine without the directory has none. */
void pmu_set_read(struct pmu_set *set);
/* Whether the machine has a PMU for events of this type: that of the CPUs for raw, hardware and cache events. */
bool pmu_has_type(struct pmu_set *set, uint32_t type);
struct pmu *pmu_find(struct pmu_set *set, const char *name, size_t n);
/* Whether a text names the PMU: the exact name, a glob, or the name without uncore_ or without its number at the end. */
bool pmu_matches(const struct pmu *pmu, const char *text);
/* NULL if the PMU has no such format. */
const struct pmu_format *pmu_format(struct pmu_set *set, struct pmu *pmu, const char *name);
/* Ignores case. NULL if the PMU has no such event. */
const struct pmu_alias *pmu_alias(struct pmu_set *set, struct pmu *pmu, const char *name, size_t n);
/* Read all of pmu->formats, pmu->aliases. */
void pmu_formats(struct pmu_set *set, struct pmu *pmu);
void pmu_aliases(struct pmu_set *set, struct pmu *pmu);
/* Puts value into the bits of the format; false: the value has more bits than the format. */
bool pmu_format_put(const struct pmu_format *format, uint64_t value, uint64_t configs[PMU_CONFIGS]);
/* Parses the text of a format file; false: invalid. ranges has room for 64. */
bool pmu_format_parse(const char *text, unsigned *ret_config, struct pmu_range *ranges, size_t *ret_nr);
