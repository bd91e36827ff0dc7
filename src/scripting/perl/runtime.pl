# Runs a script of perf's Perl interface for strobe: runtime.pl EVENTS REPLIES SCRIPT [ARGUMENT...]
#
# EVENTS is a descriptor with batches: the number of bytes (32 bits), and what Storable's thaw() reads without its head: an array of
# events, [handler, common numbers, arguments], undef at the end. REPLIES is one to which the names of the script's handlers are
# written once it has been loaded. %MODULES, which the build puts in front of this file, has the sources of modules that scripts
# use where perf's own are not installed.

# Before any variable of this file: the script sees none of them.
sub evaluate_script {
    package main;
    eval $_[0];
}

use strict;
use warnings;
no warnings "once"; # names of other packages
use Storable ();

my $interrupted = 0;

# After all that are installed. Perf::Trace::Context is ours even where perf's is: that one is code of perf's own program.
sub offer_modules {
    my $context = "Perf/Trace/Context.pm";
    push @INC, sub {
        my ($self, $name) = @_;
        return if !exists $MODULES{$name};
        open(my $source, "<", \$MODULES{$name}) or return;
        return $source;
    };
    eval $MODULES{$context} or die $@;
    $INC{$context} = $context;
}

sub load {
    my ($script) = @_;
    open(my $file, "<", $script) or die "cannot open $script: $!\n";
    my $source = do { local $/; <$file> };
    if ($source =~ /^__(?:END|DATA)__\r?\n/mg) {
        my $data = substr($source, pos($source));
        open(main::DATA, "<", \$data) or die "$script: $!\n";
    }
    (my $name = $script) =~ s/["\n]/_/g;
    evaluate_script("#line 1 \"$name\"\n$source");
    die $@ if $@;
}

sub is_function {
    no strict "refs";
    return defined &{$_[0]};
}

# The functions of main, and those of packages whose name has one part: sched::sched_switch.
sub functions {
    no strict "refs";
    my @names = grep { is_function("main::$_") } grep { !/::/ } keys %main::;
    for my $package (grep { /^\w+::\z/ && $_ ne "main::" } keys %main::) {
        push @names, grep { is_function($_) } map { "$package$_" } grep { /^\w+\z/ } keys %{"main::$package"};
    }
    return @names;
}

sub reply {
    my ($fd) = @_;
    open(my $replies, ">&=", $fd) or die "cannot open the pipe of replies: $!\n";
    print $replies map({ "$_ 0\n" } functions()), "\n";
    close($replies);
}

sub read_all {
    my ($file, $bytes) = @_;
    my $data = "";
    while (length($data) < $bytes) {
        read($file, $data, $bytes - length($data), length($data)) or return undef;
    }
    return $data;
}

# Numbers that only an unsigned integer of 64 bits holds come as their digits: numbers again, lest & and | take them for text.
sub as_number {
    $_[0] += 0 if $_[0] =~ /^[1-9][0-9]{18,19}\z/ && (length($_[0]) == 19 || $_[0] le "18446744073709551615");
}

sub as_numbers {
    my ($arguments) = @_;
    for (@$arguments) {
        if (ref) {
            for my $frame (@$_) {
                $_ += 0 for $frame->{ip}, $frame->{sym} ? @{$frame->{sym}}{"start", "end"} : ();
            }
        } elsif (defined && length > 18) {
            as_number($_);
        }
    }
}

# Returns whether the events are complete, or the user wants no more of them.
sub handle {
    my ($events, $head) = @_;
    my %code;
    while (defined(my $size = read_all($events, 4))) {
        my $batch = read_all($events, unpack("L", $size));
        last if !defined $batch;
        for my $event (@{Storable::thaw($head . $batch)}) {
            return 1 if !defined $event || $interrupted;
            my ($name, $common, $arguments) = @$event;
            @Perf::Trace::Context::common = @$common;
            as_numbers($arguments);
            no strict "refs";
            ($code{$name} ||= \&{"main::$name"})->(@$arguments);
        }
    }
    return $interrupted;
}

sub call {
    my ($name) = @_;
    no strict "refs";
    &{"main::$name"}() if is_function("main::$name");
}

# What thaw() expects in front: the version, the byte order, and the sizes of numbers.
sub storable_head {
    die "a perl with integers of 64 bits is required\n" if length(pack("j", 0)) != 8;
    return substr(Storable::freeze([]), 0, -5); # without the empty array
}

sub run {
    my ($events, $replies, $script) = @_;
    my $head = storable_head();
    offer_modules();
    open(my $pipe, "<&=", $events) or die "cannot open the pipe of events: $!\n";
    binmode($pipe);
    fcntl($pipe, 2, 1); # F_SETFD, FD_CLOEXEC
    $0 = $script;
    load($script);
    call("trace_begin");
    reply($replies);
    return 1 if !handle($pipe, $head);
    call("trace_end");
    return 0;
}

# The first Ctrl-C ends the events, and trace_end() is still called; the second one ends the script.
if (($SIG{INT} || "") ne "IGNORE") {
    $SIG{INT} = sub {
        $interrupted = 1;
        $SIG{INT} = "DEFAULT";
    };
}

my $status = eval { run(splice(@ARGV, 0, 2), shift(@ARGV)) };
if (!defined $status) {
    print STDERR $@;
    $status = 1;
}
exit $status;
