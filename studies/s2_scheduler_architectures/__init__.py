# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The paper on scheduler architectures (S2: SoRTS, Co-SoRTS, HaRTS), made again."""
