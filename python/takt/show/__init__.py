# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results for people: text, JSON, pages, charts."""
