# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What every package uses: errors, times, files as a whole, forks, the version."""
