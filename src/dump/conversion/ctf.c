#include "dump/conversion/ctf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "base/vector.h"

#define CTF_MAGIC 0xc1fc1fc1u
#define METADATA "metadata"
#define STREAM "perf_stream_"
/* Packets are written when they have this size, which the last event may exceed. */
#define PACKET_BYTES (256u * 1024)
/* Readers count from 1970 in 63 bits, and reject the whole trace if a damaged time does not fit: times are limited to 146 years. */
#define LATEST_NS (UINT64_C(1) << 62)
/* A damaged sample may have any CPU, and each CPU has a file: impossible ones are written to that of unknown CPUs. */
#define CPUS_MAX 16384

/* The header of a packet, as described below. */
struct packet_head {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t first_ns, last_ns;
	uint64_t content_bits, packet_bits;
	uint64_t lost;
	uint32_t cpu;
} __attribute__((packed));

static const char stream_description[] =
	"\tpacket.header := struct {\n"
	"\t\tuint32_t magic;\n"
	"\t\tuint8_t uuid[16];\n"
	"\t\tuint32_t stream_id;\n"
	"\t};\n"
	"};\n\n";
static const char event_description[] =
	"stream {\n"
	"\tid = 0;\n"
	"\tevent.header := struct {\n"
	"\t\tuint32_t id;\n"
	"\t\ttime_t timestamp;\n"
	"\t};\n"
	"\tpacket.context := struct {\n"
	"\t\ttime_t timestamp_begin;\n"
	"\t\ttime_t timestamp_end;\n"
	"\t\tuint64_t content_size;\n"
	"\t\tuint64_t packet_size;\n"
	"\t\tuint64_t events_discarded;\n"
	"\t\tuint32_t cpu_id;\n"
	"\t};\n"
	"};\n\n";

struct stream {
	struct out packet; /* in memory; its header is filled in when it is written */
	uint64_t first_ns, last_ns, lost;
	bool has_file;
};

struct ctf_trace {
	char *path;
	int fd;
	bool made_directory, is_finished;
	uint8_t uuid[16];
	VEC(struct stream *) streams; /* by CPU; NULL: no events */
	struct out classes;           /* their description */
	uint32_t classes_nr;
	struct strtab names;          /* of the fields of the current class */
	struct strobe_error *error;   /* the first */
};

/* ---- names and strings ---- */

/* Keywords of TSDL, and types defined by the description, which cannot be names of fields. */
static const char *const words[] = {
	"_Bool",  "_Complex", "_Imaginary", "align",  "callsite", "char",   "clock",     "const",   "double",   "enum",    "env",
	"event",  "float",    "floating_point", "int", "integer", "long",   "short",     "signed",  "stream",   "string",  "struct",
	"trace",  "typealias", "typedef",   "unsigned", "variant", "void",  "time_t",    "uint8_t", "uint16_t", "uint32_t", "uint64_t",
	"int8_t", "int16_t",  "int32_t",    "int64_t", "hex8_t",  "hex16_t", "hex32_t",  "hex64_t", "text_t",
};

