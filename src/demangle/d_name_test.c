/* Names of D. Second sources: c++filt -s dlang (binutils 2.40), for a table and for all names of the libraries of gdc and ldc. */
#include "demangle/names_testing.h"

#include <unistd.h>

#include "base/strbuf.h"

/* As c++filt prints them. */
static const struct name_case whole[] = {
	{ "_Dmain", "D main" },
	{ "_D3foo3barFZv", "foo.bar()" },
	{ "_D3foo3barFiYv", "foo.bar(int, ...)" },
	{ "_D3foo3barFiXv", "foo.bar(int...)" },
	{ "_D3foo3barFYv", "foo.bar(...)" },
	{ "_D3foo3barFAiXv", "foo.bar(int[]...)" },
	{ "_D3foo3barFNaNbNcNdNeNfNiNjNlNmZi", "foo.bar()" },
	{ "_D3foo3barMxFZv", "foo.bar() const" },
	{ "_D3foo3barMyFZv", "foo.bar() immutable" },
	{ "_D3foo3barMOFZv", "foo.bar() shared" },
	{ "_D3foo3barMNgFZv", "foo.bar() inout" },
	{ "_D3foo3barMOxFZv", "foo.bar() shared const" },
	{ "_D3foo3barMONgxFZv", "foo.bar() shared inout const" },
	{ "_D3foo3barFIiJiKiLiMiNkiZv", "foo.bar(in int, out int, ref int, lazy int, scope int, return int)" },
	{ "_D3foo3barFMNkKiZv", "foo.bar(scope return ref int)" },
	{ "_D3foo3barFIKiZv", "foo.bar(in ref int)" },
	{ "_D3foo3barFG5iZv", "foo.bar(int[5])" },
	{ "_D3foo3barFHiaZv", "foo.bar(char[int])" },
	{ "_D3foo3barFNhG4fZv", "foo.bar(__vector(float[4]))" },
	{ "_D3foo3barFPFiZvZv", "foo.bar(void(int) function)" },
	{ "_D3foo3barFPUiZvZv", "foo.bar(extern(C) void(int) function)" },
	{ "_D3foo3barFPRiZvZv", "foo.bar(extern(C++) void(int) function)" },
	{ "_D3foo3barFPWiZvZv", "foo.bar(extern(Windows) void(int) function)" },
	{ "_D3foo3barFPYiZvZv", "foo.bar(extern(Objective-C) void(int) function)" },
	{ "_D3foo3barFDxFiZvZv", "foo.bar(void(int) delegate const)" },
	{ "_D3foo3barFDFNaNbiZvZv", "foo.bar(void(int) pure nothrow delegate)" },
	{ "_D3foo3barFPFNaNbiYvZv", "foo.bar(void(int, ...) pure nothrow function)" },
	{ "_D3foo3barFB2iaZv", "foo.bar(Tuple!(int, char))" },
	{ "_D3foo3barFnZv", "foo.bar(typeof(null))" },
	{ "_D3foo3barFzizkoqcrjpZv", "foo.bar(cent, ucent, ifloat, cfloat, creal, cdouble, ireal, idouble)" },
	{ "_D3foo3barFghstiklmfdebauwvZv",
	  "foo.bar(byte, ubyte, short, ushort, int, uint, long, ulong, float, double, real, bool, char, wchar, dchar, void)" },
	{ "_D3foo3barUZv", "foo.bar()" },
	{ "_D3foo3barRiZv", "foo.bar(int)" },
	{ "_D3foo3barFOxiZv", "foo.bar(shared(const(int)))" },
	{ "_D3foo3barFyiZv", "foo.bar(immutable(int))" },
	{ "_D3foo3barFNgiZv", "foo.bar(inout(int))" },
	{ "_D3foo3barFxAyaZv", "foo.bar(const(immutable(char)[]))" },
	{ "_D3foo3bari", "foo.bar" },
	{ "_D3foo3barPFZv", "foo.bar" },
	{ "_D3foo6__ctorMFZv", "foo.this()" },
	{ "_D3foo6__dtorMFZv", "foo.~this()" },
	{ "_D3foo10__postblitMFZv", "foo.this(this)" },
	{ "_D3foo10__postblitFZv", "foo.__postblit()" },
	{ "_D3foo6__ctorFZv", "foo.this()" },
	{ "_D3foo7__ClassZ", "ClassInfo for foo" },
	{ "_D3foo6__vtblZ", "vtable for foo" },
	{ "_D3foo12__ModuleInfoZ", "ModuleInfo for foo" },
	{ "_D3foo11__InterfaceZ", "Interface for foo" },
	{ "_D3foo6__initZ", "initializer for foo" },
	{ "_D3foo3barFZ3bazMFZv", "foo.bar().baz()" },
	{ "_D3foo03barFZv", "foo.bar()" },
	{ "_D3foo4__S13barFZv", "foo.bar()" },
	{ "_D3foo5__S133barFZv", "foo.bar()" },
	{ "_D3foo__S1FZv", NULL },
	{ "_D3foo3bar_F", NULL },
	{ "_D3foo__T3barTiZQhFZv", "foo.bar!(int).bar()" },
	{ "_D3foo__U3barTiZ3barFZv", "foo.bar!(int).bar()" },
	{ "_D3foo__T3barViN5Z3barFZv", "foo.bar!(-5).bar()" },
	{ "_D3foo__T3barVbi1Vai97Vui97Vwi97Vai10Vki5Vli5Vmi5Vhi5Vsi5Z3barFZv",
	  "foo.bar!(true, 'a', '\\u0061', '\\U00000061', '\\x0a', 5u, 5L, 5uL, 5u, 5).bar()" },
	{ "_D3foo__T3barVde1P2Z3barFZv", "foo.bar!(0x1.p2).bar()" },
	{ "_D3foo__T3barVde18P2Vdn1Z3barFZv", NULL },
	{ "_D3foo__T3barVdeNANVdeINFVdeNINFVeeN18PN4Z3barFZv", "foo.bar!(NaN, Inf, -Inf, -0x1.8p-4).bar()" },
	{ "_D3foo__T3barVcc18P1c18P1Z3barFZv", "foo.bar!(0x1.8p1+0x1.8p1i).bar()" },
	{ "_D3foo__T3barVAyaa3_61620aVAywd2_6162Z3barFZv", "foo.bar!(\"ab\\n\", \"ab\"d).bar()" },
	{ "_D3foo__T3barVAiA3i1i2i3Z3barFZv", "foo.bar!([1, 2, 3]).bar()" },
	{ "_D3foo__T3barVHiaA1i1i97Z3barFZv", "foo.bar!([1:97]).bar()" },
	{ "_D3foo__T3barVS3foo1SS2i1i2Z3barFZv", "foo.bar!(foo.S(1, 2)).bar()" },
	{ "_D3foo__T3barVPinZ3barFZv", "foo.bar!(null).bar()" },
	{ "_D3foo__T3barVE3foo1Ei3Z3barFZv", "foo.bar!(3).bar()" },
	{ "_D3foo__T3barHTiZ3barFZv", "foo.bar!(int).bar()" },
	{ "_D3foo__T3barX3abcZ3barFZv", "foo.bar!(abc).bar()" },
	{ "_D3foo__T3barS3foo3bazZ3barFZv", "foo.bar!(foo.baz).bar()" },
	{ "_D3foo__T3barS7_D3foo3Z3barFZv", "foo.bar!(_D3foo3).bar()" },
	{ "_D3foo__T3barS3foo3bazFZvZ3barFZv", NULL },
	{ "_D3foo__T3barS3foo3bazFiZ3quxZ3barFZv", "foo.bar!(foo.baz(int).qux).bar()" },
	{ "_D3foo__T3barS_D3foo3bazFiZvZ3barFZv", "foo.bar!(foo.baz(int)).bar()" },
	{ "_D3foo__T3barVfi3Z3barFZv", "foo.bar!(3).bar()" },
	{ "_D3foo__T3barVnnZ3barFZv", "foo.bar!(null).bar()" },
	{ "_D3foo__T3barVPFZvf_D3foo3bazFiZvZ3barFZv", "foo.bar!(foo.baz(int)).bar()" },
	{ "_D3foo__T3barZ3barFZv", "foo.bar!().bar()" },
	{ "_D8demangle4testFC8demangle1XQfZv", "demangle.test(demangle.X, byte)" },
	{ "_D3foo3barFKxAaNgiZv", "foo.bar(ref const(char[]), inout(int))" },
	{ "_D3foo3barFDNgFiZvZv", "foo.bar(void(int) delegate inout)" },
	{ "_D3foo3barFI3foo1XT3foo1YE3foo1ZZv", NULL },
	{ "_D3foo3barFAxAyaPxvZv", "foo.bar(const(immutable(char)[])[], const(void)*)" },
	{ "_D3foo3barFMAxaXv", "foo.bar(scope const(char)[]...)" },
	{ "_D3foo3barFMDFNaNbZvZv", "foo.bar(scope void() pure nothrow delegate)" },
	{ "_D3foo3barFNaNbNiNgiZv", "foo.bar(inout(int))" },
	{ "_D3foo3barFNkNgiZv", "foo.bar(return inout(int))" },
	{ "_D3foo3barFNhiZv", "foo.bar(__vector(int))" },
	{ "_D3foo3barFJOiZv", "foo.bar(out shared(int))" },
	{ "_D3foo3barFPPFZPFZvZv", "foo.bar(void() function() function*)" },
};

