/*
 * Names of enumerators in fields of tracepoints ("enum hrtimer_mode mode"), from the BTF of the running kernel, which is read on
 * first use. One thread.
 */
#pragma once
#include "decode/tracepoint.h"
#include "sys/sys.h"

struct enum_names;

struct enum_names *enum_names_create(const struct sys *sys);
void enum_names_destroy(struct enum_names *e);
/* NULL: the field has another type, or the value has no name. Valid until destroyed. */
const char *enum_name(struct enum_names *e, const struct tracepoint_field *f, uint64_t value);