static bool is_word(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

static bool is_name_letter(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * The name as written. Readers strip one leading underscore: so one is prepended to names that begin with one, with a digit,
 * or are keywords. Duplicates are numbered as in perf.
 */
static const char *take_name(struct ctf_trace *t, const char *name, const char *suffix)
{
	_cleanup_strbuf_ struct strbuf b = {};
	if (is_word(name) || *name == '_' || !is_name_letter(*name) || (*name >= '0' && *name <= '9'))
		strbuf_addch(&b, '_');
	for (const char *p = name; *p; p++)
		strbuf_addch(&b, is_name_letter(*p) ? *p : '_');
	strbuf_addstr(&b, suffix);
	size_t plain = b.len;
	for (unsigned i = 0; strtab_find(&t->names, strbuf_str(&b)) != IDSET_NONE; i++) {
		b.len = plain;
		strbuf_addf(&b, "_dupl_%u", i);
	}
	return strtab_get(&t->names, strtab_add(&t->names, strbuf_str(&b)));
}

/* Escapes text; in_quotes: for a string of TSDL, which supports escapes. */
static void put_text(struct out *out, const char *s, size_t n, bool in_quotes)
{
	for (size_t k; n; s += k, n -= k) {
		uint32_t c;
		k = utf8_decode(s, n, &c);
		if (in_quotes && (*s == '"' || *s == '\\'))
			out_ch(out, '\\');
		if (k && !utf8_steers(c)) {
			out_write(out, s, k);
		} else {
			k = 1;
			out_f(out, in_quotes ? "\\\\x%02x" : "\\x%02x", (unsigned char)*s);
		}
	}
}

static void put_quoted(struct out *out, const char *s)
{
	out_ch(out, '"');
	put_text(out, s, strlen(s), true);
	out_ch(out, '"');
}

void ctf_put_string(struct out *out, const char *s, size_t n)
{
	size_t plain = 0;
	while (plain < n && s[plain] >= 0x20 && s[plain] < 0x7f)
		plain++;
	out_write(out, s, plain);
	put_text(out, s + plain, n - plain, false);
	out_ch(out, 0);
}

/* ---- the directory ---- */

static bool is_of_trace(const char *name)
{
	if (!strcmp(name, METADATA))
		return true;
	if (strncmp(name, STREAM, strlen(STREAM)))
		return false;
	name += strlen(STREAM);
	return *name && strspn(name, "0123456789") == strlen(name);
}

/* Calls visit for each file of the directory, until it returns an error. */
static struct strobe_error *each_file(struct ctf_trace *t, struct strobe_error *(*visit)(struct ctf_trace *t, const char *name))
{
	struct strobe_error *err = NULL;
	int fd = openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		err = error_errno(errno, "cannot read the directory %s", t->path);
		if (fd >= 0)
			close(fd);
		return err;
	}
	for (struct dirent *e; !err && (e = readdir(d));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			err = visit(t, e->d_name);
	closedir(d);
	return err;
}

static struct strobe_error *check_foreign(struct ctf_trace *t, const char *name)
{
	if (is_of_trace(name))
		return NULL;
	return error_create(ERROR_USAGE, "%s contains %s, which readers would take for a part of the trace: "
			    "specify an empty directory", t->path, name);
}

static struct strobe_error *check_empty(struct ctf_trace *t, const char *name)
{
	TRY(check_foreign(t, name));
	return error_create(ERROR_USAGE, "%s contains a trace; use --overwrite to replace it", t->path);
}

static struct strobe_error *remove_file(struct ctf_trace *t, const char *name)
{
	if (is_of_trace(name) && unlinkat(t->fd, name, 0))
		return error_errno(errno, "cannot remove %s/%s", t->path, name);
	return NULL;
}

static struct strobe_error *open_directory(struct ctf_trace *t, bool replace)
{
	t->made_directory = !mkdir(t->path, 0700);
	if (!t->made_directory && errno != EEXIST)
		return error_errno(errno, "cannot create the directory %s", t->path);
	t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->fd < 0)
		return error_errno(errno, "cannot write a trace to %s", t->path);
	if (t->made_directory)
		return NULL;
	TRY(each_file(t, replace ? check_foreign : check_empty));
	return replace ? each_file(t, remove_file) : NULL;
}

struct strobe_error *ctf_create(const char *directory, bool replace, struct ctf_trace **ret)
{
	struct ctf_trace *t = xcalloc(1, sizeof(*t));
	t->fd = -1;
	t->path = xstrdup(directory);
	out_init_mem(&t->classes);
	strtab_init(&t->names);
	struct strobe_error *err = open_directory(t, replace);
	if (!err && getrandom(t->uuid, sizeof(t->uuid), 0) != sizeof(t->uuid))
		err = error_errno(errno, "no random numbers for the name of the trace");
	if (err) {
		t->is_finished = true; /* the files in it are not ours */
		if (t->made_directory)
			rmdir(t->path);
		ctf_destroy(t);
		return err;
	}
	t->uuid[6] = (uint8_t)((t->uuid[6] & 0x0f) | 0x40); /* version 4 of RFC 4122 */
	t->uuid[8] = (uint8_t)((t->uuid[8] & 0x3f) | 0x80);
	*ret = t;
	return NULL;
}

/* Appends to a file of the trace, which is created on first use. Files are not kept open, since there may be many CPUs. */
static struct strobe_error *append(struct ctf_trace *t, const char *name, bool is_new, const void *p, size_t n)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (is_new ? O_CREAT | O_EXCL : O_APPEND);
	_cleanup_strbuf_ struct strbuf path = {};
	_cleanup_close_ int fd = openat(t->fd, name, flags, 0600);
	strbuf_addf(&path, "%s/%s", t->path, name);
	if (fd < 0)
		return error_errno(errno, "cannot write %s", strbuf_str(&path));
	return file_write_fd(fd, strbuf_str(&path), p, n);
}

