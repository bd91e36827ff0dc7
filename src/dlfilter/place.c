#include "dlfilter/place.h"

const char *place_dso(const struct resolved_frame *f, bool kernel_path)
{
	const struct mapped_file *file = f->map->file;
	if (kernel_path && f->dso && (file->kind == MAPPED_KERNEL || file->kind == MAPPED_MODULE)) {
		struct dso_facts facts = dso_facts(f->dso);
		if (facts.long_name)
			return facts.long_name;
	}
	return file->kind == MAPPED_FILE || file->kind == MAPPED_ANON ? file->path : file->name;
}

uint64_t place_distance(const struct resolved_frame *f)
{
	bool has_offsets = f->map && (f->map->file->kind == MAPPED_FILE || f->map->file->kind == MAPPED_VDSO);
	return has_offsets ? f->addr - (f->ip - f->map->start + f->map->pgoff) : 0;
}

const uint8_t *place_build_id(const struct resolved_frame *f, const struct dso_facts *facts, size_t *ret_bytes)
{
	const struct mapped_file *file = f->map->file;
	*ret_bytes = facts->build_id_len ? facts->build_id_len : file->build_id_len;
	return facts->build_id_len ? facts->build_id : file->build_id;
}

bool place_addr_has_symbol(const struct perf_event_attr *a)
{
	if (!(a->sample_type & PERF_SAMPLE_ADDR))
		return false;
	if (a->type == PERF_TYPE_SOFTWARE)
		return a->config == PERF_COUNT_SW_PAGE_FAULTS || a->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		       a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	return a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS && a->sample_period == 1;
}
