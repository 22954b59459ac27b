# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Papers and what Takt makes of them: one package per paper, one command each. See studies/README.md."""
