# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of one variant of a kernel, by the protocol of Triton's compiled kernels.

A launch of a kernel under `jit` chooses among its variants. The kernels here have one variant. They
take all arguments of the kernel, and ignore those for parameters that are known at compile time.
"""

from __future__ import annotations


class OneVariant:
    """The base of compiled kernels that can be launched by themselves. A subclass has the
    attributes `name`, `function`, and `packed_metadata`, and the methods `_init_handles`,
    `_kernel`, which may give None, and `_make_launcher`."""

    _launcher = None

    @property
    def run(self):
        """A function that launches the kernel.

        Its arguments are the three extents of the grid, the stream, `function`, `packed_metadata`,
        what `launch_metadata` gave, the hooks before and after, and then the kernel's arguments.
        The launch is in the current stream of the arrays' library, whichever stream is given.
        """
        return self._loaded_launcher().run

    def launch_metadata(self, grid, stream, *args):
        """The `eft.hooks.LaunchMetadata` that a launch hook gets; None if there is no hook."""
        from eft import hooks

        if hooks.launch_enter is None:
            return None
        self._init_handles()
        facts = {"name": self.name, "function": self.function, "stream": stream}
        metadata = hooks.LaunchMetadata(facts)
        kernel = self._kernel()
        if kernel is not None and kernel.launch_metadata is not None:
            bound = dict(zip(kernel.arg_names, args, strict=False))
            metadata.add(kernel.launch_metadata, (grid, self.metadata, bound))
        return metadata

    def __getitem__(self, grid):
        """A function that launches the kernel with all of its arguments. `grid` is what a launch of
        a kernel under `jit` takes as its grid."""
        from eft import hooks

        def launch(*args, stream=None):
            launcher = self._loaded_launcher()
            extents = launcher.find_extents(grid, args)
            metadata = self.launch_metadata(extents, stream, *args)
            launcher.launch(extents, metadata, hooks.launch_enter, hooks.launch_exit, args)

        return launch

    def _loaded_launcher(self):
        if self._launcher is None:
            self._init_handles()
            self._launcher = self._make_launcher()
        return self._launcher
