/* A program whose call frame information takes long to read: `slow_table MS` is busy for as long, with 6 KB of its stack in use. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A function with one entry of 60 MB: 30 million times DW_CFA_remember_state and DW_CFA_restore_state. */
__asm__(".text\npadding: .fill 16, 1, 0\n"
	".section .eh_frame, \"a\", %progbits\n"
	"1: .long 3f - 2f\n2: .long 0\n.byte 1\n.asciz \"zR\"\n.byte 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1\n.balign 8, 0\n"
	"3: .long 5f - 4f\n4: .long 4b - 1b\n.long padding - .\n.long 16\n.byte 0\n.fill 30000000, 2, 0x0b0a\n.balign 8, 0\n5:\n"
	".text\n");

static uint64_t cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void busy(uint64_t until_ns)
{
	volatile char room[6000];
	memset((char *)room, 1, sizeof(room));
	while (cpu_ns() < until_ns)
		for (int i = 0; i < 20000; i++)
			room[i % 6000]++;
}

int main(int argc, char **argv)
{
	busy(argc > 1 ? (uint64_t)atoi(argv[1]) * 1000000 : 0);
	return 0;
}
