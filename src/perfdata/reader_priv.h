/* State shared by the files of the reader. */
#pragma once
#include "base/cursor.h"
#include "base/vector.h"
#include "perfdata/input_priv.h"
#include "perfdata/reader.h"

#define PERF_MAGIC_V2 0x32454c4946524550ull /* "PERFILE2" */
#define PERF_MAGIC_V1 "PERFFILE"
#define PERF_PIPE_HEADER_BYTES 16
#define PERF_FILE_HEADER_BYTES 104

struct file_header {
	bool is_pipe, swapped;
	uint32_t version;
	uint64_t header_bytes, attr_bytes; /* attr_bytes: of an attr and its section of ids */
	uint64_t attrs_offset, attrs_bytes, data_offset, data_bytes;
	uint64_t features[FEATURE_BITS / 64];
};

struct reader {
	struct record_source source;
	struct env *env;
	struct reader_options options;
	VEC(struct input) inputs; /* more than one in a directory */
	size_t current;
	struct file_header header;
	char *name;
	bool stable;              /* returned records stay valid: in memory, of our byte order, neither pipe form nor compressed */
	bool unfinished, ended;
	bool cut_data;            /* the file ends before its data does, according to the header */
	bool cut_features;        /* … or before its feature sections do */
	bool compressed;          /* by the header: COMPRESSED records may come */
	struct reader_damage damage;
	uint64_t records;         /* returned so far */
	uint64_t applied;         /* number of records from the start that are already in the environment */
	uint64_t preloaded;       /* position up to which records were applied before the first was read */
	uint64_t fast_end;        /* up to here next() needs to check only sizes; 0: never */
	uint64_t populated;       /* position up to which populating was requested */
	uint64_t released;        /* up to here pages of the mapping were released */
	uint64_t progressed;
	uint64_t payload_left;    /* bytes that follow the last record */
	uint8_t *scratch;         /* a record that was swapped or copied for alignment */
	struct strobe_error *error; /* the error that ended the stream: returned by each further call */
};

/* header.c */
struct strobe_error *header_parse(const char *name, const void *data, size_t bytes, struct file_header *ret) _must_check_;
/* Attrs and feature sections of a file in memory into env. */
struct strobe_error *header_load(struct reader *rd, const uint8_t *data, uint64_t bytes) _must_check_;

/* features.c: decodes one section into env; damaged data is left out. The bytes must outlive env. */
void feature_decode(struct env *e, uint32_t bit, const void *data, uint64_t bytes);
/* Applies names and groups again: some streams send them before their events. */
void feature_refresh_events(struct env *e);

/* stream.c: applies a record about the recording itself. Payload of TRACING_DATA is kept by reader.c. */
void stream_apply(struct env *e, struct record r);

/* reader.c */
struct strobe_error *reader_preload(struct reader *rd) _must_check_;
extern const struct record_source_ops reader_ops;
