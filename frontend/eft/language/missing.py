# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton's language has and Eft's does not have yet, so that a kernel which uses it gets an
error that says so."""

from __future__ import annotations

FUNCTIONS = frozenset(
    """
    advance aggregate_replace argmax argmin associative_scan assume atomic_add atomic_and
    atomic_cas atomic_load atomic_max atomic_min atomic_or atomic_poll atomic_store atomic_xchg
    atomic_xor bitonic_merge broadcast cat ceil clamp condition cos cumprod cumsum debug_barrier
    device_assert device_print div_rn dot dot_scaled erf exp2 expect_zero extra fdiv flip
    float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16 floor fma gather histogram
    inline_asm_elementwise interleave join load_tensor_descriptor log2 make_block_ptr
    make_tensor_descriptor map_elementwise max max_constancy max_contiguous min multiple_of
    pair_uniform_to_normal permute philox_impl pi32_t randn randn4x range ravel reduce reduce_or
    reshape rsqrt sigmoid sin slice softmax sort split sqrt_rn squeeze static_assert static_print
    store_tensor_descriptor sum swizzle2d tensor_descriptor tensor_descriptor_type topk trans tuple
    tuple_type umulhi unsqueeze view xor_sum zeros_like """.split()
)

METHODS = frozenset(
    """
    T argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_load atomic_max
    atomic_min atomic_or atomic_poll atomic_store atomic_xchg atomic_xor ceil cos cumprod cumsum erf
    exp2 flip floor gather histogram item log2 logical_and logical_or max min permute ravel reduce
    reduce_or reshape rsqrt sigmoid sin softmax sort split sqrt_rn squeeze sum trans unsqueeze view
    xor_sum """.split()
)


class NotYet:
    """Stands for a function of Triton that Eft does not have yet."""

    def __init__(self, name: str):
        self.__name__ = name

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(self.message)

    @property
    def message(self) -> str:
        return f"tl.{self.__name__} is not supported yet"
