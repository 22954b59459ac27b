// SPDX-License-Identifier: Apache-2.0 OR MIT
// libtakt as a Python module. It decides nothing: each function is the one of takt_linux.h, and what is an error there is
// JobError. Whatever makes a call of the system is called without the lock of the interpreter.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>
#include <mutex>
#include <utility>

#include "linux/lib/takt_linux.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

PyObject *job_error;

[[noreturn]] void raise_status(takt_linux_status_t status) {
    nb::object error = nb::steal(PyObject_CallFunction(job_error, "s", takt_linux_message(status)));
    error.attr("status") = status;
    PyErr_SetObject(job_error, error.ptr());
    throw nb::python_error();
}

takt_linux_status_t checked(takt_linux_status_t status) {
    if (status < 0) {
        raise_status(status);
    }
    return status;
}

// Calls `function` without the lock of the interpreter.
template <typename Function>
takt_linux_status_t released(Function function) {
    takt_linux_status_t status;
    {
        nb::gil_scoped_release release;
        status = function();
    }
    return checked(status);
}

// ---- threads that have joined --------------------------------------------------------------------------------

std::mutex lock;
std::map<int32_t, takt_linux_thread_t *> threads; // by their numbers, under the lock
int32_t last_number;

// The number of the calling thread while it has joined. A thread that ends leaves.
struct Membership {
    int32_t number = 0;
    ~Membership() {
        if (number != 0) {
            end();
            takt_linux_leave();
        }
    }
    void end() {
        if (number != 0) {
            std::lock_guard<std::mutex> guard(lock);
            threads.erase(number);
            number = 0;
        }
    }
};

thread_local Membership membership;

// The transports live as long as the process: threads may use them to their end.
const takt_linux_transport_t *transport_to(const std::optional<std::string> &path) {
    static std::map<std::string, takt_linux_transport_t> transports;
    const auto place = transports.try_emplace(path.value_or("")).first;
    place->second = takt_linux_socket(path ? place->first.c_str() : nullptr);
    return &place->second;
}

takt_linux_status_t join(const std::string &name, const std::optional<std::string> &path,
                         uint32_t stack_bytes) {
    takt_linux_parameters_t parameters{};
    parameters.name = name.c_str();
    parameters.stack_bytes = stack_bytes;
    const takt_linux_transport_t *transport = transport_to(path);
    const takt_linux_status_t status = released([&] { return takt_linux_join(transport, &parameters); });
    std::lock_guard<std::mutex> guard(lock);
    membership.number = ++last_number;
    threads[membership.number] = takt_linux_self();
    return status;
}

void leave() {
    membership.end();
    released(takt_linux_leave);
}

bool dismiss(int32_t number) {
    std::lock_guard<std::mutex> guard(lock);
    const auto found = threads.find(number);
    if (found == threads.end()) {
        return false;
    }
    takt_linux_dismiss(found->second);
    return true;
}

// ---- jobs ----------------------------------------------------------------------------------------------------

struct Call {
    nb::callable function;
    std::optional<nb::python_error> error;
};

void make_call(void *argument) {
    Call *call = static_cast<Call *>(argument);
    nb::gil_scoped_acquire acquire;
    try {
        call->function();
    } catch (nb::python_error &error) {
        call->error.emplace(std::move(error));
    }
}

takt_linux_status_t wait_in(nb::typed<nb::callable, nb::object()> function) {
    Call call{std::move(function), std::nullopt};
    const takt_linux_status_t status = released([&] { return takt_linux_wait_in(make_call, &call); });
    if (call.error) {
        throw std::move(*call.error);
    }
    return status;
}

takt_linux_job_t job() {
    takt_linux_job_t found;
    checked(takt_linux_job(&found));
    return found;
}

takt_linux_counts_t counts() {
    takt_linux_counts_t found;
    checked(takt_linux_counts(&found));
    return found;
}

uint32_t rate() {
    uint32_t found;
    checked(takt_linux_rate(&found));
    return found;
}

takt_linux_status_t negotiate(uint64_t period_ns, uint64_t wcet_ns, uint64_t deadline_ns, uint32_t weight) {
    const takt_linux_demand_t demand{period_ns, deadline_ns, wcet_ns, weight};
    return released([&] { return takt_linux_negotiate(&demand); });
}

