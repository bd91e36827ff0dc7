/*
 * The program that the benchmark recordings are made of: ordinary C++ (variant trees, maps of strings, regular
 * expressions, sorting by comparator, small matrices) whose instantiations give long names, deep and varied stacks.
 *
 * usage: cxx_mix SECONDS        runs for so much CPU time; prints a checksum
 *        cxx_mix rounds N       does N rounds of fixed work; prints a checksum
 */
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
#ifndef WITHOUT_REGEX /* half of the time of compilation */
#include <regex>
#endif

namespace text {

class random_source {
public:
	explicit random_source(uint64_t seed) : state(seed | 1) {}
	uint64_t next()
	{
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		return state;
	}
	unsigned below(unsigned n) { return next() % n; }

private:
	uint64_t state;
};

struct value;
using array = std::vector<std::shared_ptr<value>>;
using object = std::map<std::string, std::shared_ptr<value>>;
struct value {
	std::variant<std::nullptr_t, bool, double, std::string, array, object> v;
};

static std::shared_ptr<value> grow(random_source &rnd, int depth)
{
	auto node = std::make_shared<value>();
	switch (depth <= 0 ? rnd.below(4) : 2 + rnd.below(4)) {
	case 0:
		node->v = nullptr;
		break;
	case 1:
		node->v = rnd.below(2) == 1;
		break;
	case 2:
		node->v = double(rnd.below(1000000)) / 7;
		break;
	case 3:
		node->v = "text \"" + std::to_string(rnd.below(100000)) + "\" of a leaf";
		break;
	case 4: {
		array items;
		for (unsigned i = 0, n = 2 + rnd.below(4); i < n; i++)
			items.push_back(grow(rnd, depth - 1));
		node->v = std::move(items);
		break;
	}
	default: {
		object members;
		for (unsigned i = 0, n = 2 + rnd.below(4); i < n; i++)
			members["key" + std::to_string(rnd.below(500))] = grow(rnd, depth - 1);
		node->v = std::move(members);
	}
	}
	return node;
}

struct writer {
	std::string out;

	void operator()(std::nullptr_t) { out += "null"; }
	void operator()(bool b) { out += b ? "true" : "false"; }
	void operator()(double d)
	{
		char number[32];
		snprintf(number, sizeof(number), "%.6g", d);
		out += number;
	}
	void operator()(const std::string &s)
	{
		out += '"';
		for (char c : s) {
			if (c == '"' || c == '\\')
				out += '\\';
			out += c;
		}
		out += '"';
	}
	void operator()(const array &items)
	{
		char separator = '[';
		for (const auto &item : items) {
			out += separator;
			separator = ',';
			std::visit(*this, item->v);
		}
		out += items.empty() ? "[]" : "]";
	}
	void operator()(const object &members)
	{
		char separator = '{';
		for (const auto &[key, member] : members) {
			out += separator;
			separator = ',';
			(*this)(key);
			out += ':';
			std::visit(*this, member->v);
		}
		out += members.empty() ? "{}" : "}";
	}
};

class parser {
public:
	explicit parser(const std::string &s) : p(s.data()), end(s.data() + s.size()) {}
	std::shared_ptr<value> parse_value()
	{
		auto node = std::make_shared<value>();
		if (p == end)
			return node;
		switch (*p) {
		case '{':
			node->v = parse_object();
			break;
		case '[':
			node->v = parse_array();
			break;
		case '"':
			node->v = parse_string();
			break;
		case 't':
		case 'f':
			node->v = *p == 't';
			p += *p == 't' ? 4 : 5;
			break;
		case 'n':
			node->v = nullptr;
			p += 4;
			break;
		default:
			node->v = parse_number();
		}
		return node;
	}

private:
	const char *p, *end;

	double parse_number()
	{
		char *stop;
		double d = strtod(p, &stop);
		p = stop;
		return d;
	}
	std::string parse_string()
	{
		std::string s;
		for (p++; p < end && *p != '"'; p++) {
			if (*p == '\\')
				p++;
			s += *p;
		}
		p++;
		return s;
	}
	array parse_array()
	{
		array items;
		p++;
		while (p < end && *p != ']') {
			items.push_back(parse_value());
			if (*p == ',')
				p++;
		}
		p++;
		return items;
	}
	object parse_object()
	{
		object members;
		p++;
		while (p < end && *p != '}') {
			auto key = parse_string();
			p++;
			members.emplace(std::move(key), parse_value());
			if (*p == ',')
				p++;
		}
		p++;
		return members;
	}
};

} // namespace text

namespace linear {

template <typename T, size_t N> using matrix = std::array<std::array<T, N>, N>;

template <typename T, size_t N>
__attribute__((noinline)) matrix<T, N> multiply(const matrix<T, N> &a, const matrix<T, N> &b)
{
	matrix<T, N> c{};
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			c[i][j] = std::inner_product(a[i].begin(), a[i].end(), b[j].begin(), T{});
	return c;
}

template <typename T, size_t N> __attribute__((noinline)) T power_trace(const matrix<T, N> &m, unsigned exponent)
{
	if (exponent == 0) {
		T sum{};
		for (size_t i = 0; i < N; i++)
			sum += m[i][i];
		return sum;
	}
	return power_trace<T, N>(multiply<T, N>(m, m), exponent - 1) + m[0][0];
}

template <typename T, size_t N> __attribute__((noinline)) double churn(text::random_source &rnd)
{
	matrix<T, N> m;
	for (auto &row : m)
		for (auto &cell : row)
			cell = T(rnd.below(8)) / T(8 * N);
	return power_trace<T, N>(m, 3 + rnd.below(4));
}

} // namespace linear

