# SPDX-License-Identifier: Apache-2.0 OR MIT
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_libraries(${test} PRIVATE takt_linux)
  foreach(call takt_linux_set_class takt_linux_bind takt_linux_lock_memory)
    target_link_options(${test} PRIVATE -Wl,--wrap=${call})
  endforeach()
endif()
