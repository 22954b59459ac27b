/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The program of an example: its threads join the task set that taktd has.
 *
 *     takt linux load examples/linux/points.toml
 *     cc -O2 -I. examples/linux/main.c examples/linux/points.c linux/lib/*.c -lpthread -o points && ./points [SOCKET] */
#include "example.h"

int main(int count, char **words) {
    const takt_linux_transport_t transport = takt_linux_socket(count > 1 ? words[1] : NULL);
    return takt_example(&transport);
}