namespace tree {

struct node {
	std::unique_ptr<node> left, right;
	std::string key;
	uint64_t value;
};

__attribute__((noinline)) static void insert(std::unique_ptr<node> &at, std::string key, uint64_t value)
{
	if (!at) {
		at = std::make_unique<node>();
		at->key = std::move(key);
		at->value = value;
	} else if (key < at->key) {
		insert(at->left, std::move(key), value);
	} else {
		insert(at->right, std::move(key), value);
	}
	asm volatile("" : : "r"(at.get()) : "memory"); /* keeps the recursion from becoming a loop */
}

__attribute__((noinline)) static uint64_t fold(const node *at, const std::function<uint64_t(uint64_t, const node &)> &f)
{
	if (!at)
		return 1;
	return f(fold(at->left.get(), f), *at) + fold(at->right.get(), f);
}

} // namespace tree

using task = std::function<uint64_t(text::random_source &)>;

static uint64_t task_json(text::random_source &rnd)
{
	text::writer first, second;
	std::visit(first, text::grow(rnd, 5)->v);
	std::visit(second, text::parser(first.out).parse_value()->v);
	return first.out.size() ^ second.out.size();
}

#ifndef WITHOUT_REGEX
static uint64_t task_regex(text::random_source &rnd)
{
	static const std::regex words("([a-z]+)([0-9]+|x(y|z)*)?,?");
	static const std::regex mail("([a-z0-9.]+)@([a-z]+)\\.(org|com|net)");
	std::string line;
	for (unsigned i = 0, n = 3 + rnd.below(6); i < n; i++)
		line += "ab" + std::to_string(rnd.below(99)) + (rnd.below(2) ? ",cxyzy," : "@host.org,");
	uint64_t sum = 0;
	for (auto it = std::sregex_iterator(line.begin(), line.end(), words); it != std::sregex_iterator(); ++it)
		sum += it->length();
	return sum + std::regex_search(line, mail);
}
#endif

static uint64_t task_sort(text::random_source &rnd)
{
	std::vector<std::pair<std::string, uint64_t>> rows;
	for (unsigned i = 0; i < 200; i++)
		rows.emplace_back("row" + std::to_string(rnd.below(5000)), rnd.next());
	std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
	std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
	return rows.front().second;
}

static uint64_t task_maps(text::random_source &rnd)
{
	std::unordered_map<std::string, std::set<unsigned>> index;
	for (unsigned i = 0; i < 150; i++)
		index["bucket" + std::to_string(rnd.below(40))].insert(rnd.below(1000));
	uint64_t sum = 0;
	for (const auto &[name, members] : index)
		sum += std::accumulate(members.begin(), members.end(), name.size());
	return sum;
}

static uint64_t task_matrix(text::random_source &rnd)
{
	switch (rnd.below(6)) {
	case 0:
		return linear::churn<double, 6>(rnd);
	case 1:
		return linear::churn<float, 8>(rnd);
	case 2:
		return linear::churn<double, 12>(rnd);
	case 3:
		return linear::churn<int64_t, 10>(rnd);
	case 4:
		return linear::churn<float, 16>(rnd);
	default:
		return linear::churn<double, 9>(rnd);
	}
}

static uint64_t task_tree(text::random_source &rnd)
{
	std::unique_ptr<tree::node> root;
	for (unsigned i = 0; i < 200; i++)
		tree::insert(root, std::to_string(rnd.below(100000)), i);
	return tree::fold(root.get(), [](uint64_t sum, const tree::node &n) { return sum * 31 + n.key.size() + n.value; });
}

/* A few levels of call above the tasks, chosen at random, so that stacks differ near the root as well. */
template <unsigned Level> __attribute__((noinline)) uint64_t dispatch(const std::vector<task> &tasks,
								     text::random_source &rnd)
{
	uint64_t sum = 0;
	if constexpr (Level > 0) {
		if (rnd.below(3) == 0)
			sum = dispatch<Level - 1>(tasks, rnd);
	}
	sum += tasks[rnd.below(tasks.size())](rnd);
	asm volatile("" : "+r"(sum));
	return sum + Level;
}

static double cpu_seconds()
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const std::vector<task> tasks = {task_json,
#ifndef WITHOUT_REGEX
					 task_regex,
#endif
					 task_sort, task_maps, task_matrix, task_tree};
	text::random_source rnd(0x9e3779b97f4a7c15);
	uint64_t sum = 0;

	if (argc == 3 && !strcmp(argv[1], "rounds")) {
		for (long i = atol(argv[2]); i > 0; i--)
			sum += dispatch<3>(tasks, rnd);
	} else {
		const double stop = cpu_seconds() + (argc > 1 ? atof(argv[1]) : 1.0);

		while (cpu_seconds() < stop)
			sum += dispatch<3>(tasks, rnd);
	}
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
