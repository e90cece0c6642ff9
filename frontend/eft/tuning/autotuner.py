# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@eft.autotune`: launches a kernel with the configuration that was chosen for the arguments.

If an earlier launch had similar arguments, two look-ups in dicts find the configuration. Otherwise
`_choose` makes the choice. The modules for that are imported at the first choice.
"""

from __future__ import annotations

import math
import os
from _thread import RLock  # importing `threading` takes longer than importing this module

from eft.tuning.config import Config
from eft.tuning.wrapper import Wrapper, check_names, unknown_names

#: Held while candidates are measured, so that only one thread measures at a time. Measurements of
#: two threads would slow each other down.
_measuring = RLock()
os.register_at_fork(after_in_child=_measuring._at_fork_reinit)


class Autotuner(Wrapper):
    """A kernel whose launches use the fastest of several configurations. See `autotune`.

    Attributes:
        configs: the configurations.
        keys: the names of the parameters on whose values the choice depends.
        cache: the chosen configurations, by the key of the choice. A key consists of the values of
            the parameters in `keys`, the dtypes of the arrays, and the device.
        best_config: the configuration of the last launch.
        configs_timings: the times from the last choice, by configuration: the median, the 20 % and
            the 80 % quantile, in milliseconds. Infinities for a configuration that can't run.
        left_out: the configurations that could not run at the last choice, with the reasons.
        nargs: while a choice is made, the positional arguments by name; otherwise None.
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
        """The function that measures a configuration: the one that the user gave or set, or else
        `eft.testing.do_bench`. Only subclasses call `eft.testing.do_bench` through this attribute:
        without a function of the user, a choice measures all candidates in turns."""
        if self._do_bench is None:
            from eft.testing import do_bench

            return do_bench
        return self._do_bench

    @do_bench.setter
    def do_bench(self, function):
        self._do_bench = function

    # -- launches ----------------------------------------------------------------------------------

    def run(self, *args, grid=None, warmup=False, **kwargs):
        """Launches the kernel with the fastest configuration. If there is no choice for these
        arguments yet, measures the configurations first."""
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
        """Compiles the kernel for all configurations that remain after pruning. Returns the
        compiled kernels, without those of configurations that can't be compiled.

        Raises:
            AutotunerError: no configuration can be compiled.
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
        _ = self.kernel  # raises an error if @eft.jit is missing
        self._plans[kinds] = plan = _Plan(self, args, kwargs)
        return plan

    def check_conflicts(self, configs, args, kwargs: dict):
        """Raises a ValueError if both a configuration and the call give the same argument."""
        named = [*self.arg_names[: len(args)], *kwargs]
        for config in configs:
            conflicts = [name for name in config.all_kwargs() if name in named]
            if conflicts:
                raise ValueError(
                    f"Conflicting meta-parameters: {', '.join(conflicts)}. Both the call of "
                    f"{self.__name__!r} and its configurations give them; leave it to one"
                )

    def _check_key(self, plan: _Plan, args, kwargs: dict):
        """Raises a TypeError if a value of the key can't be hashed."""
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
        """Returns the configuration for a call, and the keyword arguments that the configuration
        adds to the call. `facts` is the result of `plan.facts`."""
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

    # -- methods that arguments can replace, and methods that programs call ------------------------

    def prune_configs(self, kwargs: dict) -> list[Config]:
        """Returns the configurations that are worth measuring for the arguments `nargs` and
        `kwargs`."""
        from eft.tuning.pruning import prune

        return prune(self, kwargs)

    def _bench(self, *args, config: Config, grid=None, warmup=False, **kwargs) -> list[float]:
        """Measures one configuration. Returns the median, the 20 % and the 80 % quantile of its
        times in milliseconds, or infinities if it can't run. For subclasses that choose by
        themselves."""
        from eft.tuning.choice import bench

        with _measuring:
            return bench(self, config, args, kwargs, grid)

    def _prepare(self, arguments: dict, reset_only: bool = False):
        """Zeroes the arrays in `reset_to_zero`, and copies those in `restore_value` unless
        `reset_only` is true. This is the default `pre_hook`, which is called before each run that
        is measured."""
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
        """Restores the values of the arrays that `_prepare` has copied. This is the default
        `post_hook`, which is called after each run that was measured."""
        if not self.restore_copies:
            return
        from eft.tuning import arrays

        for name, value in self.restore_copies.items():
            arrays.assign(arguments[name], value)
        self.restore_copies = {}


