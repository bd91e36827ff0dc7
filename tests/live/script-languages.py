#!/usr/bin/env python3
"""
Frames of PHP, Ruby and Perl in the stacks of record --call-graph eh: in each language a script of known shape, whose own traceback at the
hottest places is the second source.
"""
# needs: record report script flamegraph
# timeout: 180

import os
import re
import shutil
from collections import Counter

from strobetest import SCRATCH, Tap, run, skip_all, strobe

# Each writes a line for each place: "PLACE NAME:LINE NAME:LINE …", the innermost first. 0: a function in C, which has no line.

PHP = r"""<?php
function spin($ms, $place) {
    $line = $place;
    $trace = debug_backtrace();
    foreach ($trace as $i => $t) {
        $name = (isset($t['class']) ? $t['class'] . '::' : '') . $t['function'];
        $line .= " $name:" . ($i ? ($trace[$i - 1]['line'] ?? 0) : __LINE__);
    }
    file_put_contents($GLOBALS['argv'][1], "$line {main}:" . end($trace)['line'] . "\n", FILE_APPEND);
    $u = getrusage();
    $end = $u['ru_utime.tv_sec'] * 1e6 + $u['ru_utime.tv_usec'] + $ms * 1000;
    for ($n = 0; $n % 1000 || getrusage()['ru_utime.tv_sec'] * 1e6 + getrusage()['ru_utime.tv_usec'] < $end; $n++) {
        $x = $n * 3 % 7;
        $x += 2;
    }
}
function recurse($n, $place) {
    if ($n == 0) {
        spin(120, $place);
        return;
    }
    recurse($n - 1,
            $place);
}
function generate() {
    for ($i = 0; $i < 2; $i++) {
        spin(60, 'generator');
        yield $i;
    }
}
class Key {
    static function of($x) {
        spin(50, 'callback');
        return -$x;
    }
}
function catch_it() {
    try {
        throw new Exception('deep');
    } catch (Exception $e) {
        spin(120, 'exception');
    }
}
function by_callback() {
    $list = [3, 1, 2];
    usort($list, function ($a, $b) { return
        Key::of($a) <=> $b; });
}
recurse(5, 'recursion');
foreach (generate() as $_) {
}
by_callback();
catch_it();
array_map('catch_it_too', [1]);
function catch_it_too($x) {
    spin(120, 'mapped');
}
"""

RUBY = r"""
def spin(ms, place)
  trace = caller_locations(0).reject { |l| %w[sort_by each map times].include?(l.label) }
  File.write(ARGV[0], "#{place} #{trace.map { |l| "#{l.label.tr(' ', '_')}:#{l.lineno}" }.join(' ')}\n", mode: "a")
  stop = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + ms / 1000.0
  n = 0
  while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < stop
    n += 1
  end
end

def recurse(n, place)
  if n == 0
    spin(120, place)
    return
  end
  recurse(n - 1,
          place)
end

class Key
  def of(x)
    spin(40, "callback")
    -x
  end
end

def catch_it
  raise ArgumentError
rescue ArgumentError
  spin(120, "exception")
end

def by_callback
  [3, 1, 2].sort_by { |x|
    Key.new.of(x)
  }
end

def in_fiber
  Fiber.new { recurse(2, "fiber") }.resume
end

def in_thread
  recurse(3, "thread")
end

recurse(5, "recursion")
by_callback
catch_it
in_fiber
Thread.new { in_thread }.join
"""

