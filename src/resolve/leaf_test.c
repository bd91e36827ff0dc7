/* The callers of functions without a frame, out of arm64's link register and x86-64's stack: made programs, known rules. */
#include "base/testing.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "machine/record_builder.h"
#include "object/object.h"
#include "object/testing_elf.h"
#include "resolve/resolver_priv.h"

#define LOADED_AT 0xaaaa0000u /* where vaddr 0x1000 is mapped */
#define LR	  30
#define SP	  31
#define PC	  32

static struct strobe_error *no_records(struct record_source *s, struct record *ret, bool *ret_end)
{
	*ret_end = true;
	return NULL;
}

static const struct env *env_of(struct record_source *s);

struct fixture {
	struct record_source source; /* first */
	struct env *env;
	struct resolver *r;
	struct dumps dumps;
	struct machine_view view;
	uint64_t regs[33];
	char path[32];
};

static const struct env *env_of(struct record_source *s)
{
	return ((struct fixture *)s)->env;
}

static const struct record_source_ops ops = { .next = no_records, .env = env_of };

/*
 * One CIE (the CFA is sp, the return address register 30), a leaf without a frame at 0x1000, and at 0x1100 a function that
 * keeps both registers on the stack from its second instruction on.
 */
static const uint8_t frames[] = {
	16, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 4, 0x78, LR, 1, 0, 0x0c, SP, 0,
	36, 0, 0, 0, 24, 0, 0, 0, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	36, 0, 0, 0, 64, 0, 0, 0, 0x00, 0x11, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
	0, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3,
	0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0,
};

/*
 * The same for x86-64: CFA rsp + 8, the return address just below. At 0x1000 a leaf; at 0x1100 one that pushes two registers
 * (16 bytes from byte 1 on, 24 from byte 2 on); at 0x1200 one that keeps a frame pointer from byte 4 on; at 0x1300 one with
 * 4096 bytes on its stack.
 */
static const uint8_t frames_x86[] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0c, 7, 8, 0x90, 1, 0, 0,
	28, 0, 0, 0, 28, 0, 0, 0, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0,
	28, 0, 0, 0, 60, 0, 0, 0, 0x00, 0x11, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
	0, 0x41, 0x0e, 16, 0x41, 0x0e, 24, 0,
	28, 0, 0, 0, 92, 0, 0, 0, 0x00, 0x12, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
	0, 0x44, 0x0c, 6, 16, 0x86, 2, 0,
	28, 0, 0, 0, 124, 0, 0, 0, 0x00, 0x13, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0,
	0, 0x0e, 0x80, 0x20, 0, 0, 0, 0,
	0, 0, 0, 0,
};

static struct fixture *begin_on(const char *arch, uint16_t machine, const uint8_t *rules, size_t rules_bytes)
{
	/* Calls, by which an address is known as one that they return to. */
	static const uint8_t code[0x400] = { [0x220 - 5] = 0xe8, [0x230 - 5] = 0xe8, [0x240 - 5] = 0xe8 };
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = machine };
	uint32_t text = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code));
	elf_add_section(&b, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x4000, rules, rules_bytes);
	elf_load_section(&b, text, PF_R | PF_X);
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	struct object *o;
	uint64_t offset;
	assert_ok(object_open_memory(bytes, n, "made", &o));
	assert_true(object_offset_of_vaddr(o, 0x1000, &offset));
	object_close(o);
	strcpy(f->path, "/tmp/strobe-leaf-XXXXXX");
	int fd = mkstemp(f->path);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	free(bytes);
	f->source.ops = &ops;
	f->env = env_create();
	f->env->arch = arch;
	f->r = resolver_create(&f->source, (struct symbols_options){}, (struct resolve_options){ .with_chains = true, .max_stack = 127 });
	struct record_builder records = {};
	build_mmap2(&records, PERF_RECORD_MISC_USER, 1, 1, LOADED_AT, sizeof(code), offset, 1, f->path);
	machine_apply(f->r->machine, build_end(&records), 0);
	machine_seal(f->r->machine);
	vec_deinit(&records.bytes);
	f->view = machine_view(f->r->machine, 1, 1, 1);
	dumps_init(&f->dumps, f->r);
	return f;
}

