# SPDX-License-Identifier: Apache-2.0 OR MIT
# The calls of the system that libtakt makes are the test's.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_libraries(${test} PRIVATE takt_linux)
  foreach(call sched_yield clock_nanosleep clock_gettime takt_linux_set_class takt_linux_bind takt_linux_lock_memory)
    target_link_options(${test} PRIVATE -Wl,--wrap=${call})
  endforeach()
endif()