static void whole_names(void **state)
{
	names_check(whole, sizeof(whole) / sizeof(*whole), demangle_whole_name);
}

/* From the specification, for what binutils 2.40 does not know. */
static void newer_names(void **state)
{
	static const struct name_case cases[] = {
		{ "_D3foo3barFNkMiZv", "foo.bar(return scope int)" },
		{ "_D3foo3barFBiiZZv", "foo.bar(Tuple!(int, int))" },
		{ "_D3foo3barFNnZv", "foo.bar(noreturn)" },
		{ "_D3foo3barFDxOFiZvZv", "foo.bar(void(int) delegate const shared)" },
		{ "_DThn16_3foo3Bar3bazMFiZv", "non-virtual thunk to foo.Bar.baz(int)" },
		{ "_DTi16_D3foo3Bar3bazMFiZv", "non-virtual thunk to foo.Bar.baz(int)" },
		{ "_D3foo3barFiZv.cold", "foo.bar(int)" },
		{ "_D3foo3barFiZv@plt", "foo.bar(int)@plt" },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_whole_name);
}

/* Parameters are shown where they tell which function another one is in. */
static void names_without_parameters(void **state)
{
	static const struct name_case cases[] = {
		{ "_D3foo3barFiZv", "foo.bar" },
		{ "_D3foo3barMxFiZv", "foo.bar" },
		{ "_D3foo__T3barTiZQhFZv", "foo.bar!(int).bar" },
		{ "_D3foo3barFiZ3bazFaZv", "foo.bar(int).baz" },
		{ "_D3foo6__ctorMFiZv", "foo.this" },
		{ "_D3foo10__postblitMFZv", "foo.this(this)" },
		{ "_D3foo6__initZ", "initializer for foo" },
		{ "_D3foo__T3barS_D3foo3bazFiZvZ3barFZv", "foo.bar!(foo.baz(int)).bar" },
		{ "_Dmain", "D main" },
		{ "_Dmain2", NULL },
		{ "_D", NULL },
		{ "_DT", NULL },
		{ "_DTi16_3foo", NULL },
		{ "_DYNAMIC", NULL },
		{ "_D3fo", NULL },
		{ "_D3fooF", NULL },
		{ "_D3foo3barFiZvx", NULL },
		{ "_D5fo\nooFZv", NULL },
		{ "_D8fo\xe2\x80\xaeooFZv", NULL },
		{ "_D3fooFQaZv", NULL },
		{ "_D3fooFPQbZv", NULL },
		{ "_D3fooFDQbZv", NULL },
		{ "_D3fooQeFZv", "foo.foo" },
		{ "_D3fooFQzZv", NULL },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_name);
}

