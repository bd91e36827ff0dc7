/*
 * Profiles to and from the formats of other programs.
 *
 * A format is a descriptor in the table of exchange.c, with a reader, a writer or both. Bytes from outside are hostile:
 * readers check every length against what is there, and say in one sentence what is wrong. A profile that is returned
 * belongs to the caller. Writers append to a byte sink; its close reports failed writes.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"

/* The bytes of a profile, unpacked. Who reads them may free them as soon as they are of no more use: they can be many. */
struct exchange_bytes {
	const uint8_t *p; /* NULL once they are freed */
	size_t n;
	uint8_t *owned;   /* what p is in where it was packed; NULL: p is borrowed */
};
void exchange_bytes_free(struct exchange_bytes *b);

struct exchange_format {
	const char *name;            /* what --from and --to call it */
	const char *what;            /* for people */
	const char *const *suffixes; /* of file names, NULL-terminated */
	/* Whether bytes look like it; NULL where the format cannot be recognized. */
	bool (*probe)(const uint8_t *p, size_t n);
	struct strobe_error *(*read)(const uint8_t *p, size_t n, struct profile **ret);
	struct strobe_error *(*write)(const struct profile *p, struct out *out);
	/* As read, for callers that need one kind of values only (NULL: all), of bytes that may be freed early; or NULL. */
	struct strobe_error *(*read_value)(struct exchange_bytes *b, const char *value, struct profile **ret);
};

extern const struct exchange_format exchange_formats[];
extern const size_t exchange_formats_nr;

/* By name, or NULL. */
const struct exchange_format *exchange_find(const char *name);
/* By how a path ends, of those that can be written; NULL where none ends so. */
const struct exchange_format *exchange_by_path(const char *path);
/* By what the bytes look like; NULL where no reader knows them. */
const struct exchange_format *exchange_probe(const uint8_t *p, size_t n);

/*
 * Reads a profile out of a file's bytes, which may be packed with gzip. format NULL: what they look like. name is for
 * messages.
 */
struct strobe_error *exchange_read(const uint8_t *p, size_t n, const char *name, const struct exchange_format *format,
				   struct profile **ret) _must_check_;
/*
 * In two steps, for who need not keep the file once it is unpacked: bytes, which are to be read (and so freed); the rest. What
 * packs so well that it can be no profile is not unpacked to its end: ERROR_LIMIT.
 */
struct strobe_error *exchange_unpack(const uint8_t *p, size_t n, const char *name, struct exchange_bytes *ret) _must_check_;
struct strobe_error *exchange_read_bytes(struct exchange_bytes *b, const char *name, const struct exchange_format *format,
					 const char *value, struct profile **ret) _must_check_;
/* The same; value: the only one whose rows are needed, as profile_choose_event() names it; others may be there. */
struct strobe_error *exchange_read_value(const uint8_t *p, size_t n, const char *name, const struct exchange_format *format,
					 const char *value, struct profile **ret) _must_check_;

/* Google's profile.proto, not packed. */
bool pprof_probe(const uint8_t *p, size_t n);
struct strobe_error *pprof_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
/*
 * With the rows of one kind of values only (profile_choose_event()), those of value 0 too where a sample has others; of all where
 * it has none of that name; NULL: of all.
 */
struct strobe_error *pprof_read_value(struct exchange_bytes *b, const char *value, struct profile **ret) _must_check_;
/* Packed with gzip, and as it is. */
struct strobe_error *pprof_write(const struct profile *p, struct out *out) _must_check_;
struct strobe_error *pprof_write_raw(const struct profile *p, struct out *out) _must_check_;

/* What `perf script` prints, with its default fields or fewer; time and place of each sample go into the log. */
bool script_probe(const uint8_t *p, size_t n);
struct strobe_error *script_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;

/* Lines "outermost;…;innermost VALUE"; a last word in brackets or with _[k] _[j] _[i] marks is part of a name. */
bool folded_probe(const uint8_t *p, size_t n);
#define FOLDED_BASE_EVENT "before"
struct folded_form {
	bool two_values; /* lines end in two numbers, as difffolded.pl makes them: the events FOLDED_BASE_EVENT and "samples" */
	bool keep_order; /* each line is a row of its own (distinguished by the label "line"), in the order of the file */
};
struct strobe_error *folded_read_as(const uint8_t *p, size_t n, struct folded_form form, struct profile **ret) _must_check_;
/* Whether its first line ends in two numbers. */
bool folded_has_two_values(const uint8_t *p, size_t n);
struct strobe_error *folded_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;

/* CPU profiles of gperftools; the text profiles of gperftools and Go: heap, contention, threads, counts. Addresses only. */
bool gperftools_cpu_probe(const uint8_t *p, size_t n);
struct strobe_error *gperftools_cpu_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
bool legacy_text_probe(const uint8_t *p, size_t n);
struct strobe_error *legacy_text_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;

/* The heap profiles of gperftools; ERROR_UNSUPPORTED if the profile is not one of a heap. */
struct strobe_error *heap_text_write(const struct profile *p, struct out *out) _must_check_;

/* JSON of other viewers. Labels are kept under names of ours that they pass over. */
bool speedscope_probe(const uint8_t *p, size_t n);
struct strobe_error *speedscope_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
struct strobe_error *speedscope_write(const struct profile *p, struct out *out) _must_check_;
bool firefox_probe(const uint8_t *p, size_t n);
struct strobe_error *firefox_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
struct strobe_error *firefox_write(const struct profile *p, struct out *out) _must_check_;
bool chrome_trace_probe(const uint8_t *p, size_t n);
struct strobe_error *chrome_trace_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
struct strobe_error *chrome_trace_write(const struct profile *p, struct out *out) _must_check_;
/* Rows, for programs. */
bool csv_probe(const uint8_t *p, size_t n);
struct strobe_error *csv_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
struct strobe_error *csv_write(const struct profile *p, struct out *out) _must_check_;
bool profile_json_probe(const uint8_t *p, size_t n);
struct strobe_error *profile_json_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
struct strobe_error *profile_json_write(const struct profile *p, struct out *out) _must_check_;
