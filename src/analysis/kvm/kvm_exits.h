/*
 * Times of the exits of virtual CPUs, by exit reason or by the address, port or MSR accessed.
 *
 * A virtual CPU is a thread, known from its first entry on. As in perf, exits that began before that, or have not ended, are not counted.
 * Times in nanoseconds. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "statistics/stats.h"

/* What rows are of. */
enum kvm_subject { KVM_EXITS, KVM_MEMORY, KVM_PORTS, KVM_MSRS };
enum kvm_sort { KVM_BY_SAMPLES, KVM_BY_TIME };

#define KVM_NO_KEY UINT32_MAX
#define KVM_ALL_VCPUS (-1)

struct kvm_row {
	uint32_t name; /* in names */
	uint64_t total_ns;
	struct stats ns;
};

struct kvm_vcpu {
	uint32_t id;
	bool is_open;
	uint64_t start_ns;
	uint32_t key; /* KVM_NO_KEY: only known at the end */
};

/* One that has ended. */
struct kvm_exit {
	uint32_t vcpu;
	uint32_t name; /* in names */
	uint64_t took_ns;
};

struct kvm_exits {
	int64_t vcpu; /* only this one, or KVM_ALL_VCPUS */
	struct strtab names;
	struct u64map threads; /* 1 + index in vcpus, by thread ID */
	VEC(struct kvm_vcpu) vcpus;
	VEC(struct kvm_row) rows; /* by the ID of the name, until they are sorted */
	uint64_t samples, total_ns;
};

void kvm_exits_init(struct kvm_exits *x, int64_t vcpu);
void kvm_exits_deinit(struct kvm_exits *x);
uint32_t kvm_exits_key(struct kvm_exits *x, const char *name);
/* An entry names the thread's virtual CPU; it is called before kvm_exits_end() of that entry. */
void kvm_exits_vcpu(struct kvm_exits *x, uint32_t tid, uint32_t vcpu);
void kvm_exits_begin(struct kvm_exits *x, uint32_t tid, uint64_t time_ns, uint32_t key);
/* True: an exit has ended, and is counted; ret_exit may be NULL. */
bool kvm_exits_end(struct kvm_exits *x, uint32_t tid, uint64_t time_ns, uint32_t key, struct kvm_exit *ret_exit);
/* Counts are zero again; exits that have begun go on. Also after kvm_exits_sort(). */
void kvm_exits_restart(struct kvm_exits *x);
/* "vmexit", "mmio", "ioport" or "msr"; NULL is vmexit. ERROR_USAGE. */
struct strobe_error *kvm_subject_parse(const char *text, enum kvm_subject *ret) _must_check_;
/* "sample" or "time"; NULL is sample. ERROR_USAGE. */
struct strobe_error *kvm_sort_parse(const char *text, enum kvm_sort *ret) _must_check_;
/* The largest first, equal ones by name. Nothing can be added afterwards, until kvm_exits_restart(). */
void kvm_exits_sort(struct kvm_exits *x, enum kvm_sort by);
