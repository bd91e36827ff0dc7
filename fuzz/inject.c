/*
 * Any bytes as a recording whose mappings get build-ids (inject -B) or whose addresses are moved (inject --aslr). What comes
 * out is a recording again, and has no more samples than went in. No file that the bytes name is opened.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nobody.h"
#include "perfdata/reader.h"
#include "perfdata/rewrite.h"
#include "record/order.h"
#include "rewrite/aslr.h"
#include "rewrite/mmap_ids.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS_MAX 20000 /* compressed records can be of any number */

struct pass {
	struct rewrite_filter filter; /* first */
	struct record_source *reader, *source;
	struct resolver *resolver;
	struct build_ids *ids;
	struct mmap_ids *mmaps; /* or NULL */
	struct aslr *aslr;      /* or NULL */
	unsigned records, samples;
};

static struct strobe_error *take(struct rewrite_filter *f, struct record r, struct record_sink *out, bool *ret_keep)
{
	struct pass *p = (struct pass *)f;
	struct record mapping = r;
	uint64_t time;
	if (++p->records > RECORDS_MAX)
		return error_create(ERROR_STOPPED, "enough");
	p->samples += r.hdr->type == PERF_RECORD_SAMPLE;
	machine_apply(resolver_machine(p->resolver), r, env_record_time(source_env(p->reader), r, &time) ? time : r.file_offset);
	build_ids_mark(p->ids, r);
	if (p->mmaps)
		*ret_keep = mmap_ids_record(p->mmaps, &mapping);
	if (p->aslr && *ret_keep)
		return aslr_record(p->aslr, mapping, out, ret_keep);
	if (!*ret_keep || mapping.hdr == r.hdr)
		return NULL;
	*ret_keep = false;
	return sink_write(out, mapping.hdr, mapping.hdr->size);
}

/* Every record that was written can be read. */
static void read_again(int fd, unsigned samples)
{
	struct record_source *source;
	struct record r;
	bool end = false;
	off_t size = lseek(fd, 0, SEEK_END);
	void *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (bytes == MAP_FAILED)
		return;
	struct strobe_error *err = reader_open_mem(bytes, (size_t)size, &source);
	if (err)
		abort();
	while (!(err = source_next(source, &r, &end)) && !end)
		if (r.hdr->type == PERF_RECORD_SAMPLE && !samples--)
			abort();
	if (err)
		abort();
	source_destroy(source);
	munmap(bytes, (size_t)size);
}

static void write_out(struct pass *p, const struct env *env)
{
	struct writer *w;
	int fd = memfd_create("out", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	struct strobe_error *err = writer_create(dup(fd), "out", env, (struct writer_options){}, &w);
	if (err)
		abort();
	err = rewrite(p->source, p->reader, w, &p->filter);
	bool whole = !err;
	error_destroy(err);
	err = writer_finish(w, env);
	if (!err && whole)
		read_again(fd, p->samples);
	error_destroy(err);
	writer_destroy(w);
	close(fd);
}

static void inject(const uint8_t *data, size_t size, bool moves, bool drops)
{
	struct pass p = { .filter.record = take };
	struct strobe_error *err = reader_open_mem(data, size, &p.reader);
	if (err) {
		error_destroy(err);
		return;
	}
	p.resolver = resolver_of(p.reader, (struct resolve_options){ .with_chains = true, .threads = 1 });
	const struct env *env = source_env(p.reader);
	p.ids = build_ids_create(p.resolver, env, false);
	p.mmaps = mmap_ids_create(p.resolver, env, p.ids);
	if (drops) {
		error_destroy(resolve_count(p.resolver));
		if (!p.reader->ops->rewind || (err = p.reader->ops->rewind(p.reader)) ||
		    (err = mmap_ids_drop_unused(p.mmaps, p.reader)) || (err = p.reader->ops->rewind(p.reader)))
			error_destroy(err);
	}
	p.aslr = moves ? aslr_create(p.resolver, env) : NULL;
	p.source = order_create(p.reader);
	write_out(&p, moves ? aslr_env(p.aslr) : env);
	aslr_destroy(p.aslr);
	mmap_ids_destroy(p.mmaps);
	build_ids_destroy(p.ids);
	resolver_destroy(p.resolver);
	source_destroy(p.source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	inject(data, size, true, false);
	inject(data, size, false, false);
	inject(data, size, true, true);
	return 0;
}
