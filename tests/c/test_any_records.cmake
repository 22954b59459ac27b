# SPDX-License-Identifier: Apache-2.0 OR MIT
target_sources(${test} PRIVATE ${takt_fuzz}/fuzz_replay.c)
target_link_libraries(${test} PRIVATE takt_fuzz_shared)
