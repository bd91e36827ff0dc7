/* The header of the file form: versions 1 and 2, either byte order, and the 16 bytes at the start of a stream. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "perfdata/reader_priv.h"

/* Offsets in struct perf_file_header (perf.data-file-format.txt). */
#define AT_SIZE 8
#define HEADER_BYTES_OLD 72 /* of files without features */

static uint64_t get64(const uint8_t *p, bool swap)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* Version 2's magic shows the byte order. Version 1's does not: there the sizes must be valid in one byte order. */
static bool find_byte_order(const uint8_t *p, struct file_header *ret)
{
	uint64_t magic = get64(p, false), size = get64(p + AT_SIZE, false);

	if (!memcmp(p, PERF_MAGIC_V1, 8)) { /* a string, in either order */
		ret->version = 1;
		ret->swapped = size > UINT32_MAX;
		return true;
	}
	ret->version = 2;
	ret->swapped = magic == __builtin_bswap64(PERF_MAGIC_V2);
	return ret->swapped || magic == PERF_MAGIC_V2;
}

static struct strobe_error *foreign(const char *name, const uint8_t *p, size_t bytes)
{
	if (bytes >= 2 && p[0] == 0x1f && p[1] == 0x8b)
		return error_create(ERROR_FORMAT,
				    "%s is compressed with gzip: a pprof profile is shown by 'strobe pprof -top FILE' or "
				    "'strobe flamegraph -i FILE', a recording must be unpacked first", name);
	if (bytes >= 4 && !memcmp(p, "\x28\xb5\x2f\xfd", 4))
		return error_create(ERROR_FORMAT, "%s is compressed with zstd: unpack it first", name);
	if (bytes >= 4 && !memcmp(p, "\177ELF", 4))
		return error_create(ERROR_FORMAT, "%s is a program (ELF), not a recording", name);
	if (bytes < PERF_PIPE_HEADER_BYTES)
		return error_create(ERROR_TRUNCATED, "%s is too short for a recording: %zu bytes, less than a header", name,
				    bytes);
	return error_create(ERROR_FORMAT, "%s is not a recording: it does not begin with PERFILE2", name);
}

/*
 * The bitmap was written in words of the recorder's `long`. In big-endian words of 32 bits the halves of our 64-bit word
 * are in the other order; every recorder sets HOSTNAME, which shows it.
 */
static void read_features(const uint8_t *p, struct file_header *ret)
{
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		ret->features[i] = get64(p + i * 8, ret->swapped);
	if (ret->swapped && !(ret->features[0] & 1ull << FEATURE_HOSTNAME) &&
	    ret->features[0] & 1ull << (FEATURE_HOSTNAME + 32))
		for (size_t i = 0; i < FEATURE_BITS / 64; i++)
			ret->features[i] = ret->features[i] << 32 | ret->features[i] >> 32;
}

struct strobe_error *header_parse(const char *name, const void *data, size_t bytes, struct file_header *ret)
{
	const uint8_t *p = data;

	*ret = (struct file_header){};
	if (bytes < PERF_PIPE_HEADER_BYTES || !find_byte_order(p, ret))
		return foreign(name, p, bytes);
	ret->header_bytes = get64(p + AT_SIZE, ret->swapped);
	if (ret->header_bytes == PERF_PIPE_HEADER_BYTES) {
		ret->is_pipe = true;
		return NULL;
	}
	if (ret->header_bytes < HEADER_BYTES_OLD || ret->header_bytes > UINT16_MAX)
		return error_create(ERROR_FORMAT, "%s: invalid header size: %" PRIu64 " bytes", name,
				    ret->header_bytes);
	if (bytes < ret->header_bytes)
		return error_create(ERROR_TRUNCATED, "%s ends within its header, at byte %zu of %" PRIu64, name, bytes,
				    ret->header_bytes);
	ret->attr_bytes = get64(p + 16, ret->swapped);
	ret->attrs_offset = get64(p + 24, ret->swapped);
	ret->attrs_bytes = get64(p + 32, ret->swapped);
	ret->data_offset = get64(p + 40, ret->swapped);
	ret->data_bytes = get64(p + 48, ret->swapped);
	if (ret->header_bytes >= PERF_FILE_HEADER_BYTES)
		read_features(p + HEADER_BYTES_OLD, ret);
	if (ret->attr_bytes < PERF_ATTR_SIZE_VER0 + 16 || ret->attr_bytes > UINT16_MAX)
		return error_create(ERROR_FORMAT, "%s: invalid size of an event in the header: %" PRIu64 " bytes",
				    name, ret->attr_bytes);
	return NULL;
}

