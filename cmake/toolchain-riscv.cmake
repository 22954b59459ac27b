# SPDX-License-Identifier: Apache-2.0 OR MIT
# RV32 in machine mode; with the F extension, or RV64, if TAKT_CPU_FLAGS says so. Programs run on QEMU's virt, an instruction in 64 ns.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(TAKT_CPU_FLAGS "-march=rv32imac -misa-spec=2.2 -mabi=ilp32" CACHE STRING "The processor that is compiled for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAKT_CPU_FLAGS)
set(CMAKE_C_FLAGS_INIT "${TAKT_CPU_FLAGS} -ffreestanding") # Debian's compiler comes without a C library
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)

set(takt_machine qemu-system-riscv32)
if(TAKT_CPU_FLAGS MATCHES "rv64")
  set(takt_machine qemu-system-riscv64)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR
    ${takt_machine} -M virt -bios none -rtc clock=vm -display none -monitor none -serial none -chardev stdio,id=host
    -semihosting-config enable=on,target=native,chardev=host -icount shift=6,align=off,sleep=off -kernel)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
