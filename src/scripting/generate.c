#include "scripting/generate.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "decode/tracepoint.h"
#include "decode/value_names.h"
#include "scripting/language.h"

/* Syntax of handlers in a language. */
struct syntax {
	const char *language, *path;
	const char *joint, *sigil;            /* of event names, of variables */
	const char *head, *tail;              /* of the file */
	const char *begin, *after_parameters; /* of a handler: its name follows begin */
	const char *before_values, *end;      /* around the values of the format string */
	const char *format_begin, *format_end;
};

static const char python_head[] =
	"# Handlers of the tracepoints in a recording: strobe script -s perf-script.py\n"
	"# The arguments common_* are those of all events, the others are fields; others are functions of the context:\n"
	"# common_pc(context), common_flags(context), common_lock_depth(context).\n"
	"import os\n"
	"import sys\n\n"
	"sys.path.append(os.environ[\"PERF_EXEC_PATH\"] + \"/scripts/python/Perf-Trace-Util/lib/Perf/Trace\")\n"
	"from perf_trace_context import *\n"
	"from Core import *\n\n\n"
	"def trace_begin():\n    print(\"in trace_begin\")\n\n\n"
	"def trace_end():\n    print(\"in trace_end\")\n\n\n"
	"def print_header(event_name, cpu, secs, nsecs, pid, comm):\n"
	"    print(\"%-20s %5u %05u.%09u %8u %-20s \" % (event_name, cpu, secs, nsecs, pid, comm), end=\"\")\n\n\n"
	"def print_callchain(callchain):\n"
	"    for node in callchain:\n"
	"        symbol = \" %s+0x%x\" % (node[\"sym\"][\"name\"], node.get(\"sym_off\", 0)) if \"sym\" in node else \"\"\n"
	"        print(\"\\t[%x]%s\" % (node[\"ip\"], symbol + (\" (%s)\" % node[\"dso\"] if \"dso\" in node else \"\")))\n"
	"    print()\n";

static const char python_tail[] =
	"\n\ndef trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):\n"
	"    print(event_name, \" \".join(\"%s=%s\" % item for item in sorted(event_fields_dict.items())))\n\n\n"
	"def process_event(param_dict):\n"
	"    sample = param_dict[\"sample\"]\n"
	"    print_header(param_dict[\"ev_name\"], sample[\"cpu\"], sample[\"time\"] // 10**9, sample[\"time\"] % 10**9, sample[\"pid\"],\n"
	"                 param_dict[\"comm\"])\n"
	"    print(\"%x %s\" % (sample[\"ip\"], param_dict.get(\"symbol\", \"\")))\n"
	"    print_callchain(param_dict[\"callchain\"])\n";

static const char perl_head[] =
	"# Handlers of the tracepoints in a recording: strobe script -s perf-script.pl\n"
	"# The arguments common_* are those of all events, the others are fields; others are functions of the context:\n"
	"# common_pc($context), common_flags($context), common_lock_depth($context).\n"
	"use strict;\n"
	"use warnings;\n"
	"use lib \"$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib\";\n"
	"use lib \"./Perf-Trace-Util/lib\";\n"
	"use Perf::Trace::Core;\n"
	"use Perf::Trace::Context;\n"
	"use Perf::Trace::Util;\n\n"
	"sub trace_begin {\n    print \"in trace_begin\\n\";\n}\n\n"
	"sub trace_end {\n    print \"in trace_end\\n\";\n}\n\n"
	"sub print_header {\n"
	"    my ($event_name, $cpu, $secs, $nsecs, $pid, $comm) = @_;\n"
	"    printf(\"%-20s %5u %05u.%09u %8u %-20s \", $event_name, $cpu, $secs, $nsecs, $pid, $comm);\n}\n\n"
	"sub print_callchain {\n"
	"    for my $node (@{$_[0]}) {\n"
	"        printf(\"\\t[%x]%s%s\\n\", $node->{ip}, $node->{sym} ? \" $node->{sym}{name}\" : \"\", "
	"$node->{dso} ? \" ($node->{dso})\" : \"\");\n"
	"    }\n    print \"\\n\";\n}\n";

