#include "analysis/kvm/kvm_exits.h"

#include <stdlib.h>
#include <string.h>

void kvm_exits_init(struct kvm_exits *x, int64_t vcpu)
{
	*x = (struct kvm_exits){ .vcpu = vcpu };
	strtab_init(&x->names);
}

void kvm_exits_deinit(struct kvm_exits *x)
{
	strtab_deinit(&x->names);
	u64map_deinit(&x->threads);
	vec_deinit(&x->vcpus);
	vec_deinit(&x->rows);
}

static void add_rows(struct kvm_exits *x, uint32_t n)
{
	for (uint32_t next = (uint32_t)x->rows.len; next < n; next++) {
		struct kvm_row row = { .name = next };
		vec_push(&x->rows, row);
	}
}

uint32_t kvm_exits_key(struct kvm_exits *x, const char *name)
{
	uint32_t id = strtab_add(&x->names, name);
	add_rows(x, id + 1);
	return id;
}

void kvm_exits_restart(struct kvm_exits *x)
{
	vec_clear(&x->rows);
	add_rows(x, (uint32_t)x->names.strings.len);
	x->samples = x->total_ns = 0;
}

void kvm_exits_vcpu(struct kvm_exits *x, uint32_t tid, uint32_t vcpu)
{
	bool is_new;
	uint64_t *at = u64map_put(&x->threads, tid, &is_new);
	if (!is_new)
		return;
	struct kvm_vcpu v = { .id = vcpu };
	vec_push(&x->vcpus, v);
	*at = x->vcpus.len;
}

/* NULL: not known yet, or not selected. */
static struct kvm_vcpu *vcpu_of(struct kvm_exits *x, uint32_t tid)
{
	const uint64_t *at = u64map_get(&x->threads, tid);
	struct kvm_vcpu *v = at ? &x->vcpus.data[*at - 1] : NULL;
	return v && (x->vcpu == KVM_ALL_VCPUS || v->id == x->vcpu) ? v : NULL;
}

void kvm_exits_begin(struct kvm_exits *x, uint32_t tid, uint64_t time_ns, uint32_t key)
{
	struct kvm_vcpu *v = vcpu_of(x, tid);
	if (!v)
		return;
	v->is_open = true;
	v->start_ns = time_ns;
	v->key = key;
}

bool kvm_exits_end(struct kvm_exits *x, uint32_t tid, uint64_t time_ns, uint32_t key, struct kvm_exit *ret_exit)
{
	struct kvm_vcpu *v = vcpu_of(x, tid);
	if (!v || !v->is_open || (v->key == KVM_NO_KEY && key == KVM_NO_KEY))
		return false;
	uint32_t name = v->key == KVM_NO_KEY ? key : v->key;
	struct kvm_row *row = &x->rows.data[name];
	v->is_open = false;
	if (time_ns < v->start_ns)
		return false;
	uint64_t took_ns = time_ns - v->start_ns;
	stats_add(&row->ns, (double)took_ns);
	row->total_ns += took_ns;
	x->samples++;
	x->total_ns += took_ns;
	if (ret_exit)
		*ret_exit = (struct kvm_exit){ .vcpu = v->id, .name = name, .took_ns = took_ns };
	return true;
}

/* ---- words ---- */

struct strobe_error *kvm_subject_parse(const char *text, enum kvm_subject *ret)
{
	static const char *const words[] = { [KVM_EXITS] = "vmexit", [KVM_MEMORY] = "mmio", [KVM_PORTS] = "ioport", [KVM_MSRS] = "msr" };
	*ret = KVM_EXITS;
	for (unsigned i = 0; text && i < sizeof(words) / sizeof(*words); i++) {
		*ret = i;
		if (!strcmp(text, words[i]))
			return NULL;
	}
	return text ? error_create(ERROR_USAGE, "unknown event '%s': expected vmexit, mmio, ioport or msr", text) : NULL;
}

struct strobe_error *kvm_sort_parse(const char *text, enum kvm_sort *ret)
{
	*ret = text && !strcmp(text, "time") ? KVM_BY_TIME : KVM_BY_SAMPLES;
	if (!text || *ret == KVM_BY_TIME || !strcmp(text, "sample"))
		return NULL;
	return error_create(ERROR_USAGE, "unknown sort key '%s': expected sample or time", text);
}

/* ---- order ---- */

struct order {
	const struct strtab *names;
	enum kvm_sort by;
};

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct order *o = ctx;
	const struct kvm_row *a = pa, *b = pb;
	uint64_t x = o->by == KVM_BY_TIME ? a->total_ns : a->ns.n, y = o->by == KVM_BY_TIME ? b->total_ns : b->ns.n;
	return x != y ? (x > y ? -1 : 1) : strcmp(strtab_get(o->names, a->name), strtab_get(o->names, b->name));
}

void kvm_exits_sort(struct kvm_exits *x, enum kvm_sort by)
{
	struct order o = { .names = &x->names, .by = by };
	uint32_t n = 0;
	for (uint32_t i = 0; i < x->rows.len; i++)
		if (x->rows.data[i].ns.n)
			x->rows.data[n++] = x->rows.data[i];
	x->rows.len = n;
	if (n)
		qsort_r(x->rows.data, n, sizeof(*x->rows.data), compare, &o);
}
