// SPDX-License-Identifier: Apache-2.0 OR MIT
// Lets emulated processors take turns of 50 us together. The emulator divides the time until the next timer among them, which
// is milliseconds otherwise. The timer that is started here is the PC's oldest one. Its interrupt is masked.
#include <stdio.h>
#include <sys/io.h>

enum {
    COUNTER = 0x40,
    CONTROL = 0x43,
    SQUARE_WAVE = 0x36, // counter 0, low byte first
    PERIOD = 120,       // of 1,193,182 Hz; the timer ends twice in each
};

int main(void) {
    if (ioperm(COUNTER, CONTROL - COUNTER + 1, 1) != 0) {
        perror("metronome");
        return 1;
    }
    outb(SQUARE_WAVE, CONTROL);
    outb(PERIOD, COUNTER);
    outb(0, COUNTER);
    return 0;
}
