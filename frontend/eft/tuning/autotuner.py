# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@eft.autotune`: the choice among configurations, and launches with it.

A launch whose arguments are like those of one before finds its configuration by two look-ups in
dicts. Everything else is behind `_choose`, in modules that are loaded when it is first called.
"""

from __future__ import annotations

import math
import os
from _thread import RLock  # `threading` takes longer to import than all of this

from eft.tuning.config import Config
from eft.tuning.wrapper import Wrapper, check_names, unknown_names

#: Held while candidates are measured: what another thread launches meanwhile would slow some down.
_measuring = RLock()
os.register_at_fork(after_in_child=_measuring._at_fork_reinit)


class Autotuner(Wrapper):
    """A kernel whose launches use the fastest of some configurations. See `autotune`.

    Attributes:
        configs: the configurations.
        keys: the names of the parameters for whose values the choice is made anew.
        cache: by the key of a choice (values, dtypes, device), the configuration chosen.
        best_config: the configuration of the last launch.
        configs_timings: by configuration, the median, the 20 % and the 80 % quantile of the times
            of the last choice in milliseconds; infinities for one that can't run.
        left_out: by configuration that can't run, the reason, of the last choice.
        nargs: while a choice is made, the positional arguments by name; else None.
    """

    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero=None,
        restore_value=None,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        warmup=None,
        rep=None,
        use_cuda_graph=False,
        do_bench=None,
        cache_results=True,
    ):
        super().__init__(fn, arg_names)
        self.configs = configs
        self.keys = _names("key", key)
        self.reset_to_zero = _names("reset_to_zero", reset_to_zero)
        self.restore_value = _names("restore_value", restore_value)
        _warn_of_unknown_keys(self)
        check_names("reset_to_zero", self.reset_to_zero, self.arg_names)
        check_names("restore_value", self.restore_value, self.arg_names)
        self.restore_copies = {}
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook = pre_hook or self._prepare
        self.post_hook = post_hook or self._restore
        prune = prune_configs_by or {}
        if not isinstance(prune, dict):
            raise TypeError(f"prune_configs_by must be a dict, got {prune!r}")
        unknown = [name for name in prune if name not in _PRUNING]
        if unknown:
            raise ValueError(
                "prune_configs_by takes early_config_prune, perf_model and top_k, got "
                f"{', '.join(map(repr, unknown))}"
            )
        self.early_config_prune = prune.get("early_config_prune")
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", prune.get("configs_top_k", 1.0))
        self.num_warmups = warmup
        self.num_reps = rep
        self.use_cuda_graph = use_cuda_graph
        self._do_bench = do_bench
        self.cache_results = cache_results
        self.cache = {}
        self.best_config = None
        self.configs_timings = {}
        self.left_out = {}
        self.bench_time = None
        self.nargs = None

    @property
    def configs(self) -> list[Config]:
        return self._configs

    @configs.setter
    def configs(self, configs):
        if configs is not None and not hasattr(configs, "__iter__"):
            raise TypeError(f"configs must be a list of eft.Config, got {configs!r}")
        configs = configs if isinstance(configs, list) else list(configs or ())
        for number, each in enumerate(configs):
            if not isinstance(each, Config):
                raise TypeError(f"configs[{number}] must be an eft.Config, got {each!r}")
        self._configs = configs or [Config({})]
        self._plans = {}

    @property
    def do_bench(self):
        """The user's function that measures, which may be set; without one,
        `eft.testing.do_bench`, for subclasses (a choice then measures all candidates in turns)."""
        if self._do_bench is None:
            from eft.testing import do_bench

            return do_bench
        return self._do_bench

    @do_bench.setter
    def do_bench(self, function):
        self._do_bench = function

    # -- launches ----------------------------------------------------------------------------------

    def run(self, *args, grid=None, warmup=False, **kwargs):
        """Launches with the fastest configuration, which is measured if it is not known yet."""
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        return self._launch(grid, *args, **kwargs)

    def _launch(self, grid, /, *args, **kwargs):
        kinds = tuple(map(type, args))
        if kwargs:
            kinds += (*kwargs, *map(type, kwargs.values()))
        plan = self._plans.get(kinds) or self._make_plan(kinds, args, kwargs)
        facts = plan.facts(args, kwargs)
        try:
            key, config, added = plan.choices.get(facts, _NO_CHOICE)
        except TypeError:  # a value of the key can't be hashed
            self._check_key(plan, args, kwargs)
            raise
        if config is None or (key is not None and self.cache.get(key) is not config):
            config, added = self._choose(plan, facts, args, kwargs, grid)
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(self.arg_names, args, strict=False)), **kwargs, **added})
        if kwargs:
            added = {**kwargs, **added}
        return self.fn[grid](*args, **added)

    def warmup(self, *args, grid=None, **kwargs) -> list:
        """Compiles the kernel for all configurations that pruning leaves. Returns the compiled
        kernels; a configuration that can't be compiled has none.

        Raises:
            AutotunerError: none can be compiled.
        """
        from eft.tuning.candidates import compile_all, make_candidates

        with _measuring:
            self.nargs = dict(zip(self.arg_names, args, strict=False))
            try:
                configs = self.prune_configs({**kwargs, "grid": grid, "warmup": True})
                candidates = make_candidates(self, configs, args, kwargs, grid)
                compile_all(self, candidates)
                return [each.compiled for each in candidates if each.failure is None]
            finally:
                self.nargs = None

    def complete(self, args, kwargs: dict) -> dict:
        return {**kwargs, **self.configs[0].all_kwargs()}

    def _make_plan(self, kinds, args, kwargs: dict) -> _Plan:
        self.check_conflicts(self.configs, args, kwargs)
        _ = self.kernel  # what is none yet is an error before anything is run
        self._plans[kinds] = plan = _Plan(self, args, kwargs)
        return plan

    def check_conflicts(self, configs, args, kwargs: dict):
        """Raises a ValueError if configurations give an argument that the call gives, too."""
        named = [*self.arg_names[: len(args)], *kwargs]
        for config in configs:
            conflicts = [name for name in config.all_kwargs() if name in named]
            if conflicts:
                raise ValueError(
                    f"Conflicting meta-parameters: {', '.join(conflicts)}. Both the call of "
                    f"{self.__name__!r} and its configurations give them; leave it to one"
                )

    def _check_key(self, plan: _Plan, args, kwargs: dict):
        """Raises a TypeError for a value of the key that can't be hashed."""
        values = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
        for name in plan.keys:
            try:
                hash(values[name])
            except TypeError:
                raise TypeError(
                    f"the key of {self.__name__!r} has {name!r}, whose values must be hashable, "
                    f"got {values[name]!r}"
                ) from None

    def _choose(self, plan: _Plan, facts, args, kwargs: dict, grid) -> tuple[Config, dict]:
        """The configuration for a call, with the keyword arguments that it adds."""
        same = with_one_nan(facts)
        if same is not facts:
            facts = same
            key, config, added = plan.choices.get(facts, _NO_CHOICE)
            if config is not None and (key is None or self.cache.get(key) is config):
                return config, added
        key, config = None, self.configs[0]
        if len(self.configs) > 1:
            from eft.tuning.choice import choose

            with _measuring:
                self.nargs = dict(zip(self.arg_names, args, strict=False))
                try:
                    key, config = choose(self, plan, args, kwargs, grid)
                finally:
                    self.nargs = None
        added = config.all_kwargs()
        plan.choices[facts] = key, config, added
        return config, added

    # -- what may be replaced by arguments, and what programs call ---------------------------------

    def prune_configs(self, kwargs: dict) -> list[Config]:
        """The configurations worth measuring for the arguments `nargs` and `kwargs`."""
        from eft.tuning.pruning import prune

        return prune(self, kwargs)

    def _bench(self, *args, config: Config, grid=None, warmup=False, **kwargs) -> list[float]:
        """The median and the quantiles of the times of one configuration, in milliseconds; for
        subclasses that choose in their own way. Infinities if it can't run."""
        from eft.tuning.choice import bench

        with _measuring:
            return bench(self, config, args, kwargs, grid)

    def _prepare(self, arguments: dict, reset_only: bool = False):
        """The default `pre_hook`: zeroes and copies arrays before a run that is measured."""
        if not (self.reset_to_zero or self.restore_value):
            return
        from eft.tuning import arrays

        for option in ("reset_to_zero", "restore_value"):
            for name in getattr(self, option):
                if isinstance(arguments[name], (int, float)):
                    raise TypeError(
                        f"{option} takes arrays, got {name}={arguments[name]!r} for "
                        f"{self.__name__!r}"
                    )
        for name in self.reset_to_zero:
            if arguments[name] is not None:
                arrays.fill_zero(arguments[name])
        if not reset_only:
            self.restore_copies = {
                name: arrays.copy(arguments[name])
                for name in self.restore_value
                if arguments[name] is not None
            }

    def _restore(self, arguments: dict, exception=None):
        """The default `post_hook`: gives arrays the values from before a run that was measured."""
        if not self.restore_copies:
            return
        from eft.tuning import arrays

        for name, value in self.restore_copies.items():
            arrays.assign(arguments[name], value)
        self.restore_copies = {}


