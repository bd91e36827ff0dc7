/* Names of OCaml. Second sources: the sources of the functions, a backtrace of OCaml itself, and sed over the whole Stdlib. */
#include "base/testing.h"

#include <stdio.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "demangle/names_testing.h"

static void names_are_those_of_the_source(void **state)
{
	static const struct name_case cases[] = {
		{ "camlStdlib__Map__add_200", "Stdlib.Map.add" },
		{ "camlStdlib__output_253", "Stdlib.output" },
		{ "camlCamlinternalOO__meth_app_const_1305", "CamlinternalOO.meth_app_const" },
		{ "camlDune__exe__Main__fib_267", "Dune.exe.Main.fib" },
		{ "camlStdlib__Int__entry", "Stdlib.Int.entry" },
		/* 5.1 and later */
		{ "camlStdlib__Map.add_200", "Stdlib.Map.add" },
		{ "camlDune__exe__Main.fib_267", "Dune.exe.Main.fib" },
		{ "camlMain.$2b$2e_12", "Main.+." },
		/* let ( >>= ), let f', let read__all, let __init, let add_2, functor MakeSeeded */
		{ "camlMain__$3e$3e$3d_88", "Main.>>=" },
		{ "camlMain__f$27_88", "Main.f'" },
		{ "camlMain__read__all_88", "Main.read__all" },
		{ "camlMain____init_88", "Main.__init" },
		{ "camlMain__add_2_88", "Main.add_2" },
		{ "camlStdlib__Ephemeron__MakeSeeded_940", "Stdlib.Ephemeron.MakeSeeded" },
		/* Functions without a name have their number only; flambda 2 adds the place, and "_code". */
		{ "camlStdlib__Hashtbl__fun_1802", "Stdlib.Hashtbl.fun_1802" },
		{ "camlMain__anon_fn$5bmain$2eml$3a3$2c9$2d$2d20$5d_12_34_code", "Main.anon_fn[main.ml:3,9--20]" },
		{ "camlMain__error_code", "Main.error_code" },
		{ "camlMain__error_3_code", "Main.error_3_code" },
		{ "camlMain__fib_267@plt", "Main.fib@plt" },
		/* Of C, of the run-time system, or damaged. */
		{ "caml_curry2", NULL },
		{ "caml", NULL },
		{ "camlMain", NULL },
		{ "camlMain__", NULL },
		{ "camlMain.", NULL },
		{ "camlIdl_malloc", NULL },
		{ "camlMain__a$3", NULL },
		{ "camlMain__a$zz", NULL },
		{ "camlMain__a$00b_1", NULL },
		{ "camlMain__a$1b$5b1m_1", NULL },
		{ "camlMain__a$ff_1", NULL },
		{ "camlMain__a$e2$80$ae_1", NULL },
		{ "camlMain__$c3$a9t$c3$a9_1", "Main.\303\251t\303\251" },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_name);
}

static void whole_names_have_numbers(void **state)
{
	static const struct name_case cases[] = {
		{ "camlStdlib__Map__add_200", "Stdlib.Map.add_200" },
		{ "camlStdlib__Hashtbl__fun_1802", "Stdlib.Hashtbl.fun_1802" },
		{ "camlMain__f_1_2_code", "Main.f_1_2_code" },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_whole_name);
}

/* Names of a megabyte, of separators, digits and escapes only: within the test's time, as any other. */
static void long_names_take_linear_time(void **state)
{
	static const char *const parts[] = { "__", "__A", "_1", "$3e", "__a", "A__$", ".", "\xff" };
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct strbuf name = {};
		strbuf_addstr(&name, "camlA");
		while (name.len < 1 << 20)
			strbuf_addstr(&name, parts[i]);
		free(demangle_name(strbuf_str(&name)));
		strbuf_deinit(&name);
	}
}

/* Two lines for each function of the library without escapes: its symbol, and what sed makes of it. */
static void names_of_stdlib_as_sed_reads_them(void **state)
{
	static const char command[] =
		"nm /usr/lib/ocaml/stdlib.a 2>/dev/null | sed -n 's/.* T \\(caml[A-Z][^$]*__[^$]*\\)$/\\1/p' | sort -u | "
		"sed 'p;/__fun_[0-9]*$/!s/_[0-9]*$//;s/^caml//;s/\\([A-Za-z0-9]\\)__/\\1./g'";
	if (access("/usr/lib/ocaml/stdlib.a", R_OK)) {
		print_message("no OCaml here\n");
		skip();
	}
	assert_true(names_compare(command, demangle_name) > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_source),
		cmocka_unit_test(whole_names_have_numbers),
		cmocka_unit_test(long_names_take_linear_time),
		cmocka_unit_test(names_of_stdlib_as_sed_reads_them),
	};
	return cmocka_run_group_tests_name("ocaml names", tests, NULL, NULL);
}
