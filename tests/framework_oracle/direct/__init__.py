# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Direct simulators: the policies themselves, tick by tick, without the framework; they share no code with it."""
