# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime.cache`: folders that are named by hashes, in which
programs keep files of their own. Eft's compiled kernels are not kept here, but in Eft's own disk
cache (docs/runtime.md)."""

from __future__ import annotations

import json
import os
import tempfile
from abc import ABC, abstractmethod

from eft.triton import knobs

__all__ = [
    "CacheManager",
    "FileCacheManager",
    "RedisRemoteCacheBackend",
    "RemoteCacheBackend",
    "RemoteCacheManager",
    "get_cache_key",
    "get_cache_manager",
    "get_dump_manager",
    "get_override_manager",
    "make_so_cache_key",
    "triton_key",
]


class CacheManager(ABC):
    """The files that are kept under one key, by name."""

    def __init__(self, key, override: bool = False, dump: bool = False):
        self.key = key

    @abstractmethod
    def get_file(self, filename: str) -> str | None:
        """Returns the path of a file, or None if there is no such file."""

    @abstractmethod
    def put(self, data, filename: str, binary: bool = True) -> str:
        """Writes bytes or text to a file, and returns the path of the file."""

    @abstractmethod
    def get_group(self, filename: str) -> dict[str, str] | None:
        """Returns the paths of the files of a group, by the names of the files; None if there is no
        group `filename`."""

    @abstractmethod
    def put_group(self, filename: str, group: dict[str, str]) -> str:
        """Records the group `filename` of files that belong together. `group` has the paths of the
        files by their names. Returns the path of the record."""


class FileCacheManager(CacheManager):
    """Files in a folder that is named by the key. The folder lies in `knobs.cache.dump_dir` if
    `dump` is true, else in `knobs.cache.override_dir` if `override` is true, else in
    `knobs.cache.dir`.

    Attributes:
        cache_dir: the folder.
    """

    def __init__(self, key, override: bool = False, dump: bool = False):
        super().__init__(key)
        cache = knobs.cache
        root = cache.dump_dir if dump else cache.override_dir if override else cache.dir
        if not root:
            raise RuntimeError("there is no folder for the cache: TRITON_CACHE_DIR names one")
        self.cache_dir = os.path.join(root, key)
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)

    def _path(self, filename: str) -> str:
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename: str) -> bool:
        return os.path.exists(self._path(filename))

    def get_file(self, filename: str) -> str | None:
        return self._path(filename) if self.has_file(filename) else None

    def put(self, data, filename: str, binary: bool = True) -> str:
        contents = data if isinstance(data, bytes) else str(data).encode()
        handle, temporary = tempfile.mkstemp(dir=self.cache_dir)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(contents)
            os.replace(temporary, self._path(filename))  # atomic: nobody reads half a file
        except BaseException:
            os.unlink(temporary)
            raise
        return self._path(filename)

    def get_group(self, filename: str) -> dict[str, str] | None:
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            paths = json.load(file).get("child_paths")
        if paths is None:
            return None
        return {name: path for name, path in paths.items() if os.path.exists(path)}

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


class RemoteCacheBackend(ABC):
    """A store of bytes on another machine, by name and under one key."""

    def __init__(self, key: str):
        self.key = key

    @abstractmethod
    def get(self, filenames: list[str]) -> dict[str, bytes]:
        """Returns the contents of the files that exist, by name."""

    @abstractmethod
    def put(self, filename: str, data: bytes):
        """Stores a file."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Stores files in the Redis server that `knobs.redis` names. Needs the package `redis`."""

    def __init__(self, key: str):
        import redis

        super().__init__(key)
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _name(self, filename: str) -> str:
        return knobs.redis.key_format.format(key=self.key, filename=filename)

    def get(self, filenames: list[str]) -> dict[str, bytes]:
        found = self._redis.mget([self._name(each) for each in filenames])
        pairs = zip(filenames, found, strict=True)
        return {name: data for name, data in pairs if data is not None}

    def put(self, filename: str, data: bytes):
        self._redis.set(self._name(filename), data)


class RemoteCacheManager(CacheManager):
    """The files in the backend that `knobs.cache.remote_manager_class` names, with copies in a
    local folder. With `override` or `dump`, only the local folder is used."""

    def __init__(self, key, override: bool = False, dump: bool = False):
        super().__init__(key)
        backend = knobs.cache.remote_manager_class
        if backend is None:
            raise RuntimeError(
                "there is no remote cache: TRITON_REMOTE_CACHE_BACKEND names one as MODULE:CLASS"
            )
        self._files = FileCacheManager(key, override, dump)
        self._backend = None if override or dump else backend(key)

    def get_file(self, filename: str) -> str | None:
        if self._backend is None:
            return self._files.get_file(filename)
        data = self._backend.get([filename]).get(filename)
        return None if data is None else self._files.put(data, filename)

    def put(self, data, filename: str, binary: bool = True) -> str:
        if self._backend is not None:
            data = data if isinstance(data, bytes) else str(data).encode()
            self._backend.put(filename, data)
        return self._files.put(data, filename)

    def get_group(self, filename: str) -> dict[str, str] | None:
        if self._backend is None:
            return self._files.get_group(filename)
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            names = json.load(file)["child_paths"]
        found = self._backend.get(list(names))
        return {name: self._files.put(data, name) for name, data in found.items()}

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        if self._backend is None:
            return self._files.put_group(filename, group)
        names = json.dumps({"child_paths": sorted(group)})
        return self.put(names, f"__grp__{filename}", binary=False)


def _folder_name(key: str) -> str:
    """Returns a shorter form of a hash: base 32 in place of hexadecimal digits."""
    from base64 import b32encode

    return b32encode(bytes.fromhex(key)).decode().rstrip("=")


def get_cache_manager(key: str) -> CacheManager:
    """Returns a manager of the files under the hash `key`."""
    return (knobs.cache.manager_class or FileCacheManager)(_folder_name(key))


def get_override_manager(key: str) -> CacheManager:
    return (knobs.cache.manager_class or FileCacheManager)(_folder_name(key), override=True)


def get_dump_manager(key: str) -> CacheManager:
    return (knobs.cache.manager_class or FileCacheManager)(_folder_name(key), dump=True)


def make_so_cache_key(version_hash, signature, constants, ids, **kwargs) -> str:
    """Returns a hash of the facts on which a launcher in C depends."""
    from hashlib import sha256

    types = "".join("ptr" if type[0] == "*" else type for type in signature.values())
    parts = [str(version_hash), types, str(constants), str(ids), *map(str, kwargs.values())]
    return _folder_name(sha256("-".join(parts).encode()).hexdigest())


def triton_key() -> str:
    """Returns a text that is different for different builds of Eft."""
    from hashlib import sha256

    from eft.version import __version__, fingerprint

    return f"eft-{__version__}-{sha256(fingerprint().encode()).hexdigest()}"


def get_cache_key(src, backend, backend_options, env_vars) -> str:
    """Returns a text that is different for different compiled forms of sources."""
    parts = (triton_key(), src.hash(), backend.hash(), backend_options.hash())
    return "-".join([*parts, str(sorted(env_vars.items()))])