static void compare_library(const char *pattern, size_t at_least)
{
	char command[512];
	if (system("command -v nm >/dev/null 2>&1 && c++filt -s dlang _D3fooFZv 2>/dev/null | grep -q '()'")) {
		print_message("no nm or c++filt for D here\n");
		skip();
	}
	/* What c++filt 2.40 leaves as it is was compared with the specification by eye. */
	snprintf(command, sizeof(command),
		 "set -- %s; [ -r \"$1\" ] && t=$(mktemp) && nm -D --defined-only \"$1\" | sed -n 's/.* \\(_D[0-9_T][^@.]*\\)$/\\1/p' | "
		 "sort -u > $t && c++filt -s dlang < $t | paste $t - | awk -F'\t' '$1 != $2 { print $1; print $2 }'; rm -f $t",
		 pattern);
	size_t compared = names_compare(command, demangle_whole_name);
	if (!compared) {
		print_message("no library of D here\n");
		skip();
	}
	assert_true(compared > at_least);
}

static void names_of_gdc(void **state)
{
	compare_library("/usr/lib/*/libgphobos.so.[0-9]", 5000);
}

static void names_of_ldc(void **state)
{
	compare_library("/usr/lib/*/libphobos2-ldc-shared.so.[0-9]*", 3000);
}

