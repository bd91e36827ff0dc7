#!/usr/bin/env python3
"""Perl scripts receive the same data as from perf: script -s beside perf script -s, a script that prints everything and perf's own."""
# needs: record script
# timeout: 300

import os
import re

import scripting

EVENTS = "sched:sched_switch,sched:sched_wakeup,raw_syscalls:sys_exit,irq:softirq_entry,kmem:kmalloc,signal:signal_generate"
FILES = ("syscalls:sys_enter_read,syscalls:sys_exit_read,syscalls:sys_enter_write,syscalls:sys_exit_write,sched:sched_wakeup,"
         "raw_syscalls:sys_exit")
RECORDINGS = (
    ("clock", "-e", "cpu-clock", "-F", "499", "-g"),
    ("faults", "-e", "page-faults", "-c", "20", "-d"),
    ("trace", "-e", EVENTS),
    ("chains", "-g", "-e", EVENTS),
    ("files", "-e", FILES),
)
WORKLOAD = ("sh", "-c", "ls /usr/bin >/dev/null; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; kill -CHLD $$; cat /no/such; "
            "sleep 0.01")

EVERYTHING = r"""
use lib "$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib";
use Perf::Trace::Core;
use Perf::Trace::Context;
use Perf::Trace::Util;
use Data::Dumper;
$Data::Dumper::Indent = 0;
$Data::Dumper::Useqq = 1;
$Data::Dumper::Sortkeys = 1;

sub show {
    my ($what, $name, $context, @rest) = @_;
    print "$what $name ", common_pc($context), " ", common_flags($context), " ", common_lock_depth($context), " ", Dumper(\@rest), "\n";
}

sub trace_begin { print "begin @ARGV ", __FILE__, "\n"; }
sub trace_end { print "end ", trace_flag_str(5), " ", nsecs(1, 2), " ", avg(6, 4), "\n"; }
sub trace_unhandled { show("unhandled", @_); }
sub sched::sched_switch { show("switch", @_); print flag_str("sched::sched_switch", "prev_state", $_[11] || 1), "\n"; }
sub kmem::kmalloc { show("kmalloc", @_); print flag_str("kmem::kmalloc", "gfp_flags", $_[12]), "\n" if $_[12]; }
sub irq::softirq_entry { show("softirq", @_); print symbol_str("irq::softirq_entry", "vec", $_[8]), "\n"; }

# of the sample only the numbers in front: pointers of perf's own memory follow
sub process_event {
    my ($record, $attr, $sample, $raw) = @_;
    print "event ", unpack("H*", $record), " ", unpack("H*", $attr), " ", unpack("H*", substr($sample, 0, 136)), " ",
          defined $raw ? unpack("H*", $raw) : "", "\n";
}

print "loaded ", shift(@ARGV), "\n";
"""


def unnamed(line):
    return re.sub(r'"sym" => {[^}]*},?|,(?=})', "", line)


def comparable(text):
    """Perl's hashes order what is equal differently in each run; check-perf-trace prints where perl has its variables (%p)."""
    return sorted(re.sub(r"call_site=\w+, ptr=\w+", "", line) for line in text.splitlines())


def bundled(tap, recording, data, scripts):
    if recording not in ("trace", "files"):
        return
    # rwtop: seconds, lest it prints in between; rw-by-file: a task
    words = {"rwtop": ("1000",), "rw-by-file": ("ls",)}
    same, wrong = [], []
    for script in scripts:
        name = os.path.splitext(os.path.basename(script))[0]
        theirs, ours = scripting.both(data, script, *words.get(name, ()))
        if theirs.status < 0 and not ours.status:  # perf writes past its memory where kmem:kmalloc is in the recording
            continue
        good = theirs.out and comparable(theirs.out) == comparable(ours.out) and theirs.status == ours.status == 0
        (same if good else wrong).append(name)
    tap.ok(len(same) >= (6 if recording == "files" else 1) and not wrong,
           f"{os.path.basename(data)}: {len(same)} of perf's scripts print the same: {' '.join(same)}", f"{wrong}")


scripting.compare(("perl", "pl"), EVERYTHING, RECORDINGS, WORKLOAD, str.splitlines, unnamed, bundled)