static struct fixture *begin(void)
{
	return begin_on("aarch64", EM_AARCH64, frames, sizeof(frames));
}

static void end(struct fixture *f)
{
	dumps_deinit(&f->dumps);
	resolver_destroy(f->r);
	env_destroy(f->env);
	unlink(f->path);
	free(f);
}

static uint64_t code_at(uint64_t vaddr)
{
	return LOADED_AT + vaddr - 0x1000;
}

static uint32_t join(struct fixture *f, uint64_t pc, uint64_t lr, const uint64_t *chain, uint64_t n, const uint64_t **ret)
{
	/* Of lr alone, as perf records it, and of all registers. */
	struct sample alone = { .callchain = chain, .callchain_nr = n, .ip = pc,
				.user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64, .mask = 1ull << LR, .values = &lr } };
	uint32_t by_lr = dumps_join_leaf(&f->dumps, &f->view, &alone, ret);
	f->regs[LR] = lr;
	f->regs[SP] = 0x7f0000;
	f->regs[PC] = pc;
	struct sample s = { .callchain = chain, .callchain_nr = n,
			    .user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64, .mask = 0x1ffffffff, .values = f->regs } };
	uint32_t by_all = dumps_join_leaf(&f->dumps, &f->view, &s, ret);
	assert_int_equal(by_all, by_lr);
	return by_all;
}

static void the_caller_is_put_back(void **state)
{
	struct fixture *f = begin();
	const uint64_t *words = NULL;
	const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffff800000001000, PERF_CONTEXT_USER, code_at(0x1008), code_at(0x1300) };
	const uint64_t expected[] = { chain[0], chain[1], chain[2], chain[3], code_at(0x1120), chain[4] };
	assert_int_equal(join(f, code_at(0x1008), code_at(0x1120), chain, 5, &words), 6);
	assert_memory_equal(words, expected, sizeof(expected));
	/* Before the function has made its frame. */
	const uint64_t early[] = { PERF_CONTEXT_USER, code_at(0x1100) };
	assert_int_equal(join(f, code_at(0x1100), code_at(0x1120), early, 2, &words), 3);
	assert_int_equal(words[2], code_at(0x1120));
	end(f);
}

static void other_chains_stay(void **state)
{
	struct fixture *f = begin();
	const uint64_t *words = NULL;
	/* The chain has it. */
	const uint64_t has[] = { PERF_CONTEXT_USER, code_at(0x1008), code_at(0x1120) };
	assert_int_equal(join(f, code_at(0x1008), code_at(0x1120), has, 3, &words), 0);
	/* It is on the stack: what lr has is older, or newer. */
	const uint64_t framed[] = { PERF_CONTEXT_USER, code_at(0x1110), code_at(0x1300) };
	assert_int_equal(join(f, code_at(0x1110), code_at(0x1120), framed, 3, &words), 0);
	/* Code without rules; no chain of a user. */
	const uint64_t bare[] = { PERF_CONTEXT_USER, code_at(0x1380) };
	assert_int_equal(join(f, code_at(0x1380), code_at(0x1120), bare, 2, &words), 0);
	assert_int_equal(join(f, code_at(0x1008), code_at(0x1120), (uint64_t[]){ PERF_CONTEXT_KERNEL, 1 }, 2, &words), 0);
	end(f);
}

/* A chain of the user's part alone, with words of the stack from where its innermost frame is. */
static uint32_t join_stack(struct fixture *f, const uint64_t *chain, uint64_t n, const uint64_t *stack, unsigned stack_nr,
			   const uint64_t **ret)
{
	struct sample s = { .callchain = chain, .callchain_nr = n, .stack = (const uint8_t *)stack,
			    .stack_bytes = 64, .stack_dyn_bytes = stack_nr * sizeof(uint64_t) };
	return dumps_join_leaf(&f->dumps, &f->view, &s, ret);
}

