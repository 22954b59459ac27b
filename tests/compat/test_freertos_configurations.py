# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Configurations of FreeRTOS programs, as they are usually written: the library compiles without a word."""

from __future__ import annotations

from pathlib import Path

import pytest
import recipes
from recipes import found, run
from test_freertos import HERE

OPTIONAL = (
    "configUSE_MUTEXES",
    "configUSE_RECURSIVE_MUTEXES",
    "configUSE_COUNTING_SEMAPHORES",
    "configUSE_QUEUE_SETS",
    "configQUEUE_REGISTRY_SIZE",
    "configUSE_TIMERS",
    "configNUM_THREAD_LOCAL_STORAGE_POINTERS",
    "configUSE_APPLICATION_TASK_TAG",
    "configUSE_TRACE_FACILITY",
    "configCHECK_FOR_STACK_OVERFLOW",
    "INCLUDE_vTaskSuspend",
)

CONFIGURATIONS = {
    "demonstration": {
        "configASSERT_DEFINED": "1",
        "configMINIMAL_STACK_SIZE": "( ( unsigned short ) 80 )",
        "configTOTAL_HEAP_SIZE": "( ( size_t ) ( 60 * 1024 ) )",
        "configMAX_PRIORITIES": "( 10 )",
        "configMAX_CO_ROUTINE_PRIORITIES": "( 2 )",
        "configUSE_CO_ROUTINES": "0",
        "configUSE_16_BIT_TICKS": "0",
        "configUSE_TICK_HOOK": "1",
        "configUSE_IDLE_HOOK": "1",
        "configUSE_MALLOC_FAILED_HOOK": "1",
        "configUSE_PORT_OPTIMISED_TASK_SELECTION": "1",
        "configTIMER_TASK_STACK_DEPTH": "( configMINIMAL_STACK_SIZE * 2 )",
    },
    "16 bits": {"configUSE_16_BIT_TICKS": "1"},
    "64 bits": {"configTICK_TYPE_WIDTH_IN_BITS": "TICK_TYPE_WIDTH_64_BITS"},
    "static": {"configSUPPORT_DYNAMIC_ALLOCATION": "0", "configTOTAL_HEAP_SIZE": "( ( size_t ) 0 )"},
    "dynamic": {"configSUPPORT_STATIC_ALLOCATION": "0"},
    "least": dict.fromkeys(OPTIONAL, "0"),
    "no assertions": {"configASSERT(holds)": ""},
    "no old names": {"configENABLE_BACKWARD_COMPATIBILITY": "0", "configUSE_TIME_SLICING": "0"},
    "slow ticks": {
        "configTICK_RATE_HZ": "( ( portTickType ) 100 )",
        "configMESSAGE_BUFFER_LENGTH_TYPE": "uint8_t",
        "configINITIAL_TICK_COUNT": "( ( TickType_t ) 0 - 200 )",
    },
    "statistics": {
        "configGENERATE_RUN_TIME_STATS": "1",
        "configRUN_TIME_COUNTER_TYPE": "uint64_t",
        "portCONFIGURE_TIMER_FOR_RUN_TIME_STATS()": "( ( void ) 0 )",
        "portALT_GET_RUN_TIME_COUNTER_VALUE( count )": "( count = 3 )",
    },
    "heap": {
        "configAPPLICATION_ALLOCATED_HEAP": "1",
        "configHEAP_CLEAR_MEMORY_ON_FREE": "1",
        "configSTACK_ALLOCATION_FROM_SEPARATE_HEAP": "1",
    },
    "own words": {
        "configUSE_PREEMPTION": "0",
        "configUSE_SB_COMPLETED_CALLBACK": "1",
        "sbSEND_COMPLETED( buffer )": "( ( void ) ( buffer ) )",
        "sbRECEIVE_COMPLETED_FROM_ISR( buffer, woken )": "( ( void ) ( buffer ) )",
        "portCLEAN_UP_TCB( task )": "( ( void ) ( task ) )",
        "portASSERT_IF_INTERRUPT_PRIORITY_INVALID()": "( ( void ) 0 )",
        "traceTASK_SWITCHED_IN()": "( ( void ) 0 )",
    },
}


def written(values: dict[str, str]) -> str:
    """Return the configuration of the test programs with other values; without a value a macro is not defined."""
    lines = (HERE / "config" / "FreeRTOSConfig.h").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(tuple(f"#define {name} " for name in values))]
    added = [f"#define {name} {value}" for name, value in values.items() if value]
    return "\n".join([*kept[:-1], *added, kept[-1], ""])


@pytest.mark.parametrize("port", ["cortex_m", "riscv"])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_library_compiles_under_usual_configurations(tmp_path: Path, name: str, port: str) -> None:
    (tmp_path / "FreeRTOSConfig.h").write_text(written(CONFIGURATIONS[name]), encoding="utf-8")
    how = recipes.recipe(port, "-Icompat/freertos/include", f"-I{tmp_path}", "-DTAKT_SWITCH_HOOK=1")
    done = run([how["cc"], *how["cflags"], "-O0", "-fsyntax-only", *found("compat/freertos/*.c")])
    assert (done.returncode, done.stderr) == (0, "")
