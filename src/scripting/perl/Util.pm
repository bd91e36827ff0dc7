package Perf::Trace::Util;

# Times and means, for scripts: the interface of perf's module of this name.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(avg nsecs nsecs_secs nsecs_nsecs nsecs_str clear_term);

my $NSECS_PER_SEC = 1000000000;

sub avg {
    my ($total, $n) = @_;
    return $total / $n;
}

sub nsecs {
    my ($secs, $nsecs) = @_;
    return $secs * $NSECS_PER_SEC + $nsecs;
}

sub nsecs_secs {
    my ($nsecs) = @_;
    return $nsecs / $NSECS_PER_SEC;
}

sub nsecs_nsecs {
    my ($nsecs) = @_;
    return $nsecs % $NSECS_PER_SEC;
}

sub nsecs_str {
    my ($nsecs) = @_;
    return sprintf "%5u.%09u", nsecs_secs($nsecs), nsecs_nsecs($nsecs);
}

sub clear_term {
    print "\x1b[H\x1b[2J";
}

1;
