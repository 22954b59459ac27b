# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Version of Takt."""

from importlib.metadata import version

__version__ = version("takt")