void add_statuses(nb::module_ &module) {
    nb::enum_<takt_linux_status_t> statuses(module, "Status", nb::is_arithmetic(),
                                            "What became of a call. Below 0: an error, nothing was done.");
#define STATUS(name, number, sentence) statuses.value(#name, TAKT_LINUX_##name, sentence);
    TAKT_LINUX_STATUSES(STATUS)
#undef STATUS
    module.def("message", takt_linux_message, "status"_a, "Return the sentence of a status.");
    job_error =
        PyErr_NewExceptionWithDoc("takt.linux.job.JobError", "A call of libtakt failed; `status` says why.",
                                  PyExc_RuntimeError, nullptr);
    module.attr("JobError") = nb::handle(job_error);
}

void add_records(nb::module_ &module) {
    nb::class_<takt_linux_job_t>(module, "Job",
                                 "A job. Instants are CLOCK_MONOTONIC in ns, as time.monotonic_ns().")
        .def_ro("release_ns", &takt_linux_job_t::release_ns)
        .def_ro("deadline_ns", &takt_linux_job_t::deadline_ns, "0: none.")
        .def_ro("next_release_ns", &takt_linux_job_t::next_release_ns,
                "0: not known, the task is not periodic.")
        .def_ro("number", &takt_linux_job_t::number, "From 0; jobs that never ran count too.")
        .def_ro("waiting", &takt_linux_job_t::waiting, "Jobs behind it.")
        .def_ro("change", &takt_linux_job_t::change,
                "One more than the number of its change; 0: the task's own.")
        .def_ro("is_missed", &takt_linux_job_t::is_missed, "Its deadline has passed.")
        .def_ro("is_aborted", &takt_linux_job_t::is_aborted, "The scheduler has ended it.");
    nb::class_<takt_linux_counts_t>(module, "Counts", "Jobs of a thread since it joined.")
        .def_ro("completed", &takt_linux_counts_t::completed)
        .def_ro("missed", &takt_linux_counts_t::missed, "Of the completed ones.")
        .def_ro("overruns", &takt_linux_counts_t::overruns,
                "Of the completed ones, in time: the next one was released.")
        .def_ro("aborted", &takt_linux_counts_t::aborted, "By the scheduler, after they had begun here.")
        .def_ro("lost", &takt_linux_counts_t::lost, "Dropped or aborted before they began here.");
}

void add_calls(nb::module_ &module) {
    module.def("join", join, "name"_a, nb::kw_only(), "path"_a = nb::none(), "stack_bytes"_a = 0);
    module.def("leave", leave);
    module.def("this_thread", [] { return membership.number; });
    module.def("dismiss", dismiss, "thread"_a);
    module.def("wait", [] { return released(takt_linux_wait); });
    module.def("wait_in", wait_in, "call"_a);
    module.def("job", job);
    module.def("counts", counts);
    module.def("is_aborted", takt_linux_is_aborted);
    module.def("should_yield", takt_linux_should_yield);
    module.def("point",
               [] { return takt_linux_should_yield() ? released(takt_linux_meet_point) : TAKT_LINUX_OK; });
    module.def("give_way", [] { return released(takt_linux_yield); });
    module.def(
        "suspend_until",
        [](uint64_t until_ns) { return released([=] { return takt_linux_suspend_until(until_ns); }); },
        "until_ns"_a);
    module.def(
        "lock", [](uint32_t resource) { return released([=] { return takt_linux_lock(resource); }); },
        "resource"_a);
    module.def(
        "unlock", [](uint32_t resource) { return released([=] { return takt_linux_unlock(resource); }); },
        "resource"_a);
    module.def("negotiate", negotiate, nb::kw_only(), "period_ns"_a, "wcet_ns"_a, "deadline_ns"_a = 0,
               "weight"_a = 1);
    module.def("rate", rate);
    module.attr("RATE_WHOLE") = TAKT_LINUX_RATE_WHOLE;
}

} // namespace

NB_MODULE(_linux, module) {
    module.doc() = "libtakt: threads of this process as jobs of a task set under Linux. See takt.linux.job.";
    add_statuses(module);
    add_records(module);
    add_calls(module);
}