struct strobe_error *reader_check_header(int fd, const char *name)
{
	_cleanup_free_ uint8_t *head = xmalloc(UINT16_MAX);
	struct file_header header;
	ssize_t n = pread(fd, head, UINT16_MAX, 0);
	if (n < 0)
		return error_errno(errno, "cannot read %s", name);
	return header_parse(name, head, (size_t)n, &header);
}

struct section {
	uint64_t offset, bytes;
};

static bool is_inside(struct section s, uint64_t file_bytes)
{
	return s.offset <= file_bytes && s.bytes <= file_bytes - s.offset;
}

static struct section read_section(struct cursor *c)
{
	struct section s;
	s.offset = cursor_u64(c);
	s.bytes = cursor_u64(c);
	return s;
}

/*
 * Loads one attr and the location of its IDs. Tools write as many bytes as the attr's own size field says, and the section directly
 * after it, at the end of the entry.
 */
static struct strobe_error *load_attr(struct reader *rd, const uint8_t *entry, const uint8_t *data, uint64_t bytes,
				      uint64_t *ids_left)
{
	const struct file_header *h = &rd->header;
	size_t attr_bytes = h->attr_bytes - 16;
	_Alignas(8) uint8_t attr[UINT16_MAX];
	uint32_t own_bytes;

	memcpy(attr, entry, attr_bytes);
	if (h->swapped)
		record_swap_attr(attr, attr_bytes);
	memcpy(&own_bytes, attr + 4, sizeof(own_bytes));
	if (own_bytes >= PERF_ATTR_SIZE_VER0 && own_bytes < attr_bytes)
		attr_bytes = own_bytes;
	struct cursor c = cursor_make(entry + h->attr_bytes - 16, 16, h->swapped);
	struct section ids = read_section(&c);
	if (!is_inside(ids, bytes))
		return error_create(ERROR_TRUNCATED,
				    "%s: ids of event %zu should be at %" PRIu64 "+%" PRIu64 ", the file has %" PRIu64 " bytes",
				    rd->name, rd->env->events.len, ids.offset, ids.bytes, bytes);
	/* Sections of IDs do not overlap: together they cannot exceed the file. */
	if (ids.bytes > *ids_left)
		return error_create(ERROR_FORMAT, "%s: its events have more IDs than fit into the file", rd->name);
	*ids_left -= ids.bytes;
	uint32_t nr = (uint32_t)(ids.bytes / 8);
	uint64_t *copy = arena_alloc(&rd->env->arena, (size_t)nr * 8 + 8);
	c = cursor_make(data + ids.offset, ids.bytes, h->swapped);
	for (uint32_t i = 0; i < nr; i++)
		copy[i] = cursor_u64(&c);
	env_add_event(rd->env, attr, (uint32_t)attr_bytes, NULL, copy, nr);
	return NULL;
}

static struct strobe_error *load_attrs(struct reader *rd, const uint8_t *data, uint64_t bytes)
{
	const struct file_header *h = &rd->header;
	struct section attrs = { h->attrs_offset, h->attrs_bytes };
	uint64_t ids_left = bytes;

