# SPDX-License-Identifier: Apache-2.0 OR MIT
include(tests/c/posix_port.cmake)
