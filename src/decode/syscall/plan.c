/* Derives the plan of a reader of memory from the types of the arguments. */
#include "decode/syscall/types.h"

/* Arrays are shown up to this size. */
#define LIST_BYTES   512
#define STRUCT_BYTES 512
#define IOCTL_BYTES  640 /* for the largest struct in the tables: gpio_v2_line_request has 592 */
#define NEWER_BYTES  32 /* fetched after a struct with a size, for members of newer versions */
#define STRINGS_MAX  16
#define IOVEC_MAX    8

static size_t msghdr_bytes(const struct arch *a)
{
	return a->pointer_bytes == 4 ? 28 : 56;
}

static uint16_t least(size_t a, size_t b)
{
	return (uint16_t)(a < b ? a : b);
}

static void of_special(const struct arch *a, const struct syscall_arg *arg, struct syscall_fetch *f)
{
	if (!arg->fetch_bytes) {
		f->what = SYSCALL_FETCH_STRING;
		return;
	}
	f->unit = arg->fetch_bytes;
	f->max = arg->len == SYSCALL_LEN_FIXED ? arg->fetch_bytes : arg->len == SYSCALL_LEN_IOCTL ? IOCTL_BYTES : LIST_BYTES;
}

static void of_struct(const struct arch *a, const struct syscall_arg *arg, struct syscall_fetch *f)
{
	/* One that grew over the years: the call passes its size. */
	f->max = least(value_bytes(a, arg->type), STRUCT_BYTES);
	f->unit = arg->len == SYSCALL_LEN_ARG ? 1 : f->max;
	if (arg->len == SYSCALL_LEN_ARG)
		f->max = least((size_t)f->max + NEWER_BYTES, STRUCT_BYTES);
}

/* false: the argument needs nothing. */
static bool of_argument(const struct arch *a, const struct syscall_arg *arg, struct syscall_fetch *f)
{
	if (!arg->at)
		return false;
	f->what = SYSCALL_FETCH_BYTES;
	f->len = arg->len;
	f->len_arg = arg->len_arg;
	f->unit = 1;
	switch (arg->kind) {
	case ARG_PATH:
	case ARG_STRING:
		f->what = SYSCALL_FETCH_STRING;
		break;
	case ARG_PACKET:
		f->what = SYSCALL_FETCH_PACKET;
		break;
	case ARG_POINTERS:
		f->what = SYSCALL_FETCH_POINTERS;
		f->unit = (uint16_t)value_bytes(a, arg->type);
		f->max = (uint16_t)(IOVEC_MAX * a->pointer_bytes);
		break;
	case ARG_BUFFER:
	case ARG_RANDOM:
		break;
	case ARG_POINTEE:
		of_struct(a, arg, f);
		break;
	case ARG_LIST:
		f->unit = (uint16_t)value_bytes(a, arg->type);
		f->max = LIST_BYTES / f->unit * f->unit;
		break;
	case ARG_SOCKADDR:
		f->max = 128; /* sockaddr_storage */
		break;
	case ARG_FDSET:
		f->unit = 8;
		f->max = 128; /* FD_SETSIZE bits */
		break;
	case ARG_SIGMASK:
		f->what = SYSCALL_FETCH_IOVEC;
		f->unit = f->max = (uint16_t)(2 * a->pointer_bytes);
		break;
	case ARG_IOVEC:
		f->what = SYSCALL_FETCH_IOVEC;
		f->unit = (uint16_t)(2 * a->pointer_bytes);
		f->max = (uint16_t)(IOVEC_MAX * f->unit);
		break;
	case ARG_MSGHDR:
		f->what = SYSCALL_FETCH_MSGHDR;
		f->unit = f->max = (uint16_t)msghdr_bytes(a);
		break;
	case ARG_MMSGHDR:
		f->what = SYSCALL_FETCH_MMSGHDR;
		f->unit = (uint16_t)(msghdr_bytes(a) + (a->pointer_bytes == 4 ? 4 : 8));
		f->max = LIST_BYTES / f->unit * f->unit;
		break;
	case ARG_STRINGS:
		f->what = SYSCALL_FETCH_STRINGS;
		f->max = STRINGS_MAX;
		break;
	case ARG_ENVIRON:
		f->what = SYSCALL_FETCH_COUNT;
		break;
	case ARG_SPECIAL:
		of_special(a, arg, f);
		break;
	default:
		return false;
	}
	return true;
}

void plan_make(struct syscall_desc *d)
{
	struct syscall_plan *p = &d->plan;
	*p = (struct syscall_plan){ .classes = d->classes, .known = 1, .nargs = d->nargs };
	if (!d->described)
		return;
	for (unsigned i = 0; i < d->nargs && p->steps_nr < SYSCALL_STEPS; i++) {
		struct syscall_fetch f = { .at = d->args[i].at, .arg = (uint8_t)i };
		if (!of_argument(d->arch, &d->args[i], &f))
			continue;
		bool message = f.what == SYSCALL_FETCH_MSGHDR || f.what == SYSCALL_FETCH_MMSGHDR;
		if (message && f.at == SYSCALL_AT_EXIT && p->steps_nr < SYSCALL_STEPS - 1) {
			/* The size of the address buffer, before the kernel overwrites it: the first two words. */
			p->step[p->steps_nr++] = (struct syscall_fetch){ .what = SYSCALL_FETCH_BYTES,
									.at = SYSCALL_AT_ENTRY,
									.arg = f.arg,
									.max = (uint16_t)(2 * d->arch->pointer_bytes),
									.unit = (uint16_t)(2 * d->arch->pointer_bytes)};
			p->entry_steps++;
		}
		p->entry_steps += f.at & SYSCALL_AT_ENTRY;
		p->exit_steps += !!(f.at & SYSCALL_AT_EXIT);
		p->step[p->steps_nr++] = f;
	}
}
