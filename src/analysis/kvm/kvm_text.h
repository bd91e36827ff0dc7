/* What a guest cost the host, by rows of struct kvm_exits, as a table with perf's text. */
#pragma once
#include "analysis/kvm/kvm_exits.h"

struct table;

/* pids: as the user chose them, or NULL. */
void kvm_table(struct table *t, const struct kvm_exits *x, enum kvm_subject subject, const char *pids);
