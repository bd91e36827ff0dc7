/* Any text as that of one -e, on a made-up machine. Where the first byte is odd, a list for -G follows the last "#". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "event/event.h"
#include "event/pmu.h"
#include "record/attr_text.h"
#include "sys/faked.h"

#define EVENTS_MAX 100000 /* one text of some KB: sched:* and braces make no more of it */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its files are on disk: one for all inputs. */
static struct sys_faked *machine;

static void remove_machine(void)
{
	sys_faked_destroy(machine);
}

static void make_machine(void)
{
	static const char *const files[][2] = {
		{ "cpu/type", "4\n" },
		{ "cpu/format/event", "config:0-7\n" },
		{ "cpu/format/umask", "config:8-15\n" },
		{ "cpu/format/ldlat", "config1:0-15\n" },
		{ "cpu/events/instructions", "event=0xc0\n" },
		{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
		{ "cpu/events/disp", "event=0x10,umask=?\n" },
		{ "uncore_imc_0/type", "12\n" },
		{ "uncore_imc_0/cpumask", "0\n" },
		{ "uncore_imc_0/events/reads", "config=0x304\n" },
		{ "uncore_imc_0/events/reads.scale", "6.1e-5\n" },
	};
	struct sys_faked *f = sys_faked_create();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = xasprintf(PMU_DIR "/%s", files[i][0]);
		sys_faked_file(f, path, files[i][1]);
		free(path);
	}
	sys_faked_tracepoint(f, "sched", "sched_switch", 314);
	sys_faked_tracepoint(f, "sched", "sched_wakeup", 315);
	machine = f;
	atexit(remove_machine);
}

static void parse(const char *text, const char *cgroups)
{
	struct event_list list;
	struct strbuf lines = {};
	event_list_init(&list);
	struct strobe_error *err = event_parse(&list, sys_faked_sys(machine), text);
	if (!err && cgroups)
		err = event_list_set_cgroups(&list, cgroups);
	if (list.events.len > EVENTS_MAX || (err && !*err->message))
		abort();
	for (size_t i = 0; !err && i < list.events.len; i++)
		attr_lines(&list.events.data[i].attr, NULL, &lines);
	error_destroy(err);
	strbuf_deinit(&lines);
	event_list_deinit(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (!machine)
		make_machine();
	char *text = xstrndup((const char *)data + 1, size - 1), *cgroups = data[0] & 1 ? strrchr(text, '#') : NULL;
	if (cgroups)
		*cgroups++ = '\0';
	parse(text, cgroups);
	free(text);
	return 0;
}
