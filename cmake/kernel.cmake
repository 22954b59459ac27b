# SPDX-License-Identifier: Apache-2.0 OR MIT
# The kernel for programs on it, as targets; README.md here lists them. No host code, no tests, no Python.
include(GNUInstallDirs)
include(CheckCSourceCompiles)
include(CMakePackageConfigHelpers)

set(TAKT_CHECKS ON CACHE STRING "Level of misuse checks: OFF, ON for the usual ones, DEBUG for all")
set_property(CACHE TAKT_CHECKS PROPERTY STRINGS OFF ON DEBUG)
set(TAKT_GUARD "" CACHE STRING "Guard stacks: OFF, ON (by the machine where the port can), WORDS; empty: ON with checks")
set(TAKT_FAULTS "" CACHE STRING "Report faults of the machine with their thread; empty: as TAKT_CHECKS")
option(TAKT_SWITCH_HOOK "Call takt_hook_switch before every switch" OFF)
set(TAKT_BOARD "" CACHE STRING "The board, or the folder of one; empty: the port's first")
set(TAKT_DEVICE "" CACHE STRING "Folders of the vendor's device headers, for boards that include them")
set(TAKT_GEOMETRY "" CACHE FILEPATH "A header of definitions as in kernel/geometry.h, included before every file")

# ---- which port ---------------------------------------------------------------------------------------------

set(takt_port "${TAKT_PORT}")
if(NOT takt_port)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(arm|cortex)" AND NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    check_c_source_compiles("#ifndef __ARM_ARCH_6M__\n#error\n#endif\nint main(void) { return 0; }" TAKT_IS_ARMV6M)
    set(takt_port cortex_m)
    if(TAKT_IS_ARMV6M)
      set(takt_port cortex_m0)
    endif()
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^riscv" AND NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(takt_port riscv)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(takt_port posix)
  else()
    message(FATAL_ERROR "takt: no port for ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}; set TAKT_PORT")
  endif()
