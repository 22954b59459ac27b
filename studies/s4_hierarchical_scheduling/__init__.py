"""The paper on hierarchical scheduling in FreeRTOS (S4), made again."""
