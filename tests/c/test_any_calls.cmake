set(fuzzer fuzz_dispatcher)
include(tests/c/fuzzer.cmake)