endif()
set(takt_ports cortex_m cortex_m0 riscv posix)
set(takt_port_folder ${PROJECT_SOURCE_DIR}/port/${takt_port})
if(NOT takt_port IN_LIST takt_ports)
  get_filename_component(takt_port_folder "${takt_port}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  get_filename_component(takt_port "${takt_port}" NAME)
  if(NOT EXISTS ${takt_port_folder}/takt_port.h)
    message(FATAL_ERROR "takt: TAKT_PORT is ${takt_port}: none of ${takt_ports}, and no folder with a takt_port.h")
  endif()
endif()

# ---- which board --------------------------------------------------------------------------------------------

# A board's folders have takt_board.h, the C files and the linker script; a port without a table entry is its own board.
set(takt_boards_cortex_m mps2_an385 mps2_an386 mps2_an500 mps2_an505 nrf52840 stm32f407)
set(takt_boards_cortex_m0 microbit)
set(takt_boards_riscv virt)
set(takt_board "${TAKT_BOARD}")
if(NOT takt_board AND takt_boards_${takt_port})
  list(GET takt_boards_${takt_port} 0 takt_board)
endif()
set(takt_board_folders)
if(takt_board MATCHES "^mps2_")
  set(takt_board_folders ${PROJECT_SOURCE_DIR}/boards/mps2 ${PROJECT_SOURCE_DIR}/boards/cortex_m)
  if(takt_board STREQUAL "mps2_an505")
    list(PREPEND takt_board_folders ${PROJECT_SOURCE_DIR}/boards/mps2/an505)
  endif()
elseif(takt_board MATCHES "^(microbit|nrf52840)$")
  set(takt_board_folders ${PROJECT_SOURCE_DIR}/boards/nrf5 ${PROJECT_SOURCE_DIR}/boards/cortex_m)
elseif(takt_board STREQUAL "stm32f407")
  set(takt_board_folders ${PROJECT_SOURCE_DIR}/boards/stm32f4)
elseif(takt_board STREQUAL "virt")
  set(takt_board_folders ${PROJECT_SOURCE_DIR}/boards/virt ${PROJECT_SOURCE_DIR}/boards/riscv)
elseif(takt_board)
  get_filename_component(takt_board_folders "${takt_board}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  get_filename_component(takt_board "${takt_board}" NAME)
  if(NOT EXISTS ${takt_board_folders}/takt_board.h)
    message(FATAL_ERROR
      "takt: TAKT_BOARD is ${takt_board}: none of ${takt_boards_${takt_port}}, and no folder with a takt_board.h")
  endif()
endif()

# ---- what all targets share -----------------------------------------------------------------------------------

set(takt_include ${CMAKE_INSTALL_INCLUDEDIR}/takt)
set(takt_data ${CMAKE_INSTALL_DATADIR}/takt)
set(takt_targets)

if(NOT takt_port STREQUAL "posix")
  set(takt_freestanding -ffreestanding)
endif()

# Makes takt_<name>, takt::<name> for programs that link it, a library of the files that follow.
function(takt_library name)
  add_library(takt_${name} STATIC ${ARGN})
  add_library(takt::${name} ALIAS takt_${name})
  set_target_properties(takt_${name} PROPERTIES EXPORT_NAME ${name} C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_features(takt_${name} PUBLIC c_std_11)
  target_compile_options(takt_${name} PRIVATE -Wall -Wextra -Wconversion -ffunction-sections -fdata-sections
    ${takt_freestanding})
  set(takt_targets ${takt_targets} takt_${name} PARENT_SCOPE)
endfunction()

# takt::<alias> is takt_<name> too, here and where it is installed.
function(takt_name alias name)
  add_library(takt_${alias} INTERFACE)
  add_library(takt::${alias} ALIAS takt_${alias})
  set_target_properties(takt_${alias} PROPERTIES EXPORT_NAME ${alias})
  target_link_libraries(takt_${alias} INTERFACE takt_${name})
  set(takt_targets ${takt_targets} takt_${alias} PARENT_SCOPE)
endfunction()

# ---- kernel and port: each calls the other ----------------------------------------------------------------------

file(GLOB takt_kernel_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/core/*.c ${PROJECT_SOURCE_DIR}/policy/*.c ${PROJECT_SOURCE_DIR}/kernel/*.c)
takt_library(kernel ${takt_kernel_sources})
target_compile_options(takt_kernel PRIVATE -ffreestanding)
if(takt_port STREQUAL "cortex_m")
  target_compile_options(takt_kernel PRIVATE -mgeneral-regs-only) # else every thread that calls it computes
endif()
set_target_properties(takt_kernel PROPERTIES TAKT_PORT ${takt_port} EXPORT_PROPERTIES TAKT_PORT)
if(TAKT_CHECKS STREQUAL "DEBUG")
  target_compile_definitions(takt_kernel PUBLIC TAKT_CHECKS=2)
else()
  target_compile_definitions(takt_kernel PUBLIC TAKT_CHECKS=$<BOOL:${TAKT_CHECKS}>)
endif()
if(TAKT_GUARD STREQUAL "WORDS")
  target_compile_definitions(takt_kernel PUBLIC TAKT_GUARD=2)
elseif(NOT TAKT_GUARD STREQUAL "")
  target_compile_definitions(takt_kernel PUBLIC TAKT_GUARD=$<BOOL:${TAKT_GUARD}>)
endif()
if(NOT TAKT_FAULTS STREQUAL "")
  target_compile_definitions(takt_kernel PUBLIC TAKT_FAULTS=$<BOOL:${TAKT_FAULTS}>)
endif()
if(TAKT_SWITCH_HOOK)
  target_compile_definitions(takt_kernel PUBLIC TAKT_SWITCH_HOOK=1)
endif()
target_include_directories(takt_kernel PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<BUILD_INTERFACE:${takt_port_folder}>
  $<INSTALL_INTERFACE:${takt_include}>
  $<INSTALL_INTERFACE:${takt_include}/port/${takt_port}>)
foreach(folder IN LISTS takt_board_folders)
  file(RELATIVE_PATH takt_from_root ${PROJECT_SOURCE_DIR} ${folder})
  if(takt_from_root MATCHES "^[.][.]")
    set(takt_from_root boards/${takt_board})
  endif()
  target_include_directories(takt_kernel PUBLIC $<BUILD_INTERFACE:${folder}>
    $<INSTALL_INTERFACE:${takt_include}/${takt_from_root}>)
  install(DIRECTORY ${folder}/ DESTINATION ${takt_include}/${takt_from_root} COMPONENT kernel FILES_MATCHING PATTERN "*.h")
  install(DIRECTORY ${folder}/ DESTINATION ${takt_data} COMPONENT kernel FILES_MATCHING PATTERN "*.ld")
endforeach()
foreach(folder IN LISTS TAKT_DEVICE)
  get_filename_component(takt_device ${folder} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  target_include_directories(takt_kernel PUBLIC $<BUILD_INTERFACE:${takt_device}>) # a project that installed it has its own
endforeach()
if(TAKT_GEOMETRY)
  get_filename_component(takt_geometry ${TAKT_GEOMETRY} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  get_filename_component(takt_geometry_name ${takt_geometry} NAME)
  target_compile_options(takt_kernel PUBLIC
    "$<BUILD_INTERFACE:SHELL:-include \"${takt_geometry}\">"
    "$<INSTALL_INTERFACE:SHELL:-include \"$<INSTALL_PREFIX>/${takt_include}/${takt_geometry_name}\">")
  install(FILES ${takt_geometry} DESTINATION ${takt_include} COMPONENT kernel)
endif()

if(takt_port STREQUAL "cortex_m")
  set(takt_libraries c gcc) # what a compiler calls to copy, to clear and to divide
  takt_library(port_cortex_m ${takt_port_folder}/switch.c ${takt_port_folder}/fpu.c ${takt_port_folder}/guard.c
    ${takt_port_folder}/limit.c ${takt_port_folder}/fault.c)
elseif(takt_port STREQUAL "cortex_m0")
  set(takt_libraries c gcc)
  takt_library(port_cortex_m0 ${takt_port_folder}/switch.c ${takt_port_folder}/fault.c)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/port/cortex_m/ DESTINATION ${takt_include}/port/cortex_m COMPONENT kernel
          FILES_MATCHING PATTERN "*.h") # what all Cortex-M have in common
elseif(takt_port STREQUAL "riscv")
  set(takt_libraries gcc)
  takt_library(port_riscv ${takt_port_folder}/switch.c ${takt_port_folder}/fpu.c ${takt_port_folder}/memory.c
    ${takt_port_folder}/fault.c)
else()
  set(takt_libraries)
  if(takt_port STREQUAL "posix")
    set(takt_libraries m pthread)
  endif()
  file(GLOB takt_port_sources CONFIGURE_DEPENDS ${takt_port_folder}/*.c)
  takt_library(port_${takt_port} ${takt_port_sources})
endif()
target_link_libraries(takt_port_${takt_port} PUBLIC takt_kernel ${takt_libraries})
target_link_libraries(takt_kernel PUBLIC takt_port_${takt_port} ${takt_libraries})
takt_name(port port_${takt_port})

# ---- board ------------------------------------------------------------------------------------------------------

if(takt_board)
  list(TRANSFORM takt_board_folders APPEND /*.c OUTPUT_VARIABLE takt_board_globs)
  file(GLOB takt_board_sources CONFIGURE_DEPENDS ${takt_board_globs})
  takt_library(board_${takt_board} ${takt_board_sources})
  target_link_libraries(takt_board_${takt_board} PUBLIC takt_port_${takt_port})
  target_link_options(takt_board_${takt_board} INTERFACE -nostartfiles -nostdlib -Wl,--gc-sections
    "$<BUILD_INTERFACE:SHELL:-L$<JOIN:${takt_board_folders}, -L>>" $<INSTALL_INTERFACE:-L$<INSTALL_PREFIX>/${takt_data}>
    -Wl,-T,${takt_board}.ld)
  takt_name(board board_${takt_board})
  set(takt_load ${PROJECT_SOURCE_DIR}/firmware/boards/load.c)
  set_source_files_properties(${takt_load} PROPERTIES COMPILE_OPTIONS -O2) # it counts instructions
  takt_library(semihost ${PROJECT_SOURCE_DIR}/firmware/semihost.c ${takt_load})
else()
  takt_name(board port_${takt_port})
  if(takt_port STREQUAL "posix")
    takt_library(semihost ${PROJECT_SOURCE_DIR}/firmware/host_posix.c)
  elseif(EXISTS ${takt_port_folder}/takt_semihost.h)
    takt_library(semihost ${PROJECT_SOURCE_DIR}/firmware/semihost.c)
  endif()
endif()
if(TARGET takt_semihost)
  target_link_libraries(takt_semihost PUBLIC takt_kernel)
endif()

# ---- the trace of a program as a file ---------------------------------------------------------------------------------

takt_library(recorder ${PROJECT_SOURCE_DIR}/firmware/recorder.c ${PROJECT_SOURCE_DIR}/system/image.c
  ${PROJECT_SOURCE_DIR}/system/image_words.c)
target_link_libraries(takt_recorder PUBLIC takt_kernel)

# ---- FreeRTOS' interface, for the configuration of one program ------------------------------------------------------

set(TAKT_FREERTOS_CONFIG "" CACHE PATH "Folder of the FreeRTOSConfig.h of a program that uses takt::freertos")
if(TAKT_FREERTOS_CONFIG OR TARGET freertos_config)
  file(GLOB takt_freertos_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compat/freertos/*.c)
  takt_library(freertos ${takt_freertos_sources})
  target_include_directories(takt_freertos PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/compat/freertos/include>
    $<INSTALL_INTERFACE:${takt_include}/compat/freertos/include>)
  if(TARGET freertos_config)
    target_link_libraries(takt_freertos PUBLIC freertos_config)
  endif()
  if(TAKT_FREERTOS_CONFIG)
    get_filename_component(takt_freertos_config ${TAKT_FREERTOS_CONFIG} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
    target_include_directories(takt_freertos PUBLIC $<BUILD_INTERFACE:${takt_freertos_config}>
      $<INSTALL_INTERFACE:${takt_include}/compat/freertos>)
    install(FILES ${takt_freertos_config}/FreeRTOSConfig.h DESTINATION ${takt_include}/compat/freertos COMPONENT kernel)
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/compat/freertos/include/ DESTINATION ${takt_include}/compat/freertos/include
          COMPONENT kernel FILES_MATCHING PATTERN "*.h")
  target_link_libraries(takt_freertos PUBLIC takt_board)
endif()

# ---- analyses: a program pays for those that it calls ----------------------------------------------------

file(GLOB takt_analysis_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/analysis/*.c)
takt_library(analysis ${takt_analysis_sources})
target_compile_options(takt_analysis PRIVATE -ffreestanding)
target_include_directories(takt_analysis PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${takt_include}>)
target_link_libraries(takt_analysis PUBLIC ${takt_libraries})

# ---- installed ----------------------------------------------------------------------------------------------------

set(takt_package ${CMAKE_INSTALL_LIBDIR}/cmake/takt)
install(TARGETS ${takt_targets} EXPORT takt ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT kernel)
install(EXPORT takt NAMESPACE takt:: FILE takt-targets.cmake DESTINATION ${takt_package} COMPONENT kernel)
foreach(folder IN ITEMS core policy kernel analysis)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${takt_include}/${folder} COMPONENT kernel
          FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY ${takt_port_folder}/ DESTINATION ${takt_include}/port/${takt_port} COMPONENT kernel
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/firmware/load.h ${PROJECT_SOURCE_DIR}/firmware/semihost.h DESTINATION ${takt_include}/firmware COMPONENT kernel)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/takt-config.cmake.in
                              ${PROJECT_BINARY_DIR}/takt-config.cmake INSTALL_DESTINATION ${takt_package})
install(FILES ${PROJECT_BINARY_DIR}/takt-config.cmake DESTINATION ${takt_package} COMPONENT kernel)
