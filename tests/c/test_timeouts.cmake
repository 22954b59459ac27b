target_sources(${test} PRIVATE ${PROJECT_SOURCE_DIR}/kernel/timeouts.c)
