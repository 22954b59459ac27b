/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The machine of the small programs: it prints, and stops. */
#ifndef MACHINE_H
#define MACHINE_H

void machine_begin(void);
void machine_print(const char *text);
void machine_print_number(unsigned long number);
void machine_stop(void);

#endif
