# SPDX-License-Identifier: Apache-2.0 OR MIT
# ARMv7-M without a floating-point unit; programs run on QEMU's mps2-an385, an instruction in 64 ns.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(TAKT_CPU_FLAGS "-mcpu=cortex-m3 -mthumb" CACHE STRING "The processor that is compiled for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAKT_CPU_FLAGS)
set(CMAKE_C_FLAGS_INIT "${TAKT_CPU_FLAGS}")
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)

set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-system-arm -M mps2-an385 -display none -monitor none -serial none -chardev stdio,id=host
    -semihosting-config enable=on,target=native,chardev=host -icount shift=6,align=off,sleep=off -kernel)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