/* ---- classes ---- */

uint32_t ctf_class_begin(struct ctf_trace *t, const char *name)
{
	strtab_deinit(&t->names);
	strtab_init(&t->names);
	out_f(&t->classes, "event {\n\tid = %u;\n\tname = ", t->classes_nr);
	put_quoted(&t->classes, name);
	out_str(&t->classes, ";\n\tstream_id = 0;\n\tfields := struct {\n");
	return t->classes_nr++;
}

void ctf_class_field(struct ctf_trace *t, const struct ctf_field *f)
{
	static const char *const types[] = { [CTF_UNSIGNED] = "uint", [CTF_SIGNED] = "int", [CTF_HEX] = "hex", [CTF_STRING] = "text" };
	struct out *out = &t->classes;
	const char *size = NULL;
	if (f->shape == CTF_SEQUENCE) {
		size = f->size_name ? take_name(t, f->size_name, "") : take_name(t, f->name, "_size");
		out_f(out, "\t\tuint32_t %s;\n", size);
	}
	out_f(out, "\t\t%s", types[f->kind]);
	if (f->kind != CTF_STRING)
		out_u64(out, 8 * f->bytes);
	out_f(out, "_t %s", take_name(t, f->name, ""));
	if (f->shape == CTF_ARRAY)
		out_f(out, "[%u]", f->count);
	else if (f->shape == CTF_SEQUENCE)
		out_f(out, "[%s]", size);
	out_str(out, ";\n");
}

void ctf_class_end(struct ctf_trace *t)
{
	out_str(&t->classes, "\t};\n};\n\n");
}

/* ---- events ---- */

static struct stream *stream_of(struct ctf_trace *t, uint32_t cpu)
{
	if (cpu >= CPUS_MAX)
		cpu = 0;
	while (t->streams.len <= cpu)
		vec_push(&t->streams, NULL);
	struct stream *s = t->streams.data[cpu];
	if (!s) {
		s = t->streams.data[cpu] = xcalloc(1, sizeof(*s));
		out_init_mem(&s->packet);
		out_fill(&s->packet, 0, sizeof(struct packet_head));
	}
	return s;
}

static bool is_empty(const struct stream *s)
{
	return s->packet.len == sizeof(struct packet_head);
}

static void write_packet(struct ctf_trace *t, uint32_t cpu, struct stream *s)
{
	struct packet_head head = {
		.magic = CTF_MAGIC,
		.first_ns = s->first_ns,
		.last_ns = s->last_ns,
		.content_bits = 8 * (uint64_t)s->packet.len,
		.packet_bits = 8 * (uint64_t)s->packet.len,
		.lost = s->lost,
		.cpu = cpu,
	};
	char name[32];
	memcpy(head.uuid, t->uuid, sizeof(t->uuid));
	memcpy(s->packet.buf, &head, sizeof(head));
	snprintf(name, sizeof(name), STREAM "%u", cpu);
	if (!t->error)
		t->error = append(t, name, !s->has_file, s->packet.buf, s->packet.len);
	s->has_file = true;
	s->packet.len = sizeof(head);
}

struct out *ctf_event(struct ctf_trace *t, uint32_t cpu, uint64_t time_ns, uint32_t class)
{
	struct stream *s = stream_of(t, cpu);
	if (s->packet.len >= PACKET_BYTES)
		write_packet(t, cpu < CPUS_MAX ? cpu : 0, s);
	if (time_ns > LATEST_NS)
		time_ns = LATEST_NS;
	if (time_ns < s->last_ns)
		time_ns = s->last_ns;
	if (is_empty(s))
		s->first_ns = time_ns;
	s->last_ns = time_ns;
	ctf_put_number(&s->packet, class, 4);
	ctf_put_number(&s->packet, time_ns, 8);
	return &s->packet;
}

