# SPDX-License-Identifier: Apache-2.0 OR MIT
target_sources(${test} PRIVATE ${PROJECT_SOURCE_DIR}/kernel/timeouts.c)
