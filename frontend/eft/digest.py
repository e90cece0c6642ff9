# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SHA-256, of which the keys of the disk cache are made.

It is Python's own, unless `hashlib` is there anyway, which brings in OpenSSL: to load that takes
longer than the rest of a launch whose code is in the cache.
"""

from __future__ import annotations

import sys

if "hashlib" in sys.modules:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # before Python 3.12
        except ImportError:  # a Python that was built without its own
            from hashlib import sha256


def hexdigest(parts) -> str:
    """The hash of some texts, in hexadecimal digits."""
    return sha256("\0".join(parts).encode()).hexdigest()
