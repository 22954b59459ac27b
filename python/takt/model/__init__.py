# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Systems: the tables that authors write, what fits together, and what core is given."""
