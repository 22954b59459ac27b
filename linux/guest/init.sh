#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# The first process of the guest: runs the script /command in /work and hands out what it printed, its exit status and the files
# that /results names. Written by python/takt/board/guest.py, which makes the rest of the root folder.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/work
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t bpf none /sys/fs/bpf
mount -t tracefs none /sys/kernel/tracing
stty -F /dev/ttyS1 raw
echo 1 > /sys/bus/pci/devices/0000:00:04.0/enable
# Until the clock is the processor's own, timers end on ticks only: latencies of 20 ms. Sleeping takes no time of the host.
until grep -q '^tsc$' /sys/devices/system/clocksource/clocksource0/current_clocksource; do sleep 0.1; done
sleep 0.5
[ "$(nproc)" = 1 ] || /metronome
cd /work
sh /command < /dev/null > /dev/ttyS1 2>&1
echo $? > /status
/hand_over $(cat /results)
poweroff -f
