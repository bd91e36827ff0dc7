#!/usr/bin/env python3
"""What a CPU profile by a library costs the program: libstrobe_profiler.so beside libprofiler, at 100 and 1,000 samples a second.

A program of fixed work below 20 frames, with and without frame pointers: CPU time in units of the bare program's, least of the rounds, in
turn; and the frames of the deepest stack in each profile, by `strobe pprof`.

tools/bench_profiler.py STROBE SCRATCH [ROUNDS]
"""

import os
import re
import resource
import subprocess
import sys

PROGRAM = r"""
static volatile unsigned long sum;
__attribute__((noinline)) static void climb(int depth, unsigned long work)
{
	if (depth)
		climb(depth - 1, work);
	else
		for (unsigned long i = 0; i < work; i++)
			sum += i * i;
	__asm__ volatile("" : : : "memory");
}
int main(void)
{
	for (int i = 0; i < 500; i++)
		climb(20, 400000);
	return 0;
}
"""
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")


def cpu_time(program, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program], env={**os.environ, **environment}, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def deepest(strobe, program, profile):
    raw = subprocess.run([strobe, "pprof", "-traces", program, profile], check=True, capture_output=True, text=True).stdout
    stacks = re.split(r"^-+\+.*$", raw, flags=re.M)[1:]
    depths = [len([line for line in stack.splitlines() if line.strip()]) for stack in stacks]
    return max(depths, default=0)


def main():
    strobe, scratch = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    os.makedirs(scratch, exist_ok=True)
    source = os.path.join(scratch, "climb.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(PROGRAM)
    ours = os.path.join(os.path.dirname(os.path.abspath(strobe)), "libstrobe_profiler.so.0")
    theirs = next((p for p in (os.path.join(folder, "libprofiler.so.0") for folder in FOLDERS) if os.path.exists(p)), None)
    libraries = {"ours": ours} | ({"libprofiler": theirs} if theirs else {})
    for flags in (["-fno-omit-frame-pointer"], ["-fomit-frame-pointer"]):
        program = os.path.join(scratch, "climb" + flags[0])
        subprocess.run(["cc", "-O1", "-g", "-fno-optimize-sibling-calls", *flags, "-o", program, source], check=True)
        seconds = {"bare": []}
        for _ in range(rounds):
            seconds["bare"].append(cpu_time(program, {}))
            for hertz in (100, 1000):
                for name, library in libraries.items():
                    profile = os.path.join(scratch, f"{name}-{hertz}.prof")
                    environment = {"LD_PRELOAD": library, "CPUPROFILE": profile, "CPUPROFILE_FREQUENCY": str(hertz)}
                    seconds.setdefault(f"{name} {hertz} Hz", []).append(cpu_time(program, environment))
        bare = min(seconds.pop("bare"))
        ratios = "; ".join(f"{side}: {min(times) / bare:.3f}" for side, times in seconds.items())
        depths = "; ".join(f"{name}: {deepest(strobe, program, os.path.join(scratch, f'{name}-1000.prof'))}" for name in libraries)
        print(f"{flags[0]} | {ratios} | frames of the deepest stack, {depths} | bare {bare:.2f} s")


if __name__ == "__main__":
    main()
