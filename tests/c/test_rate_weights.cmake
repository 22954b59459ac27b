# SPDX-License-Identifier: Apache-2.0 OR MIT
# The kernel on the fake port.
file(GLOB takt_kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernel/*.c)
target_sources(${test} PRIVATE ${takt_kernel_sources} ${PROJECT_SOURCE_DIR}/tests/fake_port/fake_port.c)
target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fake_port)
