include(tests/c/posix_port.cmake)
