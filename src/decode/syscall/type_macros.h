/*
 * Macros for types in structs.def and calls.def: initialisers of struct value_type. Included by the two files
 * that build those tables, and by nothing else: the names are short.
 */
/* clang-format off: one line each */
#pragma once
#include "decode/syscall/types.h"

#define SIGNED(n) { VALUE_SIGNED, n, 0, NULL }
#define UNSIGNED(n) { VALUE_UNSIGNED, n, 0, NULL }
#define INT   SIGNED(4)
#define S64   SIGNED(8)
#define LONG  SIGNED(0)
#define U32   UNSIGNED(4)
#define U64   UNSIGNED(8)
#define ULONG UNSIGNED(0)
#define HEX(n) { VALUE_HEX, n, 0, NULL }
#define HEX32 HEX(4)
#define HEX64 HEX(8)
#define PTR { VALUE_POINTER, 0, 0, NULL }
#define PTR64 { VALUE_POINTER, 8, 0, NULL }
#define OCTAL64 { VALUE_OCTAL, 8, 0, NULL }
#define MODE(n) { VALUE_MODE, n, 0, NULL }
#define DEV(n) { VALUE_DEVICE, n, 0, NULL }
#define ID(n) { VALUE_ID, n, 0, NULL }
#define FD { VALUE_FD, 4, 0, NULL }
#define FD64 { VALUE_FD, 8, 0, NULL }
#define PID { VALUE_PID, 4, 0, NULL }
#define SIGNAL { VALUE_SIGNAL, 4, 0, NULL }
#define SIGNAL64 { VALUE_SIGNAL, 8, 0, NULL }
#define SIGSET { VALUE_SIGSET, 8, 0, NULL }
#define SIGVAL { VALUE_SIGVAL, 0, 0, NULL }
#define CAPS { VALUE_CAPS, 4, 0, NULL }
#define FSID { VALUE_FSID, 4, 0, NULL }
#define EPOLL_DATA { VALUE_EPOLL_DATA, 8, 0, NULL }
#define LIMIT(n) { VALUE_LIMIT, n, 0, NULL }
#define FLAGS_OF(n, t) { VALUE_FLAGS, n, 0, &constants_##t }
#define FLAGS(t)      FLAGS_OF(4, t)
#define FLAGS8(t)     FLAGS_OF(1, t)
#define FLAGS16(t)    FLAGS_OF(2, t)
#define FLAGS64(t)    FLAGS_OF(8, t)
#define FLAGS_WORD(t) FLAGS_OF(0, t)
#define ENUM_OF(n, t) { VALUE_ENUM, n, 0, &constants_##t }
#define ENUM(t)   ENUM_OF(4, t)
#define ENUM8(t) ENUM_OF(1, t)
#define ENUM16(t) ENUM_OF(2, t)
#define ENUM64(t) ENUM_OF(8, t)
#define FLAGS_MODE(t) { VALUE_FLAGS_MODE, 4, 0, &constants_##t }
#define SCHED      FLAGS(sched)
#define IPC_CMD(t) ENUM(t)
#define KEY { VALUE_ENUM, 4, 1, &constants_ipc_key }
#define KEYARG { VALUE_ENUM_NUMBER, 4, 0, &constants_keyring }
#define CLOCK { VALUE_CLOCK, 4, 0, NULL }
#define STATUS { VALUE_STATUS, 4, 0, NULL }
#define SOCKTYPE { VALUE_SOCKET_TYPE, 4, 0, NULL }
#define DIRFD { VALUE_DIRFD, 4, 0, NULL }
#define MARKFD { VALUE_DIRFD, 4, 1, NULL } /* -1 is FAN_NOFD */
#define OCTAL { VALUE_OCTAL, 2, 0, NULL } /* umode_t */
#define CHARS(n) { VALUE_CHARS, 0, n, NULL }
#define BYTES(n) { VALUE_BYTES, 0, n, NULL }
#define PAD(n) { VALUE_PAD, 0, n, NULL }
#define ARRAY(n, type) { VALUE_ARRAY, 0, n, &type }
#define IN(s) { VALUE_STRUCT, 0, 0, &struct_##s }
#define IN_STRUCT(s) { VALUE_STRUCT, 0, 0, s } /* a pointer to one */
#define INET4 { VALUE_INET4, 4, 0, NULL }
#define INET6 { VALUE_INET6, 0, 16, NULL }
#define PORT { VALUE_PORT, 2, 0, NULL }
#define PORT_OF(t) { VALUE_PORT, 2, 0, &constants_##t }
#define MAC_OF(n) { VALUE_MAC, 0, n, NULL }
#define VERSION { VALUE_VERSION, 4, 0, NULL }
#define BITS(n, t) { VALUE_BITS, n, 0, &constants_##t }
#define BITS_LESS1(n, t) { VALUE_BITS, n, 1, &constants_##t } /* 1<<(X-1) */
#define SOCKADDR { VALUE_SOCKADDR, 8, 128, NULL }
#define ERRNO { VALUE_ERRNO, 4, 0, NULL }
#define LETTER { VALUE_LETTER, 4, 0, NULL }
