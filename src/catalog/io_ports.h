/*
 * The I/O root ports whose traffic the processor can count: Intel servers since Skylake-SP, one uncore_iio PMU per port. Source:
 * Documentation/ABI/testing/sysfs-devices-mapping (dieN: "0000:7f"). One thread.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"
#include "sys/sys.h"

struct out;

struct io_port {
	uint32_t pmu, die, domain, bus; /* PMU uncore_iio_N */
};

struct io_ports {
	VEC(struct io_port) list; /* by die and PMU */
};

/* ERROR_UNSUPPORTED if there are none. */
struct strobe_error *io_ports_read(const struct sys *sys, struct io_ports *ret) _must_check_;
void io_ports_deinit(struct io_ports *p);
/* Prints them in perf's format. */
void io_ports_text(struct out *out, const struct io_ports *p);
