#include "symbol/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/object.h"
#include "symbol/kallsyms_names.h"

uint32_t kallsyms_find(const struct kallsyms_list *l, uint64_t addr)
{
	size_t n = l->count;
	if (!n || addr < l->base || addr - l->base > UINT32_MAX)
		return KALLSYMS_NONE;
	uint32_t at = (uint32_t)(addr - l->base);
	const uint32_t *first = l->starts;
	if (at < *first)
		return KALLSYMS_NONE;
	/* The last start that is not above, by a branchless binary search. */
	while (n > 1) {
		size_t half = n / 2;
		first += first[half] <= at ? half : 0;
		n -= half;
	}
	uint32_t i = (uint32_t)(first - l->starts);
	return l->types[i] ? i : KALLSYMS_NONE;
}

const char *kallsyms_symbol(const struct kallsyms_list *l, uint32_t i, uint64_t *ret_start, uint64_t *ret_end,
			    char *ret_type)
{
	uint32_t name = l->name_offsets[i];
	*ret_start = l->base + l->starts[i];
	*ret_end = i + 1 < l->count ? l->base + l->starts[i + 1] : *ret_start;
	*ret_type = l->types[i];
	return name < l->names_bytes ? l->names + name : "";
}

static void read_key(struct kallsyms_key *key)
{
	_cleanup_strbuf_ struct strbuf boot = {}, modules = {};
	memset(key, 0, sizeof(*key));
	struct strobe_error *err = file_read("/proc/sys/kernel/random/boot_id", &boot, 4096);
	if (!err && boot.len >= 36)
		memcpy(key->boot_id, boot.data, 36);
	error_destroy(err);
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t n = object_build_id_of_notes(KERNEL_NOTES, id);
	key->build_id_len = (uint32_t)(n < KALLSYMS_BUILD_ID_MAX ? n : KALLSYMS_BUILD_ID_MAX);
	memcpy(key->build_id, id, key->build_id_len);
	/* "name size references users state address": references change all the time and move no symbol. */
	err = file_read("/proc/modules", &modules, 16 << 20);
	for (char *line = err || !modules.len ? NULL : modules.data, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		size_t bytes = next ? (size_t)(next - line) : strlen(line);
		const char *address = memmem(line, bytes, " 0x", 3);
		const char *space = memchr(line, ' ', bytes);
		size_t name_bytes = space ? (size_t)(space - line) : bytes;
		key->modules = hash_combine(key->modules, hash_bytes(line, name_bytes));
		if (address)
			key->modules =
				hash_combine(key->modules, hash_bytes(address, bytes - (size_t)(address - line)));
		next = next ? next + 1 : NULL;
	}
	error_destroy(err);
}

static char *hidden_problem(void)
{
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = file_read("/proc/sys/kernel/kptr_restrict", &text, 64);
	uint64_t level = 0;
	if (!err && text.len) {
		text.data[strcspn(text.data, "\n")] = 0;
		if (text_to_u64(text.data, &level) && level)
			return xasprintf("kernel symbols are hidden: kernel.kptr_restrict is %llu; run as root%s",
					 (unsigned long long)level,
					 level > 1 ? " after sysctl kernel.kptr_restrict=1" : " or set it to 0");
	}
	return xstrdup("kernel symbols are hidden from this user: run as root, or set kernel.perf_event_paranoid to 1 "
		       "or lower "
		       "(kernel.kptr_restrict is 0)");
}

struct strobe_error *kallsyms_hidden_error(const char *path)
{
	if (path)
		return error_create(ERROR_FORMAT, "all addresses in %s are zero", path);
	_cleanup_free_ char *problem = hidden_problem();
	return error_with_check("kernel-symbols", error_create(ERROR_PERMISSION, "%s", problem));
}

struct strobe_error *kallsyms_read(const char *path, struct strbuf *ret)
{
	return file_read(path ? path : "/proc/kallsyms", ret, 0);
}

#define PIECE_BYTES ((size_t)64 << 10)

/* In pieces: procfs returns a page at a time, and a buffer for the whole text would cost many page faults. */
static struct strobe_error *parse_file(struct kallsyms *k, const char *path, bool *ret_shown)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(errno, "cannot open %s", path);
	_cleanup_free_ char *piece = xmalloc(PIECE_BYTES);
	struct kallsyms_parser *p = kallsyms_parser_create(k);
	struct strobe_error *err = NULL;
	size_t have = 0;
	for (;;) {
		ssize_t n = read(fd, piece + have, PIECE_BYTES - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = error_errno(errno, "cannot read %s", path);
		have += n > 0 ? (size_t)n : 0;
		if (n > 0 && have < PIECE_BYTES)
			continue;
		kallsyms_parser_feed(p, piece, have);
		have = 0;
		if (n <= 0)
			break;
	}
	*ret_shown = kallsyms_parser_finish(p);
	return err;
}

static void *save(void *arg)
{
	kallsyms_cache_save(arg);
	return NULL;
}

static void load_text(struct kallsyms *k, const char *path)
{
	bool shown;
	struct strobe_error *err = parse_file(k, path, &shown);
	if (err) {
		k->problem = xasprintf("no kernel symbols: %s", err->message);
		error_destroy(err);
		return;
	}
	if (!shown)
		k->problem = k->live ? hidden_problem() : xasprintf("all addresses in %s are zero", path);
	else if (!k->list.count)
		k->problem = xasprintf("no kernel symbols in %s", path);
	else if (k->live)
		k->saving = !pthread_create(&k->saver, NULL, save, k);
}

void kallsyms_load(struct kallsyms *k, const char *path)
{
	memset(k, 0, sizeof(*k));
	k->cache.slot = -1;
	if (path) {
		load_text(k, path);
		return;
	}
	read_key(&k->key);
	k->live = true;
	memcpy(k->build_id, k->key.build_id, sizeof(k->build_id));
	k->build_id_len = (uint8_t)k->key.build_id_len;
	if (!kallsyms_cache_load(k))
		load_text(k, "/proc/kallsyms");
}

void kallsyms_deinit(struct kallsyms *k)
{
	if (k->saving)
		pthread_join(k->saver, NULL);
	for (size_t i = 0; i < sizeof(k->memory) / sizeof(*k->memory); i++)
		free(k->memory[i]);
	filemap_close(&k->cache);
	free(k->problem);
}