static const char perl_tail[] =
	"\nsub trace_unhandled {\n"
	"    my ($event_name, $context, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm, $common_callchain) = @_;\n"
	"    print_header($event_name, $common_cpu, $common_secs, $common_nsecs, $common_pid, $common_comm);\n"
	"    print_callchain($common_callchain);\n}\n";

#define COMMON(sigil)                                                                                                  \
	sigil "common_cpu, " sigil "common_secs, " sigil "common_nsecs, " sigil "common_pid, " sigil "common_comm"

static const struct syntax syntaxes[] = {
	{ .language = "Python", .path = "perf-script.py", .joint = "__", .sigil = "", .head = python_head, .tail = python_tail,
	  .begin = "\n\ndef ", .after_parameters = ", perf_sample_dict):\n    print_header(event_name, " COMMON("") ")\n",
	  .format_begin = "    print(\"", .before_values = "\" % (", .format_end = ",))\n",
	  .end = "    print_callchain(common_callchain)\n" },
	{ .language = "Perl", .path = "perf-script.pl", .joint = "::", .sigil = "$", .head = perl_head, .tail = perl_tail,
	  .begin = "\nsub ", .after_parameters = ") = @_;\n    print_header($event_name, " COMMON("$") ");\n",
	  .format_begin = "    printf(\"", .before_values = "\\n\", ", .format_end = ");\n",
	  .end = "    print_callchain($common_callchain);\n}\n" },
};

static const char *const parameters[] = {
	[0] = "(event_name, context, " COMMON("") ", common_callchain",
	[1] = " {\n    my ($event_name, $context, " COMMON("$") ", $common_callchain",
};

/* ---- names ---- */

static bool is_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

/* Keywords of Python that are, or might be, names of fields in the kernel. */
static bool is_keyword(const char *s)
{
	static const char *const words[] = { "and", "as", "class", "def", "del", "for", "from", "global", "if", "import", "in", "is",
					     "lambda", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
					     "context", "event_name", "perf_sample_dict" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], s))
			return true;
	return false;
}

static void put_variable(struct out *out, const struct syntax *x, const char *field)
{
	out_f(out, "%s%s%s", x->sigil, is_name(field) ? field : "field", is_keyword(field) ? "_" : "");
}

/* The function that names the values of a field; NULL: none. */
struct naming {
	const char *field, *function;
};

static void note_naming(void *ctx, const struct value_names_field *f)
{
	struct naming *n = ctx;
	if (!strcmp(f->name, n->field))
		n->function = f->delimiter ? "flag_str" : "symbol_str";
}

static void skip_value(void *ctx, const struct value_names_field *f, uint64_t value, const char *name)
{
	(void)ctx, (void)f, (void)value, (void)name;
}

static const char *naming_function(const struct tracepoint *tp, const char *field)
{
	struct naming n = { .field = field };
	value_names_each(tp, &(struct value_names_callbacks){ note_naming, skip_value, &n });
	return n.function;
}

/* ---- handlers ---- */

static const char *conversion(const struct tracepoint *tp, const struct tracepoint_field *f)
{
	if (f->kind != FIELD_NUMBER || naming_function(tp, f->name))
		return "%s";
	return f->is_signed ? "%d" : "%u";
}

static void put_value(struct out *out, const struct syntax *x, const struct tracepoint *tp, const struct tracepoint_field *f)
{
	const char *function = f->kind == FIELD_NUMBER ? naming_function(tp, f->name) : NULL;
	if (function)
		out_f(out, "%s(\"%s%s%s\", \"%s\", ", function, tp->system, x->joint, tp->name, f->name);
	put_variable(out, x, f->name);
	out_str(out, function ? ")" : "");
}

