/* Geometry of a task-set firmware: what a host needs to build the same system for replay.
 *
 * Only definitions, so that host code can include or read it. The build includes it before every file
 * (taskset_cflags of build.json); kernel/geometry.h says what the first three mean. */
#ifndef TAKT_FIRMWARE_GEOMETRY_H
#define TAKT_FIRMWARE_GEOMETRY_H

#define TAKT_KERNEL_ORDER_ROWS 3    /* of every timers wheel, the root's and the servers' */
#define TAKT_KERNEL_TIME_ROWS 8     /* of every timers wheel */
#define TAKT_KERNEL_HEAP_SLOTS 1024 /* entities where keys order */

#define TAKT_FIRMWARE_LEVELS 30     /* levels 1 .. 30 are for tasks and servers, under the root and inside */
#define TAKT_FIRMWARE_IDLE_LEVEL 31 /* of the idle thread, the last entity, a plain thread under the root */
#define TAKT_FIRMWARE_TICK_NS 40    /* one tick of the scheduler */

#endif