class _Plan:
    """The plan for calls whose arguments have the same types and keywords.

    Attributes:
        keys: the names in the tuner's `keys` whose arguments the calls give and are not arrays.
        typed: the names of the arguments whose element types belong to the key.
        facts: a function of (args, kwargs) that returns the facts on which a choice depends.
        choices: the choices by these facts. A choice is its key, its configuration, and the keyword
            arguments that the configuration adds to the call.
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
            # All arrays of a launch on a GPU are on the same GPU, so the device of the first array
            # suffices. For the other arrays of PyTorch, only whether they are on a GPU matters.
            if is_placed and hasattr(value, "is_cuda"):
                parts.append(f"{place}.is_cuda")
            elif hasattr(value, "device"):  # scalars of NumPy also have a device
                parts.append(f"{place}.device")
                is_placed = is_placed or is_array(value)
        # The function is generated as source text, because a loop would be slower. Most of the time
        # that autotuning adds to a launch is spent in this function.
        self.facts = eval(f"lambda args, kwargs: ({''.join(f'{part}, ' for part in parts)})")
        self.choices = {}


def with_one_nan(value):
    """Returns a value of a key, or a tuple of such values, with every NaN replaced by the object
    `math.nan`. A dict then finds keys with NaN, since it compares objects by identity first.
    Returns the same object if there is no NaN."""
    if type(value) is tuple:
        found = tuple(map(with_one_nan, value))
        is_same = all(new is old for new, old in zip(found, value, strict=True))
        return value if is_same else found
    is_number = isinstance(value, float) or "numpy" in type(value).__module__
    return math.nan if is_number and value != value else value


#: The attributes that give the type of an array's elements, each with the expression that reads the
#: type. The first attribute that an array has is used.
_ELEMENT_TYPES = {
    "dtype": "dtype",
    "format": "format",
    "typecode": "typecode",
    "__cuda_array_interface__": "__cuda_array_interface__['typestr']",
    "__class__": "__class__",
}
_NO_CHOICE = (None, None, None)
#: The keys of `prune_configs_by`. PyTorch's compiler uses `configs_top_k` in place of `top_k`.
_PRUNING = ("early_config_prune", "perf_model", "top_k", "configs_top_k")


def _type_attribute(array) -> str:
    return next(name for name in _ELEMENT_TYPES if hasattr(array, name))


def element_type(array) -> str:
    """Returns the type of an array's elements as text, as the array's library writes it."""
    name = _type_attribute(array)
    found = getattr(array, name)
    return str(found["typestr"] if name == "__cuda_array_interface__" else found)


def is_array(value) -> bool:
    """Whether a value is an array. The elements of an array are not part of a key."""
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
    """Warns at the kernel's line about names in `key` that no parameter has. They are ignored. They
    are not an error, because Triton accepts them, and because programs often keep such names after
    a parameter was removed."""
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
    """Launches a kernel with the fastest of several configurations.

    The choice depends on the values of the parameters in `key`, on the arrays' dtypes, and on the
    device. The first call with a new combination of these makes a choice: it compiles the
    configurations in parallel and measures them in turns. During the choice, the kernel runs many
    times on the arrays of the call. Configurations that can't run on the device are left out.

    Args:
        configs: the configurations, each a `Config`. An empty list means one configuration without
            meta-parameters.
        key: the names of the parameters on whose values the choice depends. A name that no
            parameter has is ignored, with a warning.
        prune_configs_by: a dict with any of these entries:
            early_config_prune: a function (configs, named_args, **kwargs) that returns the
                configurations worth measuring;
            perf_model: a function that takes the arguments and those of a configuration by name,
                and returns an estimate of the configuration's time;
            top_k: the number of configurations with the lowest estimates to measure: an int, or a
                float for a fraction of all configurations.
        reset_to_zero: the names of arrays that are zeroed before each run that is measured.
        restore_value: the names of arrays whose values are saved before each run that is measured,
            and restored after it.
        pre_hook: a function (arguments, reset_only=False) that is called before each run that is
            measured. After all these runs it is called once more, with `reset_only=True`. It
            replaces `reset_to_zero` and `restore_value`.
        post_hook: a function (arguments, exception) that is called after each run that is measured.
            It replaces the restoring of `restore_value`.
        warmup: the milliseconds for which all configurations together run before they are measured;
            25 by default.
        rep: the milliseconds for which each configuration is measured; 50 by default. There are at
            least 5 and at most 100 runs of each. Slow configurations are dropped sooner.
        use_cuda_graph: whether to measure launches inside a CUDA graph; needs PyTorch and a GPU.
        do_bench: a function (call, quantiles) that measures a configuration. It returns the
            quantiles of the times in milliseconds. `warmup`, `rep` and `use_cuda_graph` then have
            no effect.
        cache_results: whether to keep the choice in the disk cache for later processes.

    Raises:
        ValueError: `reset_to_zero` or `restore_value` contains a name that no parameter has, or
            `prune_configs_by` has an unknown entry; at a launch: the call and a configuration give
            the same argument.
        TypeError: an argument has the wrong type.
        AutotunerError: at a launch: no configuration is left after pruning; no configuration can
            run; or a CUDA graph is being captured and there is no choice yet.
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
