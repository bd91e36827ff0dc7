#include "cmd/input.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/reader.h"

const char *input_path(const char *given)
{
	struct stat st;
	if (given && *given)
		return given;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

struct strobe_error *input_open(const char *given, bool force, struct record_source **ret)
{
	const char *path = input_path(given);
	struct strobe_error *err = reader_open(path, (struct reader_options){ .force = force }, ret);
	if (err && err->code == ERROR_NOT_FOUND && !given)
		return error_prefix(err, "no recording to read; make one with 'record', or name one with -i");
	return err;
}

void input_remarks(const struct cmd_context *ctx, struct record_source *source, const struct resolve_stats *stats)
{
	struct reader_damage damage = reader_damage(source);
	if (reader_was_unfinished(source))
		cmd_say(ctx, "the recorder did not finish this recording; it was read to its last whole record");
	if (damage.bad_records)
		cmd_say(ctx, "%" PRIu64 " damaged records (%" PRIu64 " bytes) were skipped", damage.bad_records,
			damage.skipped_bytes);
	if (!stats)
		return;
	if (stats->lost_records || stats->lost_samples)
		cmd_say(ctx,
			"%" PRIu64 " records and %" PRIu64 " samples were lost while recording: the result is incomplete. "
			"Record fewer events or at a lower rate, or with larger buffers (-m)",
			stats->lost_records, stats->lost_samples);
	if (stats->bad_samples)
		cmd_say(ctx, "%" PRIu64 " samples are shorter than their event says and were left out", stats->bad_samples);
	if (stats->unknown_id_samples)
		cmd_say(ctx, "%" PRIu64 " samples belong to no event of this recording and were left out",
			stats->unknown_id_samples);
}
