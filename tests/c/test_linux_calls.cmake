# SPDX-License-Identifier: Apache-2.0 OR MIT
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_libraries(${test} PRIVATE takt_linux)
endif()
