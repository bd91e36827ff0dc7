/*
 * Profiles to and from the formats of other programs.
 *
 * A format is a descriptor in the table of exchange.c, with a reader, a writer or both. Bytes from outside are hostile: readers
 * check every length against the data, and report errors in one sentence. A returned profile is owned by the caller. Writers append
 * to a byte sink; its close reports failed writes.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"

/* The bytes of a profile, unpacked. They can be many: a reader may free them as soon as it does not need them. */
struct exchange_bytes {
	const uint8_t *p; /* NULL once they are freed */
	size_t n;
	uint8_t *owned;   /* the allocation of p if the file was packed; NULL: p is borrowed */
};
void exchange_bytes_free(struct exchange_bytes *b);

struct exchange_format {
	const char *name;            /* the value for --from and --to */
	const char *what;            /* for people */
	const char *const *suffixes; /* of file names, NULL-terminated */
	/* Whether bytes look like this format; NULL: it cannot be recognized. */
	bool (*probe)(const uint8_t *p, size_t n);
	struct strobe_error *(*read)(const uint8_t *p, size_t n, struct profile **ret);
	struct strobe_error *(*write)(const struct profile *p, struct out *out);
	/* Like read, for callers that need only one kind of values (NULL: all), and may free the bytes early. Or NULL. */
	struct strobe_error *(*read_value)(struct exchange_bytes *b, const char *value, struct profile **ret);
};

extern const struct exchange_format exchange_formats[];
extern const size_t exchange_formats_nr;

/* By name, or NULL. */
const struct exchange_format *exchange_find(const char *name);
/* By the suffix of a path, among formats that can be written; NULL if none has it. */
const struct exchange_format *exchange_by_path(const char *path);
/* By the bytes; NULL if no reader recognizes them. */
const struct exchange_format *exchange_probe(const uint8_t *p, size_t n);

/*
 * Reads a profile from a file's bytes, which may be packed with gzip. format NULL: recognized by the bytes. name is for messages.
 */
struct strobe_error *exchange_read(const uint8_t *p, size_t n, const char *name, const struct exchange_format *format,
				   struct profile **ret) _must_check_;
/*
 * The same in two steps, for callers that can free the file once it is unpacked: exchange_unpack(), then a function that reads the
 * bytes and frees them. Data that packs too well for a profile is not unpacked to its end: ERROR_LIMIT.
 */
struct strobe_error *exchange_unpack(const uint8_t *p, size_t n, const char *name, struct exchange_bytes *ret) _must_check_;
struct strobe_error *exchange_read_bytes(struct exchange_bytes *b, const char *name, const struct exchange_format *format,
					 const char *value, struct profile **ret) _must_check_;
/* The same, for the rows of one value, named as in profile_choose_event(); others may be present. */
struct strobe_error *exchange_read_value(const uint8_t *p, size_t n, const char *name, const struct exchange_format *format,
					 const char *value, struct profile **ret) _must_check_;

/* Google's profile.proto, not packed. */
bool pprof_probe(const uint8_t *p, size_t n);
struct strobe_error *pprof_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;
/*
 * With the rows of one kind of values (profile_choose_event()), also those with value 0 if the sample has other values. With all
 * rows if value is NULL, or if no values have that name.
 */
struct strobe_error *pprof_read_value(struct exchange_bytes *b, const char *value, struct profile **ret) _must_check_;
/* Packed with gzip, and not packed. */
struct strobe_error *pprof_write(const struct profile *p, struct out *out) _must_check_;
struct strobe_error *pprof_write_raw(const struct profile *p, struct out *out) _must_check_;

/* What `perf script` prints, with its default fields or fewer; time and place of each sample are kept in the log. */
bool script_probe(const uint8_t *p, size_t n);
struct strobe_error *script_read(const uint8_t *p, size_t n, struct profile **ret) _must_check_;

/* Lines "outermost;…;innermost VALUE"; a last word in brackets or with _[k] _[j] _[i] marks is part of a name. */
bool folded_probe(const uint8_t *p, size_t n);
#define FOLDED_BASE_EVENT "before"
struct folded_form {
	bool two_values; /* lines end in two numbers, as difffolded.pl makes them: the events FOLDED_BASE_EVENT and "samples" */
	bool keep_order; /* each line is a separate row (distinguished by the label "line"), in the order of the file */
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

/* JSON of other viewers. Labels are in strobe's own members, which the viewers ignore. */
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
