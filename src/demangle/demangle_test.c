/* Demangled names. Expectations: the output of perf report 6.1 for such programs, and c++filt -p -i at run time. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "demangle/names_testing.h"

static void cxx_names_without_parameters(void **state)
{
	static const struct name_case cases[] = {
		{ "_ZN12_GLOBAL__N_14AnonclEi", "(anonymous namespace)::Anon::operator()" },
		{ "_ZNK12_GLOBAL__N_14AnoncvlEv", "(anonymous namespace)::Anon::operator long" },
		{ "_Z4tmplIdET_S0_St6vectorIS0_SaIS0_EE", "tmpl<double>" },
		{ "_ZZ5outerIcEiT_ENKUlS0_E_clIlEEDaS0_", "outer<char>(char)::{lambda(auto:1)#1}::operator()<long>" },
		{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()" },
		{ "_ZNKR1S1fEi", "S::f" },
		{ "_ZN1S1gEPFviE", "S::g" },
		{ "_ZN1SD0Ev", "S::~S" },
		{ "_ZltRK1SS1_", "operator<" },
		{ "_Z4gooov.isra.0", "gooo" },
		{ "_Z3bazi.cold", "baz" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZTV1S", "vtable for S" },
		{ "_ZThn16_N1S1fEi", "non-virtual thunk to S::f(int)" },
		{ "_ZNSo5flushEv@plt", "std::ostream::flush@plt" },
		{ "_GLOBAL__I_main", "global constructors keyed to main" },
		/* Older and newer compilers' mangling of template-dependent names. */
		{ "_ZGRL3foo_", "reference temporary #0 for foo" },
		{ "_Z1fI1aJiiEEvv", "f<a, int, int>" },
		{ "_Z1fI1aIiEJRiEEvv", "f<a<int>, int&>" },
		{ "_Z1fIiEv1bIXsr3stdE4is_vIT_EEE", "f<int>" },
		{ "_Z1gI1bIXsr3stdE4is_vIiEEEEvv", "g<b<std::is_v<int> > >" },
		/* Declarators, packs, and substitutions of template parameters; as in c++filt -p -i. */
		{ "_Z1fISt6vectorIM1AKFbvESaIS3_EEEvv",
		 "f<std::vector<bool (A::*)() const, std::allocator<bool (A::*)() const> > >" },
		{ "_Z1fIFPvPFviEEEvv", "f<void* (void (*)(int))>" },
		{ "_Z1fIRA5_A3_KcEvv", "f<char const (&) [5][3]>" },
		{ "_Z1fIPKPFivEEvv", "f<int (* const*)()>" },
		{ "_Z1fI1aIiJEE1bIS1_JEEEvv", "f<a<int>, b<a<int>> >" },
		{ "_Z1fILi5ELj6ELb1ELc97ELn7EEvv", "f<5, 6u, true, (char)97, (__int128)7>" },
		{ "_Z1fIXadL_ZN1S1gEvEEEvv", "f<&S::g>" },
		{ "_Z1fIXadL_ZNK1S1gEvEEEvv", "f<&(S::g() const)>" },
		{ "_ZN1AcvT_IiEEv", "A::operator int<int>" },
		{ "_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string" },
		{ "_ZN1AUt_C1Ev", "A::{unnamed type#1}::A" },
		{ "_ZN63fooEv", NULL },
		{ "_Z", NULL },
		{ "_ZN", NULL },
		{ "main", NULL },
		{ "", NULL },
		{ "_", NULL },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_name);
}

static void rust_names_without_hashes(void **state)
{
	static const struct name_case cases[] = {
		{ "_ZN3foo17h0123456789abcdefE", "foo" },
		{ "_ZN4core3fmt5Write9write_str17h0123456789abcdefE", "core::fmt::Write::write_str" },
		{ "_ZN45_$LT$alloc..string..String$u20$as$u20$Foo$GT$3bar17h0123456789abcdefE.llvm.123",
		  "<alloc::string::String as Foo>::bar" },
		{ "_ZN4test28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "test::{{closure}}" },
		/* A C++ name that resembles Rust's: too few different digits for a hash. */
		{ "_ZN3foo17h0000000000000000E", "foo::h0000000000000000" },
		{ "_RNvCskwGfYPst2Cb_3foo3bar", "foo::bar" },
		{ "_RNvMCs4fqI2P2rA04_13const_genericINtB0_8SignedKhKhn80_E1f", NULL },
		{ "_RINvCs1_1a1bKj3_KcA_", NULL },
		/* From RFC 2603 and rustc's documentation. */
		{ "_RNvNtNtCs1234_7mycrate3foo3bar3baz", "mycrate::foo::bar::baz" },
		{ "_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}" },
		{ "_RNvCs15kBYyAo9fc_7mycrateu8gdel_5qa", "mycrate::g\303\266del" },
		{ "_R", NULL },
		{ "_RNv", NULL },
		{ "_RB_", NULL },
		{ "_RNvB_3foo", NULL },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_name);
}

/* Cut at every byte and changed at every byte: any output is fine, but no crash. */
static void damaged_names_do_no_harm(void **state)
{
	static const char *const names[] = {
		"_ZZ5outerIcEiT_ENKUlS0_E_clIlEEDaS0_",
		"_ZNSt6vectorIiSaIiEE9push_backEOi",
		"_RNvXs_NtCs1_3foo3barINtB4_3BazKj3_ENtB4_1T1f",
		"_ZN45_$LT$alloc..string..String$u20$as$u20$Foo$GT$3bar17h0123456789abcdefE",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);
		for (size_t cut = 0; cut <= n; cut++) {
			char *copy = strndup(names[i], cut);
			free(demangle_name(copy));
			free(copy);
		}
		for (size_t bent = 0; bent < n; bent++)
			for (int c = 1; c < 256; c += 3) {
				char *copy = strdup(names[i]);
				copy[bent] = (char)c;
				free(demangle_name(copy));
				free(copy);
			}
	}
}

