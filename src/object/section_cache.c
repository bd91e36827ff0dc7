/*
 * A cache of decompressed sections. Decompressing a debug file of Debian takes tens of milliseconds for a few names; the
 * second report maps the cached result. The key is the file's inode, size, and change time (ctime), which cannot be set.
 */
#include <inttypes.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/user_cache.h"
#include "object/object_priv.h"

/* Smaller sections are decompressed in a millisecond; larger ones would take too much disk space. The whole cache has a limit, too. */
#define KEPT_MIN   ((uint64_t)128 << 10)
#define KEPT_MAX   ((uint64_t)128 << 20)
#define FOLDER_MAX ((uint64_t)512 << 20)

#define FOLDER	"sections"
#define MAGIC	"strobeSC"
#define VERSION 1

/* Native byte order and layout, since it never leaves the machine. The content follows. */
struct kept_header {
	char magic[8];
	uint32_t version, header_bytes;
	struct filemap_identity file;
	uint64_t section_offset, bytes;
};

static struct kept_header header_of(const struct object *o, const struct object_section *s, uint64_t bytes)
{
	return (struct kept_header){
		.magic = MAGIC,
		.version = VERSION,
		.header_bytes = sizeof(struct kept_header),
		.file = o->map.identity,
		.section_offset = s->offset,
		.bytes = bytes,
	};
}

/* File times have a resolution of milliseconds: a file that was just changed may change again within the same tick. */
static bool is_settled(const struct filemap_identity *file)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return file->inode && file->changed_ns / NS_PER_S + 2 < (uint64_t)now.tv_sec;
}

static bool is_worthwhile(const struct object *o, uint64_t bytes)
{
	return bytes >= KEPT_MIN && bytes <= KEPT_MAX && !o->unpacked && is_settled(&o->map.identity);
}

static char *name_of(const struct object *o, const struct object_section *s)
{
	const struct filemap_identity *file = &o->map.identity;
	return xasprintf(FOLDER "/%" PRIx64 "-%" PRIx64 "-%" PRIx64, file->device, file->inode, s->offset);
}

bool section_cache_map(const struct object *o, const struct object_section *s, uint64_t bytes, struct object_inflated *to)
{
	_cleanup_free_ char *name = is_worthwhile(o, bytes) ? name_of(o, s) : NULL;
	if (!name || !user_cache_map(name, &to->kept))
		return false;
	struct kept_header expected = header_of(o, s, bytes);
	if (to->kept.bytes != sizeof(expected) + bytes || memcmp(to->kept.data, &expected, sizeof(expected))) {
		filemap_close(&to->kept);
		return false;
	}
	to->data = to->kept.data + sizeof(expected);
	to->bytes = (size_t)bytes;
	return true;
}

void section_cache_save(const struct object *o, const struct object_section *s, const void *data, size_t bytes)
{
	_cleanup_free_ char *name = is_worthwhile(o, bytes) ? name_of(o, s) : NULL;
	if (!name)
		return;
	struct kept_header h = header_of(o, s, bytes);
	struct iovec v[] = { { &h, sizeof(h) }, { (void *)data, bytes } };
	user_cache_save(name, v, 2);
	user_cache_trim(FOLDER, FOLDER_MAX);
}
