# SPDX-License-Identifier: Apache-2.0 OR MIT
set(fuzzer fuzz_replay)
include(tests/c/fuzzer.cmake)