class _Plan:
    """The common part of calls with arguments of the same kinds.

    Attributes:
        facts: a function of (args, kwargs): what of them a choice depends on.
        choices: by these facts, the key of the choice, its configuration, and the keyword arguments
            that it adds to the call.
    """

    def __init__(self, tuner: Autotuner, args, kwargs: dict):
        places = {
            name: f"args[{number}]" for number, name in enumerate(tuner.arg_names[: len(args)])
        }
        places |= {name: f"kwargs[{name!r}]" for name in kwargs if name in tuner.arg_names}
        values = {**dict(zip(tuner.arg_names, args, strict=False)), **kwargs}
        self.keys = [name for name in tuner.keys if name in places and not is_array(values[name])]
        self.typed = [
            name for name in places if hasattr(values[name], "dtype") or is_array(values[name])
        ]
        parts = [places[name] for name in self.keys]
        is_placed = False  # whether the device of an array is among the parts
        for name in self.typed:
            value, place = values[name], places[name]
            parts.append(f"{place}.{_ELEMENT_TYPES[_type_attribute(value)]}")
            # All arrays of a launch on GPUs are on one; which one, the first tells.
            if is_placed and hasattr(value, "is_cuda"):
                parts.append(f"{place}.is_cuda")
            elif hasattr(value, "device"):  # a number of NumPy's has one, too
                parts.append(f"{place}.device")
                is_placed = is_placed or is_array(value)
        # Written out, because it is most of what a launch costs beyond the kernel's own.
        self.facts = eval(f"lambda args, kwargs: ({''.join(f'{part}, ' for part in parts)})")
        self.choices = {}


