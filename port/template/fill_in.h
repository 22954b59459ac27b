/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Placeholder for a missing body: a call of a function that does not exist. Private to port/template/. */
#ifndef TAKT_PORT_TEMPLATE_FILL_IN_H
#define TAKT_PORT_TEMPLATE_FILL_IN_H

#define TAKT_PORT_TEMPLATE_FILL_IN(obligation)              \
    do {                                                    \
        void takt_port_template_fill_in_##obligation(void); \
        takt_port_template_fill_in_##obligation();          \
    } while (0)

#endif
