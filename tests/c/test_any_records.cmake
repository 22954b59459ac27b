set(fuzzer fuzz_replay)
include(tests/c/fuzzer.cmake)
