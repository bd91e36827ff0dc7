/* Names of Haskell. Second sources: the table of GHC's documentation, and GHC's own decoder for the names of its libraries. */
#include "demangle/names_testing.h"

#include "base/strbuf.h"

static void names_are_those_of_the_source(void **state)
{
	static const struct name_case cases[] = {
		{ "base_GHCziBase_map_info", "GHC.Base.map" },
		{ "base_GHCziBase_zlztztzg1_info", "GHC.Base.<**>1" },
		{ "base_Numeric_showHex_info", "Numeric.showHex" },
		{ "ghczmprim_GHCziTypes_Izh_con_info", "constructor GHC.Types.I#" },
		{ "ghczmprim_GHCziClasses_CZCEq_info", "GHC.Classes.C:Eq" },
		{ "containerszm0zi6zi4zi1_DataziMapziInternal_balanceR_info", "Data.Map.Internal.balanceR" },
		{ "base_DataziFoldable_foldlzq_entry", "Data.Foldable.foldl'" },
		{ "base_TextziPrintf_zdwformatIntegral_slow", "slow entry for Text.Printf.$wformatIntegral" },
		{ "base_GHCziBase_map_closure", "closure for GHC.Base.map" },
		{ "base_GHCziEventziInternalziTypes_Lifetime_closure_tbl", "closures for GHC.Event.Internal.Types.Lifetime" },
		{ "Main_zdwzdsgo8_info", "Main.$w$sgo8" },
		{ "Main_main1_info", "Main.main1" },
		{ "ZCMain_main_info", ":Main.main" },
		{ "Main_zlzpzg_info", "Main.<+>" },
		/* The table: tuples, characters, others by number. */
		{ "base_M_Z0T_con_info", "constructor M.()" },
		{ "base_M_Z2T_con_info", "constructor M.(,)" },
		{ "base_M_Z1H_con_info", "constructor M.(# #)" },
		{ "base_M_Z3H_con_info", "constructor M.(#,,#)" },
		{ "base_M_zdZLZRZMZNZCZZ_info", "M.$()[]:Z" },
		{ "base_M_zdzazbzczezgzhzizlzmznzpzqzrzsztzuzvzz_info", "M.$&|^=>#.<-!+'\\/*_%z" },
		{ "base_M_zd0ze9Uz2cU_info", "M.$0=9U," },
		{ "base_M_z0e9Ut_info", "M.\303\251t" },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_name);
}

static void whole_names_have_packages(void **state)
{
	static const struct name_case cases[] = {
		{ "base_GHCziBase_map_info", "base:GHC.Base.map" },
		{ "containerszm0zi6zi4zi1_DataziMapziInternal_balanceR_info", "containers-0.6.4.1:Data.Map.Internal.balanceR" },
		{ "ghczmprim_GHCziTypes_Izh_con_info", "constructor ghc-prim:GHC.Types.I#" },
		{ "Main_main_info", "Main.main" },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_whole_name);
}

/* Of C, which GHC's names resemble; of GHC's run-time system; and damaged ones. */
static void other_names_stay(void **state)
{
	static const struct name_case cases[] = {
		{ "get_size_info", NULL },
		{ "Gzip_Stream_info", NULL },
		{ "XML_Parser_info", NULL },
		{ "Fuzz_target_info", NULL },
		{ "Lib_maze_info", NULL },
		{ "Foo_Bazaar_info", NULL },
		{ "lib_Zip_info", NULL },
		{ "base_info", NULL },
		{ "base_size_info", NULL },
		{ "base_get_size_info", NULL },
		{ "base_Get_0size_info", NULL },
		{ "Main_main_loop_info", NULL },
		{ "Main_mainloop_info", NULL },
		{ "zz_info", NULL },
		{ "stg_ap_pp_info", NULL },
		{ "stg_upd_frame_info", NULL },
		{ "_info", NULL },
		{ "base_GHCziBase_map", NULL },
		{ "base_GHCziBase_map_infos", NULL },
		{ "base_GHCziBase__info", NULL },
		{ "base_GHCzi_map_info", NULL },
		{ "base_GHCziBase_mapz_info", NULL },
		{ "base_GHCziBase_mapzx_info", NULL },
		{ "base_M_Z9999T_info", NULL },
		{ "base_M_Z65T_info", NULL },
		{ "base_M_Z1T_info", NULL },
		{ "base_M_zdz1bU_info", NULL },
		{ "base_M_zdz202eU_info", NULL },
		{ "base_M_zdz0d800U_info", NULL },
		{ "base_M_zdz110000U_info", NULL },
		{ "base_M_zdz0000000000000041U_info", NULL },
	};
	names_check(cases, sizeof(cases) / sizeof(*cases), demangle_name);
}

/* Two lines for each function of GHC's libraries: the symbol, and its module and name by GHC's decoder. */
static void names_as_ghc_decodes_them(void **state)
{
	static const char command[] =
		"d=$(mktemp -d) && cd $d && cat > z.hs <<'E'\n"
		"import GHC.Utils.Encoding (zDecodeString)\n"
		"main = interact (unlines . concatMap two . lines)\n"
		"two s = [s, decoded (tail (dropWhile (/= '_') s))]\n"
		"decoded s = let (m, n) = break (== '_') s in zDecodeString m ++ \".\" ++ zDecodeString (stripped (tail n))\n"
		"stripped s = take (length s - length \"_info\") s\n"
		"E\n"
		"nm /usr/lib/ghc/base-*/libHS*[0-9].a /usr/lib/ghc/containers-*/libHS*[0-9].a 2>/dev/null |\n"
		"sed -n 's/.* T \\([a-z][^_]*_[^_]*_[^_]*_info\\)$/\\1/p' | sort -u |\n"
		"runghc --ghc-arg=-package --ghc-arg=ghc z.hs; rm -rf $d";
	if (system("command -v runghc >/dev/null 2>&1 && ls /usr/lib/ghc/base-*/libHS*.a >/dev/null 2>&1")) {
		print_message("no GHC here\n");
		skip();
	}
	assert_true(names_compare(command, demangle_name) > 5000);
}

static void long_names_take_linear_time(void **state)
{
	static const char *const parts[] = { "zi", "ziA", "z", "Z", "z0", "Z64T", "_", "a", "z1fffU" };
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct strbuf name = {};
		strbuf_addstr(&name, "base_GHCziBase_zd");
		while (name.len < 1 << 20)
			strbuf_addstr(&name, parts[i]);
		strbuf_addstr(&name, "_info");
		free(demangle_name(strbuf_str(&name)));
		strbuf_deinit(&name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_source),
		cmocka_unit_test(whole_names_have_packages),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(names_as_ghc_decodes_them),
		cmocka_unit_test(long_names_take_linear_time),
	};
	return cmocka_run_group_tests_name("names of Haskell", tests, NULL, NULL);
}
