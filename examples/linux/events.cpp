// SPDX-License-Identifier: Apache-2.0 OR MIT
/* An event-driven job in C++: what wakes the thread is the arrival of its job. The task set has a task `reader` whose jobs
 * arrive as events. */
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "example.h"

namespace {

constexpr int EVENTS = 10;

/* A counter that one thread raises and another one waits for. */
class Bell {
   public:
    void ring() const {
        const uint64_t one = 1;
        if (write(file_, &one, sizeof one) != sizeof one) {
            std::perror("write");
        }
    }
    void await() {
        uint64_t rings = 0;
        if (read(file_, &rings, sizeof rings) == sizeof rings) {
            heard_ += rings;
        }
    }
    uint64_t heard() const { return heard_; }

   private:
    int file_ = eventfd(0, EFD_SEMAPHORE);
    uint64_t heard_ = 0;
};

void await(void *bell) { static_cast<Bell *>(bell)->await(); }

takt_linux_status_t read_events(const takt_linux_transport_t *transport, Bell *bell) {
    takt_linux_parameters_t parameters{};
    parameters.name = "reader";
    takt_linux_status_t status = takt_linux_join(transport, &parameters);
    while (status >= 0 && bell->heard() < EVENTS) {
        status = takt_linux_wait_in(await, bell);
        work_for(MILLISECOND);
    }
    takt_linux_leave();
    return status;
}

} // namespace

int takt_example(const takt_linux_transport_t *transport) {
    Bell bell;
    takt_linux_status_t status = TAKT_LINUX_OK;
    std::thread reader([&] { status = read_events(transport, &bell); });
    for (int event = 0; event < EVENTS; event++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        bell.ring();
    }
    reader.join();
    std::printf("%s\n", takt_linux_message(status));
    return status < 0;
}