static void deep_names_end(void **state)
{
	struct strbuf deep = {};
	strbuf_addstr(&deep, "_Z1f");
	for (int i = 0; i < 100000; i++)
		strbuf_addch(&deep, 'M');
	free(demangle_name(strbuf_str(&deep)));
	strbuf_reset(&deep);
	strbuf_addstr(&deep, "_Z");
	for (int i = 0; i < 5000; i++)
		strbuf_addstr(&deep, "Z1f");
	assert_null(demangle_name(strbuf_str(&deep)));
	strbuf_reset(&deep);
	strbuf_addstr(&deep, "_R");
	for (int i = 0; i < 50000; i++)
		strbuf_addstr(&deep, "Y");
	assert_null(demangle_name(strbuf_str(&deep)));
	strbuf_deinit(&deep);
}

/* b<a, a>, c<b<a, a>, b<a, a>> … : each level doubles the text. */
static void names_that_stand_for_gigabytes_stay_as_they_are(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct strbuf bomb = {};
	strbuf_addstr(&bomb, "_Z1fI1aIiiE");
	for (int level = 0, last = 1; level < 15; level++, last += 2)
		strbuf_addf(&bomb, "1bIS%c_S%c_E", digits[last], digits[last]);
	strbuf_addstr(&bomb, "Evv");
	char *shown = demangle_name(strbuf_str(&bomb));
	assert_null(shown);
	strbuf_deinit(&bomb);
}

static void compare_libstdcxx(const char *option, char *(*demangle)(const char *name))
{
	static const char library[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";
	char command[512];
	if (access(library, R_OK) || system("command -v nm >/dev/null 2>&1 && command -v c++filt >/dev/null 2>&1")) {
		print_message("no nm, c++filt or libstdc++ here\n");
		skip();
	}
	/* Two lines for each name: mangled, and by c++filt. */
	snprintf(command, sizeof(command),
		 "nm -D --defined-only %s | sed -n 's/.* \\(_Z[^@]*\\).*/\\1/p' | sort -u | "
		 "while read -r n; do echo \"$n\"; done > /tmp/strobe-names.$$; c++filt %s -i < /tmp/strobe-names.$$ | "
		 "paste -d '\\n' /tmp/strobe-names.$$ -; rm -f /tmp/strobe-names.$$",
		 library, option);
	assert_true(names_compare(command, demangle) > 3000);
}

static void names_of_libstdcxx_as_cxxfilt_reads_them(void **state)
{
	compare_libstdcxx("-p", demangle_name);
}

static void with_parameters_as_cxxfilt_reads_them(void **state)
{
	compare_libstdcxx("", demangle_whole_name);
}

static void clones_have_the_name_of_their_function(void **state)
{
	static const char *const names[][2] = {
		{ "_Z3bazRK4Blah.isra.0", "baz(Blah const&)" },
		{ "_ZN3foo3barIdEEvT_.cold", "void foo::bar<double>(double)" },
		{ "_ZNK1a1bEv.part.0.constprop.1", "a::b() const" },
		{ "_Z3foov@plt", "foo()@plt" },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *shown = demangle_whole_name(names[i][0]);
		assert_string_equal(shown, names[i][1]);
		free(shown);
	}
}

/* The same substitution reads differently for another element of a pack; as in c++filt -i. */
static void repeated_names_depend_on_what_is_around(void **state)
{
	static const char *const names[][2] = {
		{ "_ZN1n1fIJ1aRK1bEEEvDpNS_1fIT_E4typeE", "void n::f<a, b const&>(n::f<a>::type, n::f<b const&>::type)" },
		{ "_Z1fI1aIiE1bIS1_S1_1cIS1_EEEvT_T0_S6_",
		  "void f<a<int>, b<a<int>, a<int>, c<a<int> > > >(a<int>, b<a<int>, a<int>, c<a<int> > >, a<int>)" },
		{ "_Z1fI1aIJEE1bIS1_S1_EEvvT_S3_", "void f<a<>, b<a<>, a<> > >(void, a<>, b<a<>, a<> >)" },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *shown = demangle_whole_name(names[i][0]);
		assert_string_equal(shown ? shown : names[i][0], names[i][1]);
		free(shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeated_names_depend_on_what_is_around),
		cmocka_unit_test(cxx_names_without_parameters),
		cmocka_unit_test(rust_names_without_hashes),
		cmocka_unit_test(damaged_names_do_no_harm),
		cmocka_unit_test(deep_names_end),
		cmocka_unit_test(names_that_stand_for_gigabytes_stay_as_they_are),
		cmocka_unit_test(names_of_libstdcxx_as_cxxfilt_reads_them),
		cmocka_unit_test(with_parameters_as_cxxfilt_reads_them),
		cmocka_unit_test(clones_have_the_name_of_their_function),
	};
	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
