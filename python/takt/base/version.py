# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which version of Takt this is."""

from importlib.metadata import version

__version__ = version("takt")