	if (!is_inside(attrs, bytes))
		return error_create(ERROR_TRUNCATED,
				    "%s: its events should be at %" PRIu64 "+%" PRIu64 ", the file has %" PRIu64 " bytes",
				    rd->name, attrs.offset, attrs.bytes, bytes);
	for (uint64_t i = 0; i < attrs.bytes / h->attr_bytes; i++)
		TRY(load_attr(rd, data + attrs.offset + i * h->attr_bytes, data, bytes, &ids_left));
	if (!rd->env->events.len && !rd->options.may_lack_events)
		return error_create(ERROR_FORMAT, "%s has no events", rd->name);
	return NULL;
}

/* The table of sections directly follows the data, in the order of the set bits. */
static void load_features(struct reader *rd, const uint8_t *data, uint64_t bytes)
{
	const struct file_header *h = &rd->header;
	uint64_t table = h->data_offset + h->data_bytes, left = bytes;

	if (table < h->data_offset || table > bytes) {
		rd->cut_features = true;
		return;
	}
	struct cursor c = cursor_make(data + table, bytes - table, h->swapped);
	for (uint32_t bit = 0; bit < FEATURE_BITS; bit++) {
		if (!(h->features[bit / 64] >> (bit % 64) & 1))
			continue;
		struct section s = read_section(&c);
		if (!bit && rd->unfinished)
			continue;
		if (c.bad || !is_inside(s, bytes)) {
			log_info("%s: feature section %u is not inside the file", rd->name, bit);
			rd->cut_features = true;
			continue;
		}
		if (s.bytes > left) {
			log_warn("%s: feature section %u overlaps others: skipped", rd->name, bit);
			continue;
		}
		left -= s.bytes;
		feature_decode(rd->env, bit, data + s.offset, s.bytes);
	}
}

/*
 * A recorder that was killed leaves a data size of 0. So does one that recorded nothing; then a table of sections is at the data's offset,
 * with offsets after itself and inside the file.
 */
static bool is_unfinished(const struct file_header *h, const uint8_t *data, uint64_t bytes)
{
	uint64_t sections = 0;

	if (h->data_bytes || h->data_offset >= bytes)
		return false;
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		sections += (uint64_t)__builtin_popcountll(h->features[i]);
	struct cursor c = cursor_make(data + h->data_offset, bytes - h->data_offset, h->swapped);
	for (uint64_t i = 0; i < sections; i++) {
		struct section s = read_section(&c);
		if (c.bad || !is_inside(s, bytes) || s.offset < h->data_offset + sections * 16)
			return true;
	}
	return !sections;
}

/*
 * The mark of our own recorder in an unfinished file: feature 0, which is reserved, and as its section a FINISHED_ROUND with the size of
 * the table (writer_round()). Records continue after it.
 */
static bool is_checkpointed(const struct file_header *h, const uint8_t *data, uint64_t bytes)
{
	uint64_t sections = 0, table = h->data_offset + h->data_bytes;

	if (!(h->features[0] & 1) || table < h->data_offset || table > bytes)
		return false;
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		sections += (uint64_t)__builtin_popcountll(h->features[i]);
	struct cursor c = cursor_make(data + table, bytes - table, h->swapped);
	uint32_t type = cursor_u32(&c);
	uint16_t misc = cursor_u16(&c), size = cursor_u16(&c);
	return !c.bad && type == RECORD_FINISHED_ROUND && !misc && size == sections * sizeof(struct section);
}

struct strobe_error *header_load(struct reader *rd, const uint8_t *data, uint64_t bytes)
{
	const struct file_header *h = &rd->header;

	rd->env->swapped = h->swapped;
	rd->env->file_version = h->version;
	rd->env->file.data_offset = h->data_offset;
	rd->env->file.data_bytes = h->data_bytes;
	TRY(load_attrs(rd, data, bytes));
	bool checkpointed = is_checkpointed(h, data, bytes);
	rd->unfinished = checkpointed || is_unfinished(h, data, bytes);
	rd->compressed = h->features[0] >> FEATURE_COMPRESSED & 1;
	if (!rd->unfinished || checkpointed)
		load_features(rd, data, bytes);
	return NULL;
}
