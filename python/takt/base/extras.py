# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Packages that one feature alone needs: extras of pip, which are imported where the feature is used."""


def missing(what: str, package: str, extra: str) -> str:
    """Return the message of a feature whose package is not installed, with what installs it.

    Args:
        what: needs the package.
        package: its name.
        extra: of Takt that brings the package.
    """
    return f"{what} needs the package {package}, which is not installed here; run: pip install 'takt[{extra}]'"
