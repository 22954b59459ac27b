# SPDX-License-Identifier: Apache-2.0 OR MIT
target_link_libraries(${test} PRIVATE takt_fake_kernel)
