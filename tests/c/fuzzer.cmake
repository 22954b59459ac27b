# SPDX-License-Identifier: Apache-2.0 OR MIT
# The fuzzer ${fuzzer} and what fuzzers share, as sources of a test.
foreach(source ${fuzzer} invariants lock_invariants system_input)
  target_sources(${test} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/${source}.c)
endforeach()
