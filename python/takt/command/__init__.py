# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command line: one module for each command."""
