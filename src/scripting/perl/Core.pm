package Perf::Trace::Core;

# Names of flags and values in events, for scripts: the interface of perf's module of this name.

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(define_flag_field define_flag_value flag_str dump_flag_fields
                 define_symbolic_field define_symbolic_value symbol_str dump_symbolic_fields trace_flag_str);

# event -> field -> { delim, values: value -> name }
my (%flags, %symbols);

my %trace_flags = (0 => "NONE", 1 => "IRQS_OFF", 2 => "IRQS_NOSUPPORT", 4 => "NEED_RESCHED", 8 => "HARDIRQ", 16 => "SOFTIRQ");

# The names of the values whose bits are all set, lowest first.
sub names_of_bits {
    my ($names, $bits, $joint) = @_;
    return $names->{0} if !$bits;
    my @set;
    for my $mask (sort { $a <=> $b } keys %$names) {
        if ($mask && ($bits & $mask) == $mask) {
            push @set, $names->{$mask};
            $bits &= ~$mask;
        }
    }
    return @set ? join($joint, @set) : undef;
}

sub define_flag_field {
    my ($event, $field, $delim) = @_;
    $flags{$event}{$field}{delim} = $delim;
}

sub define_flag_value {
    my ($event, $field, $value, $name) = @_;
    $flags{$event}{$field}{values}{$value} = $name;
}

sub define_symbolic_field {
    my ($event, $field) = @_;
    $symbols{$event}{$field} ||= {};
}

sub define_symbolic_value {
    my ($event, $field, $value, $name) = @_;
    $symbols{$event}{$field}{values}{$value} = $name;
}

sub flag_str {
    my ($event, $field, $value) = @_;
    my $known = ($flags{$event} || {})->{$field} || return undef;
    my $delim = $known->{delim};
    return names_of_bits($known->{values} || {}, $value, defined $delim && length $delim ? " $delim " : "");
}

sub symbol_str {
    my ($event, $field, $value) = @_;
    my $known = ($symbols{$event} || {})->{$field} || return undef;
    return $known->{values}{$value || 0};
}

sub trace_flag_str {
    my ($value) = @_;
    return names_of_bits(\%trace_flags, $value, " | ");
}

sub dump_fields {
    my ($events, $has_delim) = @_;
    for my $event (keys %$events) {
        print "event $event:\n";
        for my $field (keys %{$events->{$event}}) {
            my $known = $events->{$event}{$field};
            print "    field: $field:\n";
            print "        delim: ", defined $known->{delim} ? $known->{delim} : "", "\n" if $has_delim;
            print "        value $_: $known->{values}{$_}\n" for sort { $a <=> $b } keys %{$known->{values}};
        }
    }
}

sub dump_flag_fields {
    dump_fields(\%flags, 1);
}

sub dump_symbolic_fields {
    dump_fields(\%symbols, 0);
}

1;
