/* Arguments of io_uring_setup(2), io_uring_enter(2) and io_uring_register(2). Pointers in them were not followed. */
#include "decode/syscall/special/specials.h"
#include "decode/syscall/type_macros.h"

/* ---- io_uring_setup(2) ---- */

enum { SETUP_CQSIZE = 8, SETUP_ATTACH_WQ = 32 };

/* Members set by the program, then those set by the kernel. */
void print_uring_params(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	size_t size = struct_bytes(e->arch, &struct_uring_params);
	if (p.bytes < size) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	uint64_t flags = value_load(e->arch, p.data + 8, 4);
	bool answered = e->ev->has_ret && !syscall_failed(e->ev->ret);
	if (answered || e->json) {
		emit_members(e, &struct_uring_params, p.data, p.bytes);
		return;
	}
	emit_members(e, flags & SETUP_CQSIZE ? &struct_uring_params_sized : flags & SETUP_ATTACH_WQ ? &struct_uring_params_shared :
													&struct_uring_params_request,
		     p.data, p.bytes);
}

/* ---- io_uring_enter(2) ---- */

/* A set of signals; with IORING_ENTER_EXT_ARG a struct that points at one. */
void print_uring_argument(struct emit *e, unsigned i)
{
	enum { EXT_ARG = 8 };
	struct piece p = piece_best(e->ev, i);
	uint64_t bytes = e->ev->arg[i + 1];
	if (e->ev->arg[3] & EXT_ARG && bytes == struct_bytes(e->arch, &struct_uring_getevents) && p.bytes >= bytes)
		emit_members(e, &struct_uring_getevents, p.data, p.bytes);
	else
		print_sigset(e, i);
}

/* ---- io_uring_register(2) ---- */

enum how { ELEMENTS, ONE, CPUS, WORKERS };

/* ELEMENTS: nr_args elements; ONE: a struct, sized: nr_args is its size. */
static const struct registration {
	uint8_t opcode, how;
	bool sized;
	struct value_type type;
} registrations[] = {
	{ 0, ELEMENTS, false, IN(iovec)},
	{ 2, ELEMENTS, false, FD },
	{ 4, ELEMENTS, false, FD },
	{ 6, ONE, false, IN(uring_files_update)},
	{ 7, ELEMENTS, false, FD },
	{ 11, ELEMENTS, false, IN(uring_restriction)},
	{ 13, ONE, true, IN(uring_resources)},
	{ 14, ONE, true, IN(uring_resources_update)},
	{ 15, ONE, true, IN(uring_resources)},
	{ 16, ONE, true, IN(uring_resources_update)},
	{ 17, CPUS, false, { 0 } },
	{ 19, WORKERS, false, U32 },
	{ 20, ELEMENTS, false, IN(uring_ring)},
	{ 21, ELEMENTS, false, IN(uring_unregistered_ring)},
	{ 22, ONE, false, IN(uring_buffer_ring)},
	{ 23, ONE, false, IN(uring_buffer_ring)},
};

static const struct registration *registration_of(uint32_t opcode)
{
	for (size_t i = 0; i < sizeof(registrations) / sizeof(*registrations); i++)
		if (registrations[i].opcode == opcode)
			return &registrations[i];
	return NULL;
}

static void elements(struct emit *e, const struct registration *r, struct piece p, uint32_t nr)
{
	size_t n = value_bytes(e->arch, r->type);
	uint32_t k = 0;
	emit_array(e);
	for (; k < nr && (k + 1) * n <= p.bytes; k++) {
		emit_item(e);
		if (r->how == WORKERS)
			emit_index(e, &constants_uring_workers, k, false);
		emit_memory(e, r->type, p.data + k * n, n);
	}
	if (k < nr)
		emit_more(e);
	emit_array_end(e);
}

static void one(struct emit *e, const struct registration *r, struct piece p, uint32_t nr)
{
	e->sized = r->sized ? nr : 0;
	emit_memory(e, r->type, p.data, p.bytes);
}

void print_uring_register(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	uint32_t nr = (uint32_t)e->ev->arg[3];
	const struct registration *r = registration_of((uint32_t)e->ev->arg[1]);
	size_t least = !r || r->how == CPUS ? nr : nr ? value_bytes(e->arch, r->type) : 0;
	if (r && r->how == ONE)
		least = value_bytes(e->arch, r->type);
	if (!r || !p.data || p.bytes < least || (r->sized && nr < least))
		emit_pointer(e, e->ev->arg[i]);
	else if (r->how == ONE)
		one(e, r, p, nr);
	else if (r->how == CPUS)
		emit_bits(e, p.data, 8ULL * nr);
	else
		elements(e, r, p, nr);
}