static void put_handler(struct out *out, const struct syntax *x, const struct tracepoint *tp)
{
	const struct tracepoint_field *fields = tp->fields + tp->common_nr, *end = tp->fields + tp->fields_nr;
	out_f(out, "%s%s%s%s%s", x->begin, tp->system, x->joint, tp->name, parameters[x - syntaxes]);
	for (const struct tracepoint_field *f = fields; f < end; f++) {
		out_str(out, ", ");
		put_variable(out, x, f->name);
	}
	out_str(out, x->after_parameters);
	if (fields == end) {
		out_f(out, "    print(\"%s\")%s", *x->sigil ? "\\n" : "", *x->sigil ? ";\n" : "\n");
	} else {
		out_str(out, x->format_begin);
		for (const struct tracepoint_field *f = fields; f < end; f++)
			out_f(out, "%s%s=%s", f == fields ? "" : ", ", is_name(f->name) ? f->name : "field", conversion(tp, f));
		out_str(out, x->before_values);
		for (const struct tracepoint_field *f = fields; f < end; f++) {
			out_str(out, f == fields ? "" : ", ");
			put_value(out, x, tp, f);
		}
		out_str(out, x->format_end);
	}
	out_str(out, x->end);
}

static bool is_usable(const struct tracepoint *tp)
{
	for (uint32_t i = 0; i < tp->fields_nr; i++) {
		if (!is_name(tp->fields[i].name))
			return false;
		for (uint32_t j = tp->common_nr; j < i; j++)
			if (!strcmp(tp->fields[i].name, tp->fields[j].name))
				return false;
	}
	return is_name(tp->system) && is_name(tp->name) && strcmp(tp->system, "ftrace") != 0;
}

static int by_id(const void *a, const void *b)
{
	const struct tracepoint *x = *(const struct tracepoint *const *)a, *y = *(const struct tracepoint *const *)b;
	return (x->id > y->id) - (x->id < y->id);
}

struct generation {
	const struct syntax *syntax;
	const struct tracepoints *tracepoints;
};

static struct strobe_error *put_script(void *ctx, struct out *out)
{
	const struct generation *g = ctx;
	size_t n = tracepoints_count(g->tracepoints), usable = 0;
	_cleanup_free_ const struct tracepoint **list = xcalloc(n + 1, sizeof(*list));
	for (size_t i = 0; i < n; i++)
		if (is_usable(tracepoints_at(g->tracepoints, i)))
			list[usable++] = tracepoints_at(g->tracepoints, i);
	qsort(list, usable, sizeof(*list), by_id);
	out_str(out, g->syntax->head);
	for (size_t i = 0; i < usable; i++)
		put_handler(out, g->syntax, list[i]);
	out_str(out, g->syntax->tail);
	return NULL;
}

/* Finds the language by its name, with the usual script name, or by the script name. */
static struct strobe_error *choose(const char *spec, const struct script_language **ret, const char **ret_path)
{
	*ret_path = NULL;
	return strpbrk(spec, ".:/") ? script_language_find(spec, ret, ret_path) : script_language_by_word(spec, ret);
}

static struct strobe_error *keep_old(const char *path)
{
	struct stat st;
	if (stat(path, &st) || !st.st_size)
		return NULL;
	_cleanup_free_ char *old = xasprintf("%s.old", path);
	return rename(path, old) ? error_errno(errno, "cannot rename %s", path) : NULL;
}

struct strobe_error *script_generate(const struct env *env, const char *spec, const char **ret_language, const char **ret_path)
{
	const struct script_language *l;
	TRY(choose(spec, &l, ret_path));
	const struct syntax *syntax = &syntaxes[strcmp(l->name, syntaxes[0].language) != 0];
	struct tracepoints *tps = tracepoints_read_whole(env);
	struct generation g = { .syntax = syntax, .tracepoints = tps };
	*ret_language = l->name;
	*ret_path = *ret_path ? *ret_path : syntax->path;
	struct strobe_error *err = keep_old(*ret_path);
	if (!err)
		err = new_file_write_by(*ret_path, put_script, &g);
	tracepoints_destroy(tps);
	return err;
}
