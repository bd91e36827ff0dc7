#include "probe/functions.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"

#define KALLSYMS "/proc/kallsyms"

static int by_name(const void *a, const void *b)
{
	const struct probe_function *l = a, *r = b;
	return strcmp(l->name, r->name);
}

/* Sorts the functions at the address of the one at `start` by name, without duplicates, to `kept`. Returns the new number. */
static size_t settle_address(struct probe_function *list, size_t start, size_t n, size_t kept)
{
	if (n > 1)
		qsort(list + start, n, sizeof(*list), by_name);
	for (size_t i = start; i < start + n; i++)
		if (i == start || strcmp(list[kept - 1].name, list[i].name))
			list[kept++] = list[i];
	return kept;
}

static void sort_by_address(struct probe_functions *f)
{
	size_t n = f->list.len, sorted = 1;
	while (sorted < n && f->list.data[sorted - 1].address <= f->list.data[sorted].address)
		sorted++;
	if (sorted >= n)
		return; /* as the kernel lists its own */
	struct sort_pair *order = xcalloc(n, sizeof(*order));
	struct probe_function *by_address = xcalloc(n, sizeof(*by_address));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_pair){ f->list.data[i].address, i };
	sort_pairs(order, n);
	for (size_t i = 0; i < n; i++)
		by_address[i] = f->list.data[order[i].value];
	free(order);
	f->unsorted = f->list.data;
	f->list.data = by_address;
	f->list.cap = n;
}

/* Symbol tables of a program overlap. */
void probe_functions_sort(struct probe_functions *f)
{
	size_t n = f->list.len, kept = 0;
	if (f->is_sorted)
		return;
	f->is_sorted = true;
	sort_by_address(f);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && f->list.data[next].address == f->list.data[i].address;)
			next++;
		kept = settle_address(f->list.data, i, next - i, kept);
	}
	f->list.len = kept;
}

/* The last code at or before the address, of those the first by name. */
static const struct probe_function *find_unsorted(const struct probe_functions *f, uint64_t address)
{
	const struct probe_function *best = NULL;
	for (size_t i = 0; i < f->list.len; i++) {
		const struct probe_function *one = &f->list.data[i];
		if (one->address > address || !one->is_code || (best && one->address < best->address))
			continue;
		if (!best || one->address > best->address || strcmp(one->name, best->name) < 0)
			best = one;
	}
	return best;
}

static const struct probe_function *find_sorted(const struct probe_functions *f, uint64_t address)
{
	size_t n = vec_search(&f->list, function, function->address <= address);
	while (n && !f->list.data[n - 1].is_code)
		n--;
	if (!n)
		return NULL;
	uint64_t start = f->list.data[n - 1].address;
	while (n > 1 && f->list.data[n - 2].address == start && f->list.data[n - 2].is_code)
		n--;
	return &f->list.data[n - 1];
}

#define SEARCHES_UNSORTED 8 /* of a long list cost as much as to sort it */

const struct probe_function *probe_functions_at(struct probe_functions *f, uint64_t address)
{
	if (!f->is_sorted && f->searches++ < SEARCHES_UNSORTED)
		return find_unsorted(f, address);
	probe_functions_sort(f);
	return find_sorted(f, address);
}

void probe_functions_deinit(struct probe_functions *f)
{
	vec_deinit(&f->list);
	free(f->unsorted);
	f->unsorted = NULL;
	arena_deinit(&f->arena);
	free(f->kallsyms);
	f->kallsyms = NULL;
}

const char *probe_name_alone(const char *pattern)
{
	return strpbrk(pattern, "*?[") ? NULL : pattern;
}

