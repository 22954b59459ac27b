#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Hands files and folders out, and removes them: the host has them from then on. Arguments: their names, relative to /.
tar -cf - -C / "$@" 2> /dev/null | /hand_out /sys/bus/pci/devices/0000:00:04.0/resource2 && cd / && rm -rf "$@"
