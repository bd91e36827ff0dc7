package Perf::Trace::Context;

# What belongs to the event that is being handled, for scripts: the interface of perf's module of this name.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(common_pc common_flags common_lock_depth);
our @common = (0, 0, 0); # preempt_count, flags, lock_depth

sub common_pc {
    return $common[0];
}

sub common_flags {
    return $common[1];
}

sub common_lock_depth {
    return $common[2];
}

1;