PERL = r"""
use strict;
use threads;

sub spin {
    my ($ms, $place) = @_;
    my ($line, $at) = ($place, __LINE__);
    for (my $i = 0; my @frame = caller($i); $i++) {
        next if $frame[3] eq '(eval)' && !defined $frame[6];
        $line .= " $frame[3]:$at";
        $at = $frame[2];
    }
    open(my $to, '>>', $ARGV[0]); print $to "$line (main):$at\n"; close($to);
    my $end = (times)[0] + $ms / 1000;
    my $n = 0;
    while ((times)[0] < $end) {
        $n = $n * 3 % 7;
    }
}

sub recurse {
    my ($n, $place) = @_;
    if ($n == 0) {
        spin(120, $place);
        return;
    }
    recurse($n - 1,
        $place);
}

package Key;
sub of {
    my ($x) = @_;
    main::spin(40, 'callback');
    return -$x;
}
package main;

sub catch_it {
    eval {
        die 'deep';
    };
    spin(120, 'exception');
    eval {
        spin(120, 'block');
    };
}

sub by_callback {
    my @sorted = sort {
        Key::of($a) <=> $b
    } (3, 1, 2);
}

sub later { return 1 + spin(120, 'sub'), $a <=> $b; }
sub by_sub {
    my @sorted = sort later (2, 1);
}

sub by_text {
    eval "1;\nspin(120, 'text');";
}

sub in_thread { recurse(3, 'thread'); }

recurse(5, 'recursion');
by_callback();
by_sub();
by_text();
catch_it();
threads->create(\&in_thread)->join();
"""

FORKS = {
    "php": """<?php
function child($n) {
    for ($i = 0; $i % 1000 || getrusage()['ru_utime.tv_usec'] < 300000; $i++) { $n = ($n + 1) % 7; }
    exit(0);
}
for ($i = 0; $i < 3; $i++) { if (!pcntl_fork()) { child($i); } }
for ($i = 0; $i < 3; $i++) { pcntl_wait($status); }
""",
    "ruby": """
def child(n)
  n = (n + 1) % 7 while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 0.3
  exit!(0)
end
3.times { |i| fork { child(i) } }
Process.waitall
""",
    "perl": """
sub child { my $n = shift;
    $n = ($n + 1) % 7 while (times)[0] < 0.3;
    exit(0);
}
for my $i (1 .. 3) { child($i) if !fork(); }
wait() for (1 .. 3);
""",
}

# Name, its script, the ending of its files, what its outermost frames are called, places.
LANGUAGES = (
    ("php", PHP, "php", {"{main}"}, 5),
    ("ruby", RUBY, "rb", {"<main>", "block_in_<main>", "block_in_in_fiber"}, 5),
    ("perl", PERL, "pl", {"(main)"}, 7),
)


def stacks_of(path, kind):
    """Counter of the script's frames, innermost first, as ((function, line), …), of samples with any."""
    found = Counter()
    out = strobe("script", "-i", path, "-F", "ip,sym,dso,srcline").out
    frame = re.compile(r"^\s*[0-9a-f]+ (\S.*) \(\[" + kind + r"\]\)(?:\n\s+\S.*:(\d+))?", re.M)
    place = re.compile(r" \(\S*( \d+\))?(:\d+)?\)$")  # also "((eval 2):1)"
    for sample in out.split("\n\n"):
        frames = tuple((place.sub("", name).replace(" ", "_"), int(line or 0)) for name, line in frame.findall(sample))
        if frames:
            found[frames] += 1
    return found


def places_of(path):
    """{place: [stacks]}: what the script said of itself."""
    places = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            place, *frames = line.split()
            stack = tuple((name, int(at)) for name, at in (frame.rsplit(":", 1) for frame in frames))
            places.setdefault(place, set()).add(stack)
    return places


def shape(tap, name, text, ending, outermost, expected):
    script, answer = os.path.join(SCRATCH, f"shape.{ending}"), os.path.join(SCRATCH, f"{name}.txt")
    data = os.path.join(SCRATCH, f"{name}.data")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text)
    done = strobe("record", "-e", "cpu-clock", "-F", "997", "--call-graph", "eh", "-o", data, name, script, answer)
    if not tap.ok(done.status == 0 and os.path.exists(answer), f"{name}: recorded", str(done)):
        return
    found, truth, wrong = stacks_of(data, name), places_of(answer), []
    for place, stacks in truth.items():
        callers = {stack[1:] for stack in stacks}
        inner = [stack[1:] if stack[0][1] else stack[2:] for stack in found]  # without what spin() calls in C
        count = sum(n for rest, n in zip(inner, found.values()) if rest in callers)
        if count < 40:  # of 120 that it takes; the machine may be busy when it begins
            wrong.append(f"{place}: {count} samples of {callers}")
    tap.ok(len(truth) == expected and not wrong, f"{name}: names, lines and order are those of the script's own traceback",
           "\n".join(wrong + [f"{n} {stack}" for stack, n in found.most_common(12)]))
    spun = {stack: n for stack, n in found.items() if any(frame[0].split("::")[-1] == "spin" for frame in stack)}
    odd = sum(n for stack, n in spun.items() if stack[-1][0] not in outermost)
    tap.ok(odd <= 0.01 * sum(spun.values()), f"{name}: stacks begin with the main program", str(spun))


