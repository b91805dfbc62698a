#!/usr/bin/perl
# Sets this machine's clock:
#   clock set SECONDS                        to seconds since the epoch
#   clock bump MILLISECONDS                  by milliseconds
#   clock strobe MILLISECONDS PERIOD-MS SECS by milliseconds and back, for a while
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_REALTIME CLOCK_MONOTONIC sleep);

my %settime = (x86_64 => 227, aarch64 => 112);
my $machine = `uname -m`;
chomp $machine;
my $number = $settime{$machine} or die "do not know how to set the clock of a $machine\n";

sub set_clock {
    my ($time) = @_;
    my $secs = int($time);
    my $spec = pack('qq', $secs, int(($time - $secs) * 1e9));
    syscall($number, 0, $spec) == 0 or die "cannot set the clock: $!\n";
}

sub bump {
    my ($ms) = @_;
    set_clock(clock_gettime(CLOCK_REALTIME) + $ms / 1000);
}

my ($command, @args) = @ARGV;
if ($command eq 'set') {
    set_clock($args[0]);
} elsif ($command eq 'bump') {
    bump($args[0]);
} elsif ($command eq 'strobe') {
    my ($delta, $period, $duration) = @args;
    my $end  = clock_gettime(CLOCK_MONOTONIC) + $duration;
    my $sign = 1;
    while (clock_gettime(CLOCK_MONOTONIC) < $end || $sign < 0) {
        bump($sign * $delta);
        $sign = -$sign;
        sleep($period / 1000);
    }
} else {
    die "usage: clock set|bump|strobe ...\n";
}
