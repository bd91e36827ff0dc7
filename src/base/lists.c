#include "base/lists.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vector.h"

#define CPUS_MAX 65535
#define FILE_MAX_BYTES (16 << 20)

struct strings {
	const char **data;
	size_t len, cap;
};

static struct strobe_error *add_lines(struct arena *a, const char *path, struct strings *v)
{
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(file_read(path, &text, FILE_MAX_BYTES));
	for (const char *p = strbuf_str(&text); *p;) {
		size_t n = strcspn(p, "\n");
		if (n && *p != '#')
			vec_push(v, arena_strndup(a, p, n));
		p += n + (p[n] == '\n');
	}
	return NULL;
}

struct strobe_error *list_strings_parse(struct arena *a, const char *text, struct list_strings *ret)
{
	struct strings v = {};
	struct strobe_error *err = NULL;
	for (const char *p = text ? text : ""; *p && !err;) {
		size_t n = strcspn(p, ",");
		const char *item = arena_strndup(a, p, n);
		if (text_has_prefix(item, "file://"))
			err = add_lines(a, item + strlen("file://"), &v);
		else if (n)
			vec_push(&v, item);
		p += n + (p[n] == ',');
	}
	ret->nr = (uint32_t)v.len;
	ret->data = v.len ? arena_memdup(a, v.data, v.len * sizeof(*v.data)) : NULL;
	vec_deinit(&v);
	return err;
}

struct strobe_error *list_numbers_parse(struct arena *a, const char *what, const char *text, struct list_numbers *ret)
{
	struct list_strings words;
	*ret = (struct list_numbers){ 0 };
	TRY(list_strings_parse(a, text, &words));
	ret->data = arena_new_array(a, uint32_t, words.nr ? words.nr : 1);
	for (uint32_t i = 0; i < words.nr; i++) {
		uint64_t v;
		if (!text_to_u64(words.data[i], &v) || v > UINT32_MAX)
			return error_create(ERROR_USAGE, "invalid %s '%s'", what, words.data[i]);
		ret->data[ret->nr++] = (uint32_t)v;
	}
	return NULL;
}

struct numbers {
	uint32_t *data;
	size_t len, cap;
};

static bool add_cpu(void *ctx, uint32_t cpu)
{
	struct numbers *v = ctx;
	vec_push(v, cpu);
	return true;
}

struct strobe_error *list_cpus_parse(struct arena *a, const char *text, struct list_numbers *ret)
{
	struct numbers v = {};
	bool ok = !text || text_each_cpu(text, CPUS_MAX, add_cpu, &v);
	ret->nr = (uint32_t)v.len;
	ret->data = v.len ? arena_memdup(a, v.data, v.len * sizeof(*v.data)) : NULL;
	vec_deinit(&v);
	return ok ? NULL : error_create(ERROR_USAGE, "invalid CPU list '%s': expected a list such as 0-3,7", text);
}

/* ---- spans of time ---- */

static struct strobe_error *bad_time(const char *text)
{
	return error_create(ERROR_USAGE,
			    "invalid time range '%s': expected 12.5,13 (seconds as script prints them), 10%%/2 or 0%%-10%%,30%%-40%%",
			    text);
}

/* "12.5" at *at as nanoseconds; false where there is no number. */
static bool scan_seconds(const char **at, uint64_t *ret)
{
	const char *p = *at;
	uint64_t s = 0, ns = 0;
	if (!isdigit((unsigned char)*p) && *p != '.')
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(s, 10, &s) || __builtin_add_overflow(s, (uint64_t)(*p - '0'), &s))
			return false;
	if (*p == '.') {
		uint64_t unit = 100000000;
		for (p++; isdigit((unsigned char)*p); p++, unit /= 10)
			ns += (uint64_t)(*p - '0') * unit;
	}
	*at = p;
	return !__builtin_mul_overflow(s, 1000000000, &s) && !__builtin_add_overflow(s, ns, ret);
}

/* "1, 2": the end after a blank, as perf takes it; in "1, 2,3" another range begins there. */
static void scan_end_after_blank(const char **at, uint64_t *ret)
{
	const char *p = *at + strspn(*at, " ");
	uint64_t to_ns;
	if (!scan_seconds(&p, &to_ns) || *p == ',')
		return;
	*at = p;
	*ret = to_ns;
}

static bool scan_plain(const char **at, struct list_span *ret)
{
	*ret = (struct list_span){ 0, UINT64_MAX };
	if (**at != ',' && !scan_seconds(at, &ret->from_ns))
		return false;
	if (**at != ',')
		return false;
	++*at;
	if (**at == ' ')
		scan_end_after_blank(at, &ret->to_ns);
	else if (**at && !scan_seconds(at, &ret->to_ns))
		return false;
	return ret->from_ns <= ret->to_ns;
}

static bool scan_percent(const char **at, double *ret)
{
	const char *end = strchr(*at, '%');
	size_t n = end ? (size_t)(end - *at) : 0;
	char digits[32];
	if (!n || n >= sizeof(digits))
		return false;
	memcpy(digits, *at, n);
	digits[n] = 0;
	*at = end + 1;
	return text_to_f64(digits, ret) && *ret >= 0 && *ret <= 100;
}

/* "10%/2" or "0%-10%" */
static bool scan_share(const char **at, uint64_t first_ns, uint64_t last_ns, struct list_span *ret)
{
	double from, to;
	if (!scan_percent(at, &from))
		return false;
	if (**at == '/') {
		uint64_t nth = 0;
		for (++*at; isdigit((unsigned char)**at); ++*at)
			nth = nth < 100000 ? nth * 10 + (uint64_t)(**at - '0') : nth;
		if (!nth || !(from > 0) || from * (double)nth > 100.0 + 1e-9)
			return false;
		to = from * (double)nth;
		from = from * (double)(nth - 1);
	} else if (**at == '-') {
		++*at;
		if (!scan_percent(at, &to) || to < from)
			return false;
	} else {
		return false;
	}
	double total = (double)(last_ns - first_ns);
	bool is_last = to >= 100.0;
	ret->from_ns = first_ns + (uint64_t)llround(from / 100 * total);
	ret->to_ns = is_last ? last_ns : first_ns + (uint64_t)llround(to / 100 * total);
	if (!is_last && ret->to_ns > ret->from_ns)
		ret->to_ns--; /* so that neighbours do not share a sample */
	return true;
}

struct strobe_error *list_spans_parse(struct arena *a, const char *text, uint64_t first_ns, uint64_t last_ns,
				      struct list_spans *ret)
{
	struct {
		struct list_span *data;
		size_t len, cap;
	} v = {};
	*ret = (struct list_spans){ 0 };
	if (!text)
		return NULL;
	bool shares = strchr(text, '%') != NULL, ok = true;
	if (shares && !last_ns)
		return error_create(ERROR_NOT_FOUND,
				    "the recording has no times of its first and last sample (record --timestamp-boundary): "
				    "specify --time in seconds");
	for (const char *p = text; ok;) {
		struct list_span span;
		while (*p == ' ' || (shares && *p == ','))
			p++;
		if (!*p)
			break;
		ok = shares ? scan_share(&p, first_ns, last_ns, &span) : scan_plain(&p, &span);
		ok &= !*p || *p == ' ' || (shares && *p == ',');
		vec_push(&v, span);
	}
	ok &= v.len > 0;
	ret->nr = (uint32_t)v.len;
	ret->data = v.len ? arena_memdup(a, v.data, v.len * sizeof(*v.data)) : NULL;
	vec_deinit(&v);
	return ok ? NULL : bad_time(text);
}