def with_one_nan(value):
    """A value of a key, or a tuple of them, in which one object stands for every NaN, which then
    equal each other; the same object where there is none."""
    if type(value) is tuple:
        found = tuple(map(with_one_nan, value))
        is_same = all(new is old for new, old in zip(found, value, strict=True))
        return value if is_same else found
    is_number = isinstance(value, float) or "numpy" in type(value).__module__
    return math.nan if is_number and value != value else value


#: The attribute that tells the type of an array's elements, and how to read it, the first that is
#: there: arrays with a dtype come first, then Python's own, then any other.
_ELEMENT_TYPES = {
    "dtype": "dtype",
    "format": "format",
    "typecode": "typecode",
    "__cuda_array_interface__": "__cuda_array_interface__['typestr']",
    "__class__": "__class__",
}
_NO_CHOICE = (None, None, None)
#: The keys of `prune_configs_by`. PyTorch's compiler calls the last one `configs_top_k`.
_PRUNING = ("early_config_prune", "perf_model", "top_k", "configs_top_k")


def _type_attribute(array) -> str:
    return next(name for name in _ELEMENT_TYPES if hasattr(array, name))


def element_type(array) -> str:
    """The type of an array's elements, in the words of its library."""
    name = _type_attribute(array)
    found = getattr(array, name)
    return str(found["typestr"] if name == "__cuda_array_interface__" else found)