/* Alternatives, back references to themselves and to what doubles: these end at once. */
static void hostile_names_end(void **state)
{
	static const struct {
		const char *head, *part, *tail;
	} names[] = {
		{ "_D1a", "FS1aM", "FZv" },
		{ "_D3foo3bar", "FS1aMFS1aMFPv", "Zv" },
		{ "_D1aF", "A", "iZv" },
		{ "_D1a", "__T1aT", "iZZZ" },
		{ "_D1aFDFxDFxDF", "DF", "Zv" },
		{ "_D1aFH", "H", "iZv" },
		{ "_D1aFHii", "HQeQg", "Zv" },
		{ "_D", "9", "" },
		{ "_D0", "0", "1aQzzQzzZ" },
		{ "_D1aFG", "9", "iQaZv" },
		{ "_D1a", "Qc", "FZv" },
		{ "_D1aFDx", "x", "FZvQcQcQcZv" },
		{ "_D1a", "QA", "aZ" },
		{ "_D1a__T1aVAia9999_", "61", "Z" },
		{ "_D1aF", "MNkM", "iZv" },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct strbuf b = {};
		strbuf_addstr(&b, names[i].head);
		for (int repeat = 0; repeat < 50000; repeat++)
			strbuf_addstr(&b, names[i].part);
		strbuf_addstr(&b, names[i].tail);
		char *shown = demangle_whole_name(strbuf_str(&b));
		assert_true(!shown || strlen(shown) < 1 << 18);
		free(shown);
		strbuf_deinit(&b);
	}
}

/* Cut at every byte and changed at every byte: any output is fine, but no crash. */
static void damaged_names_do_no_harm(void **state)
{
	static const char name[] = "_D3std5array__T8AppenderTAaZQn__T6putHVde18P2VAyaa3_616263VHiaA1i1i97S_D3fooFZvZ4Data"
				   "MxFNaKxSQCbDFiZHiaZb";
	for (size_t bent = 0; bent < sizeof(name) - 1; bent++)
		for (int c = 0; c < 256; c++) {
			char copy[sizeof(name)];
			memcpy(copy, name, sizeof(name));
			copy[bent] = (char)c;
			free(demangle_whole_name(copy));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_names),
		cmocka_unit_test(newer_names),
		cmocka_unit_test(names_without_parameters),
		cmocka_unit_test(names_of_gdc),
		cmocka_unit_test(names_of_ldc),
		cmocka_unit_test(hostile_names_end),
		cmocka_unit_test(damaged_names_do_no_harm),
	};
	return cmocka_run_group_tests_name("names of D", tests, NULL, NULL);
}
