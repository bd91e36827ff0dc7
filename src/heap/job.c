#include "heap/job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/text.h"
#include "exchange/exchange.h"
#include "heap/attach.h"
#include "heap/check.h"

#define FUNCTIONS    10
#define REQUEST_MOST 65536

void heap_job_defaults(struct heap_job *j)
{
	j->output = "heap.pb.gz";
	j->report.functions = FUNCTIONS;
}

struct strobe_error *heap_job_check(struct heap_job *j)
{
	if (!j->pids == !j->command)
		return error_create(ERROR_USAGE, "specify either a command or -p");
	if (j->heapcheck && !j->pids)
		return error_create(ERROR_USAGE, "--heapcheck requires -p");
	if (j->rate && (!text_to_bytes(j->rate, &j->settings.rate) || !j->settings.rate))
		return error_create(ERROR_USAGE, "invalid number of bytes '%s'", j->rate);
	if (!j->rate)
		j->settings.rate = ALLOC_RATE_DEFAULT;
	if (j->exact || j->settings.leaks)
		j->settings.rate = 1;
	if (j->settings.depth > ALLOC_FRAMES_MAX)
		return error_create(ERROR_USAGE, "--depth is at most %d", ALLOC_FRAMES_MAX);
	if (!(j->snapshots_s >= 0 && j->snapshots_s < 1e6))
		return error_create(ERROR_USAGE, "invalid number of seconds for --snapshots");
	if (j->pids && j->snapshots_s > 0)
		return error_create(ERROR_USAGE, "--snapshots is for commands");
	j->settings.snapshot_ns = (uint64_t)(j->snapshots_s * 1e9);
	return table_format_parse(j->format, &j->report.format);
}

/* ---- files ---- */

struct output {
	const struct heap *heap;
	const struct heap_job *job;
	const struct exchange_format *format;
};

static struct strobe_error *write_profile(void *ctx, struct out *out)
{
	const struct output *o = ctx;
	return o->format->write(o->heap->profile, out);
}

static struct strobe_error *write_tables(void *ctx, struct out *out)
{
	const struct output *o = ctx;
	heap_report_write(out, o->heap, &o->job->report);
	return NULL;
}

static struct strobe_error *write_heap(const struct heap_job *j, struct heap *heap, const char *path)
{
	struct output output = { heap, j, exchange_by_path(path) };
	if (!output.format)
		output.format = exchange_find("pprof");
	TRY(heap_name(heap, j->host));
	return j->write_file(path, write_profile, &output);
}

/* Before the run rather than after it. A pipe or a device is opened only once. */
static struct strobe_error *check_output(const char *path)
{
	_cleanup_new_file_ struct new_file f = NEW_FILE_NONE;
	struct stat st;
	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return NULL;
	return new_file_create(path, &f);
}

static struct strobe_error *show(const struct heap_job *j, const struct heap *heap, bool is_written)
{
	struct out out;
	struct output output = { heap, j, NULL };
	if (j->report_file)
		return j->write_file(j->report_file, write_tables, &output);
	out_init_fd(&out, j->report.format == TABLE_AS_TEXT ? j->text_fd : j->data_fd);
	heap_report_write(&out, heap, &j->report);
	TRY(out_close(&out));
	if (j->report.format == TABLE_AS_TEXT && is_written)
		session_say(j->host, "wrote %s; show it with strobe pprof -top or strobe flamegraph -i", j->output);
	return NULL;
}

struct snapshots {
	const struct heap_job *job;
	unsigned nr;
};

/* heap.pb.gz → heap.0001.pb.gz */
static struct strobe_error *write_snapshot(void *ctx, struct heap *heap)
{
	struct snapshots *s = ctx;
	const char *path = s->job->output, *name = text_base_name(path), *dot = strchr(name, '.');
	int before = (int)((dot ? dot : name + strlen(name)) - path);
	_cleanup_free_ char *to = xasprintf("%.*s.%04u%s", before, path, ++s->nr, path + before);
	return write_heap(s->job, heap, to);
}

/* ---- the run ---- */

static struct strobe_error *attach_all(const struct heap_job *j, struct heap *heap)
{
	_cleanup_free_ char *words = xstrdup(j->pids);
	char *rest = NULL;
	for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t pid;
		if (!text_to_u64(word, &pid) || !pid || pid > INT32_MAX)
			return error_create(ERROR_USAGE, "'%s' is not a valid process ID", word);
		TRY(heap_attach(heap, (uint32_t)pid, j->settings.leaks));
	}
	return NULL;
}

/* Tables in data formats go to standard output; text goes to a descriptor apart from the command's output. */
static bool has_document(const struct heap_job *j)
{
	return j->report.format != TABLE_AS_TEXT && !j->report_file;
}

static struct strobe_error *fill(const struct heap_job *j, struct heap *heap, int *ret_status)
{
	struct snapshots snapshots = { j, 0 };
	const struct heap_run run = {
		.host = j->host,
		.settings = j->settings,
		.command = j->command,
		.stdout_to_stderr = has_document(j),
		.snapshot = write_snapshot,
		.ctx = &snapshots,
	};
	if (j->pids)
		return attach_all(j, heap);
	TRY(heap_run_command(&run, heap, ret_status));
	if (heap->processes.len)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "no process loaded libstrobe_alloc.so: programs that are statically linked, clear "
			    "their environment, or are set-user-ID, do not");
}

static struct strobe_error *answer_request(const struct heap_job *j)
{
	_cleanup_strbuf_ struct strbuf request = {};
	struct out text, answer;
	uint64_t pid;
	if (!text_to_u64(j->pids, &pid) || !pid || pid > INT32_MAX)
		return error_create(ERROR_USAGE, "'%s' is not a valid process ID", j->pids);
	TRY(file_read_fd(j->request_fd, "the request", &request, REQUEST_MOST));
	out_init_fd(&text, j->text_fd);
	out_init_fd(&answer, j->data_fd);
	const struct heap_check_job job = { .host = j->host, .pid = (uint32_t)pid, .request = strbuf_str(&request),
					    .write_file = j->write_file, .text = &text, .answer = &answer };
	struct strobe_error *err = heap_check_run(&job), *of_text = out_close(&text), *of_answer = out_close(&answer);
	error_destroy(of_text); /* the program's standard error may be closed */
	if (!err)
		return of_answer;
	error_destroy(of_answer);
	return err;
}

struct strobe_error *heap_job_run(struct heap_job *j, int *ret_status)
{
	struct heap heap;
	*ret_status = 0;
	if (j->heapcheck)
		return answer_request(j);
	j->report.is_live = j->pids != NULL;
	TRY(check_output(j->output));
	heap_init(&heap, j->report.is_live);
	struct strobe_error *err = fill(j, &heap, ret_status);
	if (!err) {
		err = write_heap(j, &heap, j->output);
		/* What a full disk does not hold is at least shown. */
		struct strobe_error *of_tables = show(j, &heap, !err);
		if (err)
			error_destroy(of_tables);
		else
			err = of_tables;
	}
	heap_deinit(&heap);
	return err;
}
