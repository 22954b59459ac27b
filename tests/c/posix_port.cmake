# SPDX-License-Identifier: Apache-2.0 OR MIT
# The kernel on the port to a Linux process.
file(GLOB takt_kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernel/*.c)
file(GLOB takt_posix_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/port/posix/*.c)
target_sources(${test} PRIVATE ${takt_kernel_sources} ${takt_posix_sources})
target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/port/posix)
target_link_libraries(${test} PRIVATE m pthread)
