/* What a guest cost the host, by rows of struct kvm_exits: perf's text, or a table. */
#pragma once
#include "analysis/kvm/kvm_exits.h"

struct out;
struct table;

/* pids: as the user chose them, or NULL. */
void kvm_text(struct out *out, const struct kvm_exits *x, enum kvm_subject subject, const char *pids);
void kvm_table(struct table *t, const struct kvm_exits *x);
