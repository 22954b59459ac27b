/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What stands where a body is missing: a call of a function that nobody defines. Private to port/template/. */
#ifndef TAKT_PORT_TEMPLATE_FILL_IN_H
#define TAKT_PORT_TEMPLATE_FILL_IN_H

#define TAKT_PORT_TEMPLATE_FILL_IN(obligation)              \
    do {                                                    \
        void takt_port_template_fill_in_##obligation(void); \
        takt_port_template_fill_in_##obligation();          \
    } while (0)

#endif
