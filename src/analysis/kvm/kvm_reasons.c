#include "analysis/kvm/kvm_reasons.h"

#include <stdlib.h>
#include <string.h>

/* A number or a sum: 0x040 + 14 is page faults, by AMD's number of the first exception. *ret_after == at: there is none. */
static uint64_t read_number(const char *at, const char **ret_after)
{
	char *after;
	uint64_t sum = strtoull(at, &after, 0);
	while (after > at && after[strspn(after, " ")] == '+') {
		const char *next = after + strspn(after, " ") + 1;
		uint64_t more = strtoull(next, &after, 0);
		*ret_after = at;
		if (after == next)
			return 0;
		sum += more;
	}
	*ret_after = after;
	return sum;
}

/* Reads one { 12, "HLT" }; returns the text after it, or NULL if there is none. */
static const char *read_entry(struct kvm_reasons *r, struct u64map *list, const char *at)
{
	const char *after;
	uint64_t number = read_number(at + 1, &after);
	const char *name = after > at + 1 ? after + strspn(after, ", ") : "";
	const char *close = *name == '"' ? strchr(name + 1, '"') : NULL;
	if (!close)
		return NULL;
	*u64map_put(list, number, NULL) = strtab_add_n(&r->names, name + 1, (size_t)(close - name - 1));
	const char *brace = strchr(close, '}');
	return brace ? brace + 1 : NULL;
}

/* Comma-separated entries, from the first brace on. */
static void read_list(struct kvm_reasons *r, struct u64map *list, const char *at)
{
	for (at = strchr(at, '{'); at && *at == '{';) {
		at = read_entry(r, list, at);
		at = at ? at + strspn(at, ", ") : NULL;
	}
}

void kvm_reasons_init(struct kvm_reasons *r, const char *print_fmt)
{
	static const char call[] = "__print_symbolic(";
	*r = (struct kvm_reasons){};
	strtab_init(&r->names);
	const char *at = print_fmt ? strstr(print_fmt, call) : NULL;
	for (unsigned i = 0; at && i < KVM_REASON_LISTS; i++) {
		at += sizeof(call) - 1;
		read_list(r, &r->lists[i], at);
		at = strstr(at, call);
	}
}

void kvm_reasons_deinit(struct kvm_reasons *r)
{
	for (unsigned i = 0; i < KVM_REASON_LISTS; i++)
		u64map_deinit(&r->lists[i]);
	strtab_deinit(&r->names);
}

const char *kvm_reasons_name(const struct kvm_reasons *r, unsigned list, uint64_t number)
{
	const uint64_t *at = u64map_get(&r->lists[list], number);
	return at ? strtab_get(&r->names, (str_id)*at) : NULL;
}