static bool is_special(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

/* Most names differ by a letter before any special character. */
bool probe_name_matches(const char *pattern, const char *name)
{
	size_t same = 0;
	while (pattern[same] && pattern[same] == name[same] && !is_special(pattern[same]))
		same++;
	if (pattern[same] && pattern[same] != name[same] && !is_special(pattern[same]))
		return false;
	if (!probe_name_alone(pattern))
		return text_glob(pattern, name);
	size_t n = strlen(pattern);
	if (strncmp(pattern, name, n))
		return false;
	return !name[n] || (name[n] == '@' && !memchr(pattern, '@', n) && strcmp(name + n, "@plt") != 0);
}

/* ---- of a file ---- */

/* False: the object lacks this table. Names are borrowed from the object if it outlives the functions. */
static bool add_symbols(struct probe_functions *f, struct object *o, uint32_t table, bool outlives)
{
	struct object_symtab t;
	if (!object_symtab(o, table, &t))
		return false;
	vec_reserve(&f->list, f->list.len + t.count);
	for (size_t i = 0; i < t.count; i++) {
		struct object_symbol s = object_symbol(&t, i);
		unsigned type = ELF64_ST_TYPE(s.info);
		const char *name = object_symbol_name(&t, &s);
		if (!s.value || s.section == SHN_UNDEF || s.section >= SHN_LORESERVE || !*name || type == STT_FILE || type == STT_SECTION ||
		    type == STT_TLS)
			continue;
		const struct object_section *in = object_section(o, s.section);
		struct probe_function function = { .name = outlives ? name : arena_strdup(&f->arena, name),
						   .address = s.value,
						   .bytes = s.size,
						   .module = "",
						   .is_code = in && in->flags & SHF_EXECINSTR,
						   .is_resolver = type == STT_GNU_IFUNC };
		vec_push(&f->list, function);
	}
	return true;
}

struct stubs {
	struct probe_functions *functions;
	struct object_symtab symbols;
};

static void add_stub(void *ctx, const struct object_plt_entry *e)
{
	struct stubs *s = ctx;
	if (!e->symbol || e->symbol >= s->symbols.count)
		return;
	struct object_symbol symbol = object_symbol(&s->symbols, e->symbol);
	const char *name = object_symbol_name(&s->symbols, &symbol);
	struct probe_function function = { .name = arena_printf(&s->functions->arena, "%s@plt", name),
					   .address = e->vaddr,
					   .bytes = e->bytes,
					   .module = "",
					   .is_code = true };
	if (*name)
		vec_push(&s->functions->list, function);
}

struct debug_search {
	struct object *of;
	struct probe_functions *functions;
};

static bool try_debug_file(void *ctx, const char *path)
{
	struct debug_search *s = ctx;
	struct object *debug = object_open_if_there(path);
	bool found = debug && object_is_debug_of(debug, s->of) && add_symbols(s->functions, debug, SHT_SYMTAB, false);
	object_close(debug);
	return found;
}

void probe_functions_of_file(struct object *o, const char *path, const char *symfs, struct probe_functions *ret)
{
	struct object *mini = NULL;
	struct debug_search search = { o, ret };
	struct stubs stubs = { .functions = ret };
	*ret = (struct probe_functions){};
	arena_init(&ret->arena);
	struct strobe_error *err = object_open_mini(o, &mini);
	if (err) { /* damaged compressed data counts as absent */
		error_destroy(err);
		mini = NULL;
	}
	/* .symtab contains .dynsym */
	if (!add_symbols(ret, o, SHT_SYMTAB, true) && !object_find_debug(o, path, symfs, try_debug_file, &search)) {
		add_symbols(ret, o, SHT_DYNSYM, true);
		if (mini)
			add_symbols(ret, mini, SHT_SYMTAB, false);
	}
	object_close(mini);
	if (object_symtab(o, SHT_DYNSYM, &stubs.symbols))
		object_each_plt(o, add_stub, &stubs);
}

/* ---- of the kernel ---- */

/* "ffffffff81000000 T name[\t[module]]", split into words; false: another kind of symbol. */
static bool parse_symbol(char *line, struct probe_function *ret)
{
	size_t digits = text_hex(line, strlen(line), &ret->address);
	if (!digits || line[digits] != ' ' || !line[digits + 1] || line[digits + 2] != ' ' || !strchr("tTwWdDbBrRvV", line[digits + 1]))
		return false;
	ret->is_code = strchr("tTwW", line[digits + 1]);
	ret->name = line + digits + 3;
	ret->module = "";
	char *tab = strchr(line, '\t');
	if (tab) {
		*tab = 0;
		ret->module = tab + 1 + (tab[1] == '[');
		tab[1 + strcspn(tab + 1, "]")] = 0;
	}
	return *ret->name;
}

void probe_functions_take_text(struct probe_functions *f, const char *name, uint64_t address)
{
	bool is_text = !strcmp(name, "_text");
	if (!is_text && (f->text || strcmp(name, "_stext") != 0))
		return;
	f->text = address;
	f->text_name = is_text ? "_text" : "_stext";
}

static void set_sizes(struct probe_functions *f)
{
	for (size_t i = 0; i < f->list.len; i++) {
		size_t next = i + 1;
		while (next < f->list.len && f->list.data[next].address == f->list.data[i].address)
			next++;
		if (next < f->list.len)
			f->list.data[i].bytes = f->list.data[next].address - f->list.data[i].address;
	}
}

struct strobe_error *probe_functions_of_kernel(const struct sys *sys, const char *module, struct probe_functions *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	*ret = (struct probe_functions){};
	TRY(sys_read(sys, KALLSYMS, &text, 0));
	arena_init(&ret->arena);
	char *rest = ret->kallsyms = strbuf_take(&text);
	for (char *line; (line = strsep(&rest, "\n"));) {
		struct probe_function function = {};
		if (!parse_symbol(line, &function))
			continue;
		probe_functions_take_text(ret, function.name, function.address);
		if (!strcmp(function.module, module ? module : ""))
			vec_push(&ret->list, function);
	}
	probe_functions_sort(ret);
	set_sizes(ret);
	if (ret->list.len && vec_last(&ret->list).address)
		return NULL;
	bool hidden = ret->list.len;
	probe_functions_deinit(ret);
	if (hidden)
		return error_with_check("kernel-symbols", error_create(ERROR_PERMISSION,
					"the addresses of the kernel are hidden: run as root (kernel.kptr_restrict)"));
	if (module && *module)
		return error_create(ERROR_NOT_FOUND,
				    "there are no symbols of the module '%s' in %s: load it (modprobe %s), or name its file", module,
				    KALLSYMS, module);
	return error_create(ERROR_NOT_FOUND, "the kernel has no symbols in %s", KALLSYMS);
}
