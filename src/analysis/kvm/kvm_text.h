/* The rows of struct kvm_exits as a table, in perf's layout. */
#pragma once
#include "analysis/kvm/kvm_exits.h"

struct kvm_slow_exit;
struct out;
struct table;

/* pids: selected by the user, or NULL. */
void kvm_table(struct table *t, const struct kvm_exits *x, enum kvm_subject subject, const char *pids);
/* Before the table of an interval: a terminal's screen is cleared; the time of day, and lost events. The table ends this line. */
void kvm_live_begin(struct out *out, bool is_terminal, uint64_t lost);
/* A line of an exit that took long. */
void kvm_slow_line(struct out *out, const struct kvm_slow_exit *e);
