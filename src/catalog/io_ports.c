#include "catalog/io_ports.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/text.h"

#define DEVICES "/sys/bus/event_source/devices"
#define PMU     "uncore_iio_"
#define DIE     "die"

/* Parses a name that consists of the prefix and a number. */
static bool number_after(const char *name, const char *prefix, uint32_t *ret)
{
	uint64_t n;
	if (!text_has_prefix(name, prefix) || !text_to_u64(name + strlen(prefix), &n) || n > UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

/* For a die without a port of this PMU, the bus 0000:00 is repeated. */
static void add_port(const struct sys *sys, const char *pmu, const char *die, struct io_ports *ret)
{
	_cleanup_free_ char *path = xasprintf(DEVICES "/%s/%s", pmu, die);
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(sys, path, &line);
	struct io_port port = {};
	if (!err && number_after(pmu, PMU, &port.pmu) && number_after(die, DIE, &port.die) &&
	    sscanf(line, "%" SCNx32 ":%" SCNx32, &port.domain, &port.bus) == 2)
		vec_push(&ret->list, port);
}

static int compare(const void *pa, const void *pb)
{
	const struct io_port *a = pa, *b = pb;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	return a->pmu < b->pmu ? -1 : a->pmu > b->pmu;
}

static void read_pmu(const struct sys *sys, const char *pmu, struct io_ports *ret)
{
	sys_names files = {};
	_cleanup_free_ char *path = xasprintf(DEVICES "/%s", pmu);
	_cleanup_error_ struct strobe_error *err = sys_list(sys, path, &files);
	for (uint32_t i = 0; i < files.len; i++)
		if (text_has_prefix(files.data[i], DIE))
			add_port(sys, pmu, files.data[i], ret);
	sys_names_deinit(&files);
}

struct strobe_error *io_ports_read(const struct sys *sys, struct io_ports *ret)
{
	sys_names pmus = {};
	*ret = (struct io_ports){};
	_cleanup_error_ struct strobe_error *err = sys_list(sys, DEVICES, &pmus);
	for (uint32_t i = 0; i < pmus.len; i++)
		if (text_has_prefix(pmus.data[i], PMU))
			read_pmu(sys, pmus.data[i], ret);
	sys_names_deinit(&pmus);
	if (ret->list.len)
		qsort(ret->list.data, ret->list.len, sizeof(*ret->list.data), compare);
	return ret->list.len ? NULL :
		error_create(ERROR_UNSUPPORTED, "this machine does not count the traffic of I/O ports: it has no PMU " PMU
						"*, which Intel servers have since Skylake-SP (not in virtual machines)");
}

void io_ports_deinit(struct io_ports *p)
{
	vec_deinit(&p->list);
}

void io_ports_text(struct out *out, const struct io_ports *p)
{
	for (uint32_t i = 0; i < p->list.len; i++) {
		const struct io_port *port = &p->list.data[i];
		out_f(out, "S%" PRIu32 "-" PMU "%" PRIu32 "<%04" PRIx32 ":%02" PRIx32 ">\n", port->die, port->pmu, port->domain, port->bus);
	}
}