def is_array(value) -> bool:
    """Whether a value has elements, which are no part of a key."""
    names = ("__dlpack__", "data_ptr", "__cuda_array_interface__", "typecode", "format")
    return any(hasattr(value, name) for name in names) and not isinstance(value, str)


def _names(option: str, names) -> list[str]:
    if names is None:
        return []
    found = list(names) if hasattr(names, "__iter__") and not isinstance(names, str) else [names]
    if isinstance(names, str) or not all(isinstance(name, str) for name in found):
        raise TypeError(f"{option} must be a list of the names of arguments, got {names!r}")
    return found


def _warn_of_unknown_keys(tuner: Autotuner):
    """Says at the kernel's line which names in `key` are ignored. They are no error, since Triton
    accepts them, and programs leave such names behind when a parameter goes."""
    fault = unknown_names("key", tuner.keys, tuner.arg_names)
    if fault is not None:
        import warnings

        code = tuner.base_fn.__code__
        message = f"'{tuner.__name__}': {fault}"
        warnings.warn_explicit(message, UserWarning, code.co_filename, code.co_firstlineno)


def autotune(
    configs,
    key,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=True,
):
    """Launches a kernel with the fastest of some configurations.

    They are compiled in parallel and measured in turns, at the first call for each new combination
    of the key's values, the arrays' dtypes and the device. The kernel runs many times then, on the
    arrays of the call. A configuration that can't run on the device is left out.

    Args:
        configs: the configurations, each a `Config`; none: one without meta-parameters.
        key: the names of the parameters for whose values the choice is made anew. A name that no
            parameter has is ignored, with a warning.
        prune_configs_by: a dict with any of
            early_config_prune: a function (configs, named_args, **kwargs) that returns those worth
                a try;
            perf_model: a function of the arguments and a configuration's by name, that estimates
                its time;
            top_k: how many of the best estimates to try: an int, or a share of all as a float.
        reset_to_zero: the names of arrays that are zeroed before each run that is measured.
        restore_value: the names of arrays that keep their values from before it.
        pre_hook: in place of these two, a function (arguments, reset_only=False) that is called
            before each run that is measured, and once after them with `reset_only=True`.
        post_hook: a function (arguments, exception) that is called after each run.
        warmup: milliseconds to run all configurations before they are measured; 25 by default.
        rep: milliseconds to measure each at most; 50 by default. Slow ones are dropped sooner.
        use_cuda_graph: measure on a GPU what a launch takes in a CUDA graph; needs PyTorch.
        do_bench: measures in place of all this: a function (call, quantiles) that returns the
            quantiles of the times in milliseconds.
        cache_results: keep the choice in the disk cache, for later processes.

    Raises:
        ValueError: `reset_to_zero` or `restore_value` names no parameter.
        TypeError: an argument is of the wrong type.
        AutotunerError: at a launch: no configuration is left, or none can run; or there is no
            choice yet and a CUDA graph is being captured.
    """

    def wrap(fn):
        return Autotuner(
            fn,
            getattr(fn, "arg_names", None),
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook,
            post_hook,
            prune_configs_by,
            warmup,
            rep,
            use_cuda_graph,
            do_bench,
            cache_results,
        )

    return wrap