void ctf_lost(struct ctf_trace *t, uint32_t cpu, uint64_t events)
{
	stream_of(t, cpu)->lost += events;
}

bool ctf_failed(const struct ctf_trace *t)
{
	return t->error;
}

/* ---- the description ---- */

static void put_types(struct out *out)
{
	static const struct {
		const char *name, *how;
	} kinds[] = {
		{ "uint", "signed = false; base = decimal;" },
		{ "int", "signed = true; base = decimal;" },
		{ "hex", "signed = false; base = hexadecimal;" },
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (unsigned bits = 8; bits <= 64; bits *= 2)
			out_f(out, "typealias integer { size = %u; align = 8; %s } := %s%u_t;\n", bits, kinds[i].how, kinds[i].name, bits);
	out_str(out, "typealias string { encoding = UTF8; } := text_t;\n\n");
}

static void put_uuid(struct out *out, const uint8_t uuid[16])
{
	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_ch(out, '-');
		out_hex_width(out, uuid[i], 2, '0');
	}
}

static void put_environment(struct out *out, const struct ctf_facts *facts)
{
	const struct {
		const char *name, *value;
	} rows[] = {
		{ "host", facts->host },
		{ "sysname", "Linux" },
		{ "release", facts->release },
		{ "version", facts->version },
		{ "machine", facts->machine },
		{ "domain", "kernel" },
		{ "tracer_name", "perf" }, /* readers identify the events by it */
	};
	out_str(out, "env {\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].value)
			continue;
		out_f(out, "\t%s = ", rows[i].name);
		put_quoted(out, rows[i].value);
		out_str(out, ";\n");
	}
	out_str(out, "};\n\n");
}

static void put_clock(struct out *out, int64_t offset_ns)
{
	int64_t second = 1000000000, seconds = offset_ns / second, rest = offset_ns % second;
	if (rest < 0)
		seconds--, rest += second;
	out_str(out, "clock {\n\tname = perf_clock;\n\tdescription = \"perf clock\";\n\tfreq = 1000000000;\n");
	out_f(out, "\toffset_s = %lld;\n\toffset = %lld;\n};\n\n", (long long)seconds, (long long)rest);
	out_str(out, "typealias integer { size = 64; align = 8; signed = false; map = clock.perf_clock.value; } := time_t;\n\n");
}

static struct strobe_error *write_description(struct ctf_trace *t, const struct ctf_facts *facts)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	out_str(&out, "/* CTF 1.8 */\n\n"); /* its first bytes are the version */
	put_types(&out);
	out_str(&out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	put_uuid(&out, t->uuid);
	out_f(&out, "\";\n\tbyte_order = %s;\n", __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "be" : "le");
	out_str(&out, stream_description);
	put_environment(&out, facts);
	put_clock(&out, facts->clock_offset_ns);
	out_str(&out, event_description);
	const char *classes = out_mem(&t->classes, &n);
	out_write(&out, classes, n);
	const char *text = out_mem(&out, &n);
	struct strobe_error *err = append(t, METADATA, true, text, n);
	error_destroy(out_close(&out)); /* memory does not fail */
	return err;
}

struct strobe_error *ctf_finish(struct ctf_trace *t, const struct ctf_facts *facts)
{
	for (uint32_t cpu = 0; cpu < t->streams.len && !t->error; cpu++) {
		struct stream *s = t->streams.data[cpu];
		if (s && (!is_empty(s) || (s->lost && !s->has_file)))
			write_packet(t, cpu, s);
	}
	struct strobe_error *err = take_ptr(t->error);
	if (!err)
		err = write_description(t, facts);
	t->is_finished = !err;
	return err;
}

void ctf_destroy(struct ctf_trace *t)
{
	if (!t)
		return;
	if (!t->is_finished) {
		error_destroy(each_file(t, remove_file));
		if (t->made_directory)
			rmdir(t->path);
	}
	for (size_t i = 0; i < t->streams.len; i++) {
		if (!t->streams.data[i])
			continue;
		error_destroy(out_close(&t->streams.data[i]->packet));
		free(t->streams.data[i]);
	}
	vec_deinit(&t->streams);
	error_destroy(out_close(&t->classes));
	strtab_deinit(&t->names);
	error_destroy(t->error);
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	free(t);
}
