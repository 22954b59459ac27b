# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The paper on a real-time rate-based task scheduler (S0), made again."""
