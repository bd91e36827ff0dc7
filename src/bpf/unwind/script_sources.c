/* Line ends of V8's script sources, which V8 keeps as text in memory. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "base/hash.h"
#include "bpf/unwind/scripts_priv.h"
#include "sys/process_files.h"
#include "sys/process_memory.h"

bool scripts_read_process(void *ctx, uint64_t at, void *to, size_t n)
{
	return process_read(*(const pid_t *)ctx, at, to, n) == n;
}

/* Opens the path in the process's view of the file system or, if it has ended, in ours. The script chooses the path: it may be a pipe or
 * a device. */
static void read_file(uint32_t pid, const char *path, uint32_t units, struct v8_line_ends *ret)
{
	int its = process_file_open(pid, path);
	_cleanup_close_ int fd = its >= 0 ? its : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct filemap map;
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	struct strobe_error *err = filemap_open_fd(&map, fd, path);
	if (!err) {
		v8_line_ends_of_text(map.data, map.bytes, units, ret);
		filemap_close(&map);
	}
	error_destroy(err);
}

const struct v8_line_ends *scripts_line_ends(struct scripts *s, const struct script_space *space, uint32_t pid,
					     const struct script_code_message *m, const char *file)
{
	bool is_new;
	uint64_t *at = u64map_put(&s->by_source, hash_combine(hash_combine(hash_u64(m->mm), m->source), m->size), &is_new);
	if (!is_new)
		return &s->sources.data[*at].ends;
	struct script_source source = { .mm = m->mm, .string = m->source, .units = m->size };
	pid_t process = (pid_t)pid;
	struct interp_memory memory = { .read = scripts_read_process, .ctx = &process };
	if (!v8_line_ends_of_string(&memory, &space->v8, m->source, m->size, &source.ends) && *file == '/')
		read_file(pid, file, m->size, &source.ends);
	*at = s->sources.len;
	vec_push(&s->sources, source);
	return &vec_last(&s->sources).ends;
}

void scripts_sources_deinit(struct scripts *s)
{
	for (size_t i = 0; i < s->sources.len; i++)
		vec_deinit(&s->sources.data[i].ends);
	vec_deinit(&s->sources);
	u64map_deinit(&s->by_source);
}
