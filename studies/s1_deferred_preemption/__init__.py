# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The paper on deferred preemption in RTAI/Linux (S1), made again."""
