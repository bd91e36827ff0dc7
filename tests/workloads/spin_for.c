/* spin_for SECONDS: spins in spin(), so long by the CPU's clock. */
#include <stdlib.h>
#include <time.h>

int spin(double seconds);
int spin(double seconds)
{
	volatile unsigned n = 0;
	while ((double)clock() / CLOCKS_PER_SEC < seconds)
		for (int i = 0; i < 10000; i++)
			n += (unsigned)i;
	return n == 0;
}

int main(int argc, char **argv)
{
	return spin(argc > 1 ? atof(argv[1]) : 1);
}