static void callers_on_the_stack(void **state)
{
	struct fixture *f = begin_on("x86_64", EM_X86_64, frames_x86, sizeof(frames_x86));
	const uint64_t framed = code_at(0x1220), outer = code_at(0x1230), pushing = code_at(0x1110);
	const uint64_t *words = NULL;
	/* A leaf that was called by a function with a frame. */
	const uint64_t chain[] = { PERF_CONTEXT_USER, code_at(0x1008), outer };
	const uint64_t expected[] = { PERF_CONTEXT_USER, code_at(0x1008), framed, outer };
	assert_int_equal(join_stack(f, chain, 3, &framed, 1, &words), 4);
	assert_memory_equal(words, expected, sizeof(expected));
	/* The same by way of one that has pushed two registers. */
	const uint64_t stack[] = { pushing, 1, 2, framed };
	const uint64_t both[] = { PERF_CONTEXT_USER, code_at(0x1008), pushing, framed, outer };
	assert_int_equal(join_stack(f, chain, 3, stack, 4, &words), 5);
	assert_memory_equal(words, both, sizeof(both));
	/* What was copied ends before the second. */
	assert_int_equal(join_stack(f, chain, 3, stack, 2, &words), 4);
	assert_int_equal(words[2], pushing);
	/* Before a function has made its frame. */
	const uint64_t early[] = { PERF_CONTEXT_USER, code_at(0x1200), outer };
	assert_int_equal(join_stack(f, early, 3, &framed, 1, &words), 4);
	assert_int_equal(words[2], framed);
	assert_int_equal(words[3], outer);
	end(f);
}

/* With registers it is a stack dump, too short for all but the leaf: where the frame pointer points the kernel's chain goes on. */
static void a_short_dump_leads_to_the_chain(void **state)
{
	struct fixture *f = begin_on("x86_64", EM_X86_64, frames_x86, sizeof(frames_x86));
	const uint64_t framed = code_at(0x1220), outer = code_at(0x1230), outermost = code_at(0x1240);
	const uint64_t chain[] = { PERF_CONTEXT_USER, code_at(0x1008), outer, outermost };
	const uint64_t bp_sp_ip[] = { 0x7f0100, 0x7f0000, code_at(0x1008) };
	/* Callers by their calls, one back. */
	const uint64_t expected[] = { PERF_CONTEXT_USER, code_at(0x1008), framed - 1, outer - 1, outermost - 1 };
	const uint64_t *words = NULL;
	struct sample s = { .callchain = chain, .callchain_nr = 4, .stack = (const uint8_t *)&framed, .stack_bytes = 8,
			    .stack_dyn_bytes = 8, .user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64, .mask = 7 << 6, .values = bp_sp_ip } };
	assert_int_equal(dumps_join(&f->dumps, &f->view, &s, &words), 5);
	assert_memory_equal(words, expected, sizeof(expected));
	end(f);
}

static void stacks_without_information(void **state)
{
	struct fixture *f = begin_on("x86_64", EM_X86_64, frames_x86, sizeof(frames_x86));
	const uint64_t framed = code_at(0x1220);
	const uint64_t *words = NULL;
	/* A function with a frame: what lies on top of the stack is its own. */
	assert_int_equal(join_stack(f, (uint64_t[]){ PERF_CONTEXT_USER, code_at(0x1210), framed }, 3, &framed, 1, &words), 0);
	/* The kernel looked itself, as newer ones do where a probe is. */
	assert_int_equal(join_stack(f, (uint64_t[]){ PERF_CONTEXT_USER, code_at(0x1008), framed }, 3, &framed, 1, &words), 0);
	/* More on the stack than was copied; code without rules; nothing copied. */
	assert_int_equal(join_stack(f, (uint64_t[]){ PERF_CONTEXT_USER, code_at(0x1310), 1 }, 3, &framed, 1, &words), 0);
	assert_int_equal(join_stack(f, (uint64_t[]){ PERF_CONTEXT_USER, code_at(0x1390), 1 }, 3, &framed, 1, &words), 0);
	assert_int_equal(join_stack(f, (uint64_t[]){ PERF_CONTEXT_USER, code_at(0x1008), 1 }, 3, &framed, 0, &words), 0);
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_caller_is_put_back),
		cmocka_unit_test(other_chains_stay),
		cmocka_unit_test(callers_on_the_stack),
		cmocka_unit_test(a_short_dump_leads_to_the_chain),
		cmocka_unit_test(stacks_without_information),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
