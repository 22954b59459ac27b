# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The paper on hierarchical scheduling in FreeRTOS (S4), made again."""
