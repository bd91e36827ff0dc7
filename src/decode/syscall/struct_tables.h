/* Macros that make tables of structs.def and structs_ioctl.def. Included at the end of the file that has the printers. */
/* clang-format off: one line each */
#pragma once
#define STRUCT(id) static const struct member members_##id[] = {
#define F(name, ...) { #name, __VA_ARGS__, 0 },
#define V(name, ...) { #name, __VA_ARGS__, MEMBER_VERBOSE },
#define N(name, ...) { #name, __VA_ARGS__, MEMBER_NONZERO },
#define H(name, ...) { #name, __VA_ARGS__, MEMBER_HIDDEN },
#define R(name, ...) { #name, __VA_ARGS__, MEMBER_ANSWER },
#define DONE(id, i386, aarch64, gapless, function) \
	};                                         \
	const struct struct_type struct_##id = {   \
		#id, members_##id, sizeof(members_##id) / sizeof(*members_##id), i386, aarch64, gapless, function,
#define END(id) DONE(id, NULL, NULL, false, NULL) };
#define ALSO(id, i386, aarch64) DONE(id, i386, aarch64, false, NULL) };
#define PRINT(id, function) DONE(id, NULL, NULL, false, function) };
#define ALSO_PRINT(id, i386, aarch64, function) DONE(id, i386, aarch64, false, function) };
#define PACKED(id, aarch64) DONE(id, NULL, aarch64, true, NULL) };
