# SPDX-License-Identifier: Apache-2.0 OR MIT
# Cortex-M; TAKT_BOARD says which. Programs run on QEMU's machine of that name, an instruction in 64 ns.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(TAKT_BOARD mps2_an385 CACHE STRING "The board, or the folder of one")
set(takt_flags_mps2_an386 "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16")
set(takt_flags_mps2_an500 "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16")
set(takt_flags_mps2_an505 "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16")
set(takt_flags_microbit "-mcpu=cortex-m0 -mthumb")
set(takt_flags_nrf52840 "${takt_flags_mps2_an386}")
set(takt_flags_stm32f407 "${takt_flags_mps2_an386}")
if(DEFINED takt_flags_${TAKT_BOARD})
  set(takt_flags "${takt_flags_${TAKT_BOARD}}")
else()
  set(takt_flags "-mcpu=cortex-m3 -mthumb")
endif()
set(TAKT_CPU_FLAGS "${takt_flags}" CACHE STRING "The processor that is compiled for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAKT_BOARD TAKT_CPU_FLAGS)
set(CMAKE_C_FLAGS_INIT "${TAKT_CPU_FLAGS}")
set(CMAKE_CXX_FLAGS_INIT "${TAKT_CPU_FLAGS}")
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)

set(takt_machine mps2-an385)
if(DEFINED takt_flags_${TAKT_BOARD})
  string(REPLACE "_" "-" takt_machine "${TAKT_BOARD}")
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-system-arm -M ${takt_machine} -display none -monitor none -serial none -chardev stdio,id=host
    -semihosting-config enable=on,target=native,chardev=host -icount shift=6,align=off,sleep=off -kernel)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
