#include "event/attr_text.h"

#include <inttypes.h>

struct bit_name {
	uint64_t bit;
	const char *name;
};

static void add_bits(uint64_t value, const struct bit_name *names, size_t nr, struct strbuf *b)
{
	const char *between = "";
	for (size_t i = 0; i < nr; i++) {
		if (!(value & names[i].bit))
			continue;
		strbuf_addf(b, "%s%s", between, names[i].name);
		between = "|";
		value &= ~names[i].bit;
	}
	if (value)
		strbuf_addf(b, "%s0x%" PRIx64, between, value);
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* In the order of the reference, which is not that of the bits. */
static void event_sample_type_text(uint64_t sample_type, struct strbuf *ret)
{
#define NAME(n) { PERF_SAMPLE_##n, #n }
	static const struct bit_name names[] = {
		NAME(IP),	     NAME(TID),		  NAME(TIME),	   NAME(ADDR),	     NAME(READ),
		NAME(CALLCHAIN),     NAME(ID),		  NAME(CPU),	   NAME(PERIOD),     NAME(STREAM_ID),
		NAME(RAW),	     NAME(BRANCH_STACK),  NAME(REGS_USER), NAME(STACK_USER), NAME(IDENTIFIER),
		NAME(REGS_INTR),     NAME(DATA_SRC),	  NAME(WEIGHT),	   NAME(PHYS_ADDR),  NAME(AUX),
		NAME(CGROUP),	     NAME(DATA_PAGE_SIZE), NAME(CODE_PAGE_SIZE), NAME(WEIGHT_STRUCT), NAME(TRANSACTION),
	};
#undef NAME
	add_bits(sample_type, names, COUNT(names), ret);
}

static void event_read_format_text(uint64_t read_format, struct strbuf *ret)
{
#define NAME(n) { PERF_FORMAT_##n, #n }
	static const struct bit_name names[] = {
		NAME(TOTAL_TIME_ENABLED), NAME(TOTAL_TIME_RUNNING), NAME(ID), NAME(GROUP), NAME(LOST),
	};
#undef NAME
	add_bits(read_format, names, COUNT(names), ret);
}

static void event_branch_type_text(uint64_t branch_sample_type, struct strbuf *ret)
{
#define NAME(n) { PERF_SAMPLE_BRANCH_##n, #n }
	static const struct bit_name names[] = {
		NAME(USER),	NAME(KERNEL),	NAME(HV),	NAME(ANY),	  NAME(ANY_CALL),   NAME(ANY_RETURN),
		NAME(IND_CALL), NAME(ABORT_TX), NAME(IN_TX),	NAME(NO_TX),	  NAME(COND),	    NAME(CALL_STACK),
		NAME(IND_JUMP), NAME(CALL),	NAME(NO_FLAGS), NAME(NO_CYCLES), NAME(TYPE_SAVE), NAME(HW_INDEX),
		NAME(PRIV_SAVE), { PERF_ABI_SAMPLE_BRANCH_COUNTERS, "COUNTERS" },
	};
#undef NAME
	add_bits(branch_sample_type, names, COUNT(names), ret);
}

static void add_number(struct strbuf *b, const char *name, uint64_t v, const char *fmt)
{
	if (!v)
		return;
	strbuf_addf(b, "  %-32s ", name);
	strbuf_addf(b, *fmt == 'x' ? "0x%" PRIx64 : *fmt == 'd' ? "%" PRId64 : "%" PRIu64, v);
	strbuf_addch(b, '\n');
}

static void add_words(struct strbuf *b, const char *name, uint64_t v, void (*text)(uint64_t, struct strbuf *))
{
	if (!v)
		return;
	strbuf_addf(b, "  %-32s ", name);
	text(v, b);
	strbuf_addch(b, '\n');
}

static void add_flags(const struct perf_event_attr *a, struct strbuf *b)
{
#define FLAG(f) add_number(b, #f, a->f, "u")
	FLAG(disabled);
	FLAG(inherit);
	FLAG(pinned);
	FLAG(exclusive);
	FLAG(exclude_user);
	FLAG(exclude_kernel);
	FLAG(exclude_hv);
	FLAG(exclude_idle);
	FLAG(mmap);
	FLAG(comm);
	FLAG(freq);
	FLAG(inherit_stat);
	FLAG(enable_on_exec);
	FLAG(task);
	FLAG(watermark);
	FLAG(precise_ip);
	FLAG(mmap_data);
	FLAG(sample_id_all);
	FLAG(exclude_host);
	FLAG(exclude_guest);
	FLAG(exclude_callchain_kernel);
	FLAG(exclude_callchain_user);
	FLAG(mmap2);
	FLAG(comm_exec);
	FLAG(use_clockid);
	FLAG(context_switch);
	FLAG(write_backward);
	FLAG(namespaces);
	FLAG(ksymbol);
	FLAG(bpf_event);
	FLAG(aux_output);
	FLAG(cgroup);
	FLAG(text_poke);
	FLAG(build_id);
	FLAG(inherit_thread);
	FLAG(remove_on_exec);
	FLAG(sigtrap);
#undef FLAG
	add_number(b, "defer_callchain", perf_abi_attr_get(a, PERF_ABI_ATTR_DEFER_CALLCHAIN), "u");
	add_number(b, "defer_output", perf_abi_attr_get(a, PERF_ABI_ATTR_DEFER_OUTPUT), "u");
}

void event_attr_text(const struct perf_event_attr *a, struct strbuf *b)
{
	add_number(b, "type", a->type, "u");
	add_number(b, "size", a->size, "u");
	add_number(b, "config", a->config, "x");
	add_number(b, "{ sample_period, sample_freq }", a->sample_period, "u");
	add_words(b, "sample_type", a->sample_type, event_sample_type_text);
	add_words(b, "read_format", a->read_format, event_read_format_text);
	add_flags(a, b);
	add_number(b, "{ wakeup_events, wakeup_watermark }", a->wakeup_events, "u");
	add_number(b, "bp_type", a->bp_type, "u");
	add_number(b, "{ bp_addr, config1 }", a->bp_addr, "x");
	add_number(b, "{ bp_len, config2 }", a->bp_len, "x");
	add_words(b, "branch_sample_type", a->branch_sample_type, event_branch_type_text);
	add_number(b, "sample_regs_user", a->sample_regs_user, "x");
	add_number(b, "sample_stack_user", a->sample_stack_user, "u");
	add_number(b, "clockid", (uint64_t)(int64_t)a->clockid, "d");
	add_number(b, "sample_regs_intr", a->sample_regs_intr, "x");
	add_number(b, "aux_watermark", a->aux_watermark, "u");
	add_number(b, "sample_max_stack", a->sample_max_stack, "u");
	add_number(b, "aux_sample_size", a->aux_sample_size, "u");
	add_number(b, "aux_action", perf_abi_attr_aux_action(a), "x");
	add_number(b, "sig_data", a->sig_data, "u");
}
