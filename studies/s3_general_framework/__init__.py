# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The paper on the general scheduling framework of RED-Linux (S3), made again."""
