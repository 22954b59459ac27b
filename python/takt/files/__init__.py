# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files of systems, recipes and traces: reading and writing."""