def views(tap, name):
    data = os.path.join(SCRATCH, f"{name}.data")
    native = strobe("report", "--stdio", "-i", data, "--no-interpreter", "--children", "-g", "none").out
    tap.ok("[" + name + "]" not in native and name in native, f"{name}: report --no-interpreter has the native frames alone", native[:2000])
    folded = strobe("flamegraph", "--folded", "-i", data).out
    loop = {"php": "execute_ex", "ruby": r"(rb_vm_exec|libruby[^;]*!func_\w+)", "perl": "Perl_runops_standard"}[name]
    nested = rf"by_callback \(shape\.\w+:\d+\);(usort;)?{loop};[^\n]*(of|Key::of) \(shape\.\w+:\d+\);[^;\n]*spin \(shape\.\w+:\d+\);"
    tap.ok(re.search(nested, folded), f"{name}: callbacks stand between the functions in C that call them", folded[:3000])


def after_fork(tap, name, ending):
    """Children, several processes at once."""
    script, data = os.path.join(SCRATCH, f"forks.{ending}"), os.path.join(SCRATCH, f"{name}-forks.data")
    with open(script, "w", encoding="utf-8") as f:
        f.write(FORKS[name])
    strobe("record", "-e", "cpu-clock", "-F", "499", "--call-graph", "eh", "-o", data, name, script)
    out = strobe("script", "-i", data, "-F", "pid,ip,sym").out
    pids = Counter()
    for sample in out.split("\n\n"):
        if re.search(r"child \(forks\.\w+:\d+\)", sample):
            pids[sample.split()[0]] += 1
    tap.ok(len(pids) == 3 and min(pids.values()) > 20, f"{name}: children after fork", f"{pids}\n{out[:1500]}")


ODD = """int executor_globals[512];
__attribute__((noinline)) void execute_ex(void) { for (volatile long i = 0; i < 300000000; i++) { } }
const char version[] = "X-Powered-By: PHP/99.1.0";
int main(int argc, char **argv) { (void)argv; execute_ex(); return version[argc] == 0; }
"""


def unknown(tap):
    """A program that looks like an interpreter of a version that there is not."""
    source, program, data = (os.path.join(SCRATCH, name) for name in ("odd.c", "php99", "odd.data"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(ODD)
    if run("cc", "-O1", "-rdynamic", "-o", program, source).status:
        tap.skip("a version that is not known", "no compiler")
        return
    done = strobe("record", "-e", "cpu-clock", "-g", "-o", data, program)
    said = [line for line in done.err.splitlines() if "php99" in line]
    out = strobe("script", "-i", data, "-F", "ip,sym,dso").out
    tap.ok(len(said) == 1, "an interpreter of a version that is not known is said once, with its name", done.err)
    tap.ok("execute_ex" in out and "main" in out and "[php]" not in out, "its stacks are native", out[:1000])


def main():
    tap = Tap()
    probe = strobe("record", "-e", "cpu-clock", "--call-graph", "eh", "-o", os.path.join(SCRATCH, "probe.data"), "true")
    if "--call-graph eh:" in probe.err:
        skip_all(probe.err.strip())
    if os.uname().machine != "x86_64":
        skip_all("frames of scripts are read on x86-64 alone")
    for name, text, ending, outermost, places in LANGUAGES:
        if not shutil.which(name):
            tap.skip(f"{name}: names, lines and order", f"no {name}")
            continue
        shape(tap, name, text, ending, outermost, places)
        if os.path.exists(os.path.join(SCRATCH, f"{name}.data")):
            views(tap, name)
        can_fork = name != "php" or "pcntl" in run(name, "-m").out
        if can_fork:
            after_fork(tap, name, ending)
    unknown(tap)
    tap.done()


main()
