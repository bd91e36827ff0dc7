/* The rows of struct kvm_exits as a table, in perf's layout. */
#pragma once
#include "analysis/kvm/kvm_exits.h"

struct table;

/* pids: selected by the user, or NULL. */
void kvm_table(struct table *t, const struct kvm_exits *x, enum kvm_subject subject, const char *pids);
