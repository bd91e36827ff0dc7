/*
 * Names of exit reasons, from the format of the recorded kernel: the lists of __print_symbolic() in the print format of kvm:kvm_exit. On
 * x86 the first list is Intel's and the second AMD's; on Arm the first has return codes, the second exception classes. One thread.
 * Source: the trace.h of kvm on x86, the trace_arm.h of kvm on arm64.
 */
#pragma once
#include <stdint.h>

#include "base/strtab.h"
#include "base/u64map.h"

#define KVM_REASON_LISTS 2

struct kvm_reasons {
	struct strtab names;
	struct u64map lists[KVM_REASON_LISTS]; /* ID of a name, by number */
};

/* print_fmt NULL: none. */
void kvm_reasons_init(struct kvm_reasons *r, const char *print_fmt);
void kvm_reasons_deinit(struct kvm_reasons *r);
/* NULL: it has no name. */
const char *kvm_reasons_name(const struct kvm_reasons *r, unsigned list, uint64_t number);
