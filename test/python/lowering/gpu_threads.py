# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A simulator of one thread block in lockstep: a value is an array with an entry per thread.

The simulator runs lowered code without a GPU, and finds errors that a GPU does not report: a read
of shared memory without a barrier after another thread's write, a misaligned access, and a shuffle,
reduction or barrier that not all threads reach.
"""

from __future__ import annotations

import re

import numpy as np
from gpu_program import Operation, read_kernel

TYPES = {
    "i1": np.bool_,
    "i8": np.uint8,
    "i16": np.uint16,
    "i32": np.uint32,
    "i64": np.uint64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
LANES = 32
NOBODY, MANY = -1, -2


def element_of(text: str) -> tuple[np.dtype, int]:
    """The element type and the number of elements of a vector type or scalar type."""
    vector = re.match(r"vector<(\d+)x(\w+)>", text)
    name, count = (vector[2], int(vector[1])) if vector else (text, 1)
    return np.dtype(TYPES[name]), count


def segments_of(operation) -> list[int]:
    """The number of operands in each of an operation's operand segments."""
    sizes = re.search(r"operandSegmentSizes = array<i32: ([^>]*)>", operation.attributes)[1]
    return [int(size) for size in sizes.split(",")]


def signed(array: np.ndarray) -> np.ndarray:
    return array.view(np.dtype(f"i{array.dtype.itemsize}"))


class Shared:
    """Shared memory, with the threads that have accessed each byte since the last barrier."""

    def __init__(self, size: int):
        self.bytes = np.zeros(size, np.uint8)
        self.forget()

    def forget(self):
        """Forgets all accesses, since all threads have reached a barrier."""
        self.writer = np.full(self.bytes.size, NOBODY)
        self.reader = np.full(self.bytes.size, NOBODY)

    def touch(self, places: np.ndarray, threads: np.ndarray, writes: bool):
        """Records that each thread accesses its row of `places` at once. Checks for races."""
        assert self.is_own(self.writer[places], threads).all(), "another wrote here: no barrier"
        if writes:
            assert self.is_own(self.reader[places], threads).all(), "another reads: no barrier"
            self.writer[places] = threads
            assert (self.writer[places] == threads).all(), "two threads write one byte"
            return
        readers = np.where(self.is_own(self.reader[places], threads), threads, MANY)
        self.reader[places] = readers
        self.reader[places[self.reader[places] != readers]] = MANY

    @staticmethod
    def is_own(owners: np.ndarray, threads: np.ndarray) -> np.ndarray:
        return (owners == NOBODY) | (owners == threads)


class Threads:
    """Runs a kernel in `count` threads. Global addresses are indices of `memory`'s bytes."""

    def __init__(self, count: int, memory: np.ndarray):
        self.count, self.memory = count, memory
        self.number = np.arange(count, dtype=np.uint32)
        self.executed: dict[str, int] = {}

    def run(self, text: str, arguments: list[int]):
        size = re.search(r"eft\.shared_bytes = (\d+)", text)
        self.shared = Shared(int(size[1]) if size else 0)
        names, operations = read_kernel(text)
        values = {
            # A uint32 is a scalar argument, and any other integer is an address.
            name: np.full(self.count, value, np.uint32 if type(value) is np.uint32 else np.uint64)
            for name, value in zip(names, arguments, strict=True)
        }
        self.block(operations, values, np.ones(self.count, bool))

    def block(self, operations: list[Operation], values: dict, active: np.ndarray) -> list:
        """Runs the operations of a region, and returns the values that it yields."""
        for operation in operations:
            operands = [values[name] for name in operation.operands]
            if operation.name in ("scf.yield", "func.return"):
                return operands
            self.executed[operation.name] = self.executed.get(operation.name, 0) + 1
            if operation.name == "scf.if":
                results = self.choose(operation, operands[0], values, active)
            elif operation.name == "scf.for":
                results = self.repeat(operation, operands, values, active)
            else:
                method = operation.name.replace(".", "_")
                step = getattr(self, method, None) or self.elementwise
                results = step(operation, operands, active)
            values.update(zip(operation.results, results or [], strict=True))
        return []

    def choose(self, operation, condition, values, active) -> list:
        sides = []
        for (_, body), side in zip(operation.regions, (condition, ~condition), strict=True):
            sides.append(self.block(body, dict(values), active & side))
        return (
            [
                np.where(condition.reshape(-1, *[1] * (yes.ndim - 1)), yes, no)
                for yes, no in zip(*sides, strict=True)
            ]
            if sides[1:]
            else []
        )

    def repeat(self, operation, operands, values, active) -> list:
        """Runs a loop. Checks that all threads have the same bounds."""
        first, end, step = (int(bound[0]) for bound in operands[:3])
        assert all((bound == bound[0]).all() for bound in operands[:3])
        ((names, body),) = operation.regions
        carried = operands[3:]
        for counter in range(first, end, step):
            arguments = [np.full(self.count, counter, np.uint32), *carried]
            inside = {**values, **dict(zip(names, arguments, strict=True))}
            carried = self.block(body, inside, active)
        return carried

    # Threads

    def nvvm_read_ptx_sreg_tid_x(self, operation, operands, active):
        return [self.number]

    def nvvm_barrier0(self, operation, operands, active):
        assert active.all(), "a barrier that not all threads reach"
        self.shared.forget()

    def nvvm_shfl_sync(self, operation, operands, active):
        assert active.all(), "a shuffle that not all threads reach"
        everybody, value, lane, last = operands
        assert (everybody == 0xFFFFFFFF).all() and (last == LANES - 1).all()
        if "bfly" in operation.attributes:
            lane = self.number % LANES ^ lane
        assert (lane < LANES).all()
        return [value[self.number // LANES * LANES + lane]]

    def nvvm_redux_sync(self, operation, operands, active):
        assert active.all(), "a reduction that not all threads reach"
        value, everybody = operands
        assert (everybody == 0xFFFFFFFF).all()
        kind = re.search(r"redux_kind (\w+)", operation.attributes)[1]
        combine = {"add": np.add, "and": np.bitwise_and, "or": np.bitwise_or}
        combine |= {"xor": np.bitwise_xor, "max": np.maximum, "min": np.minimum}
        words = (signed(value) if kind in ("max", "min") else value).reshape(-1, LANES)
        result = combine[kind.removeprefix("u")].reduce(words, axis=1, dtype=words.dtype)
        return [np.repeat(result, LANES).view(value.dtype)]

    # Matrices

    def llvm_call_intrinsic(self, operation, operands, active):
        """Computes mma.sync.m16n8kK.row.col, where K is 4 or 8 words of 32 bits."""
        assert active.all(), "a product that not all threads reach"
        intrinsic = re.search(r"llvm\.nvvm\.mma\.m16n8k\d+\.row\.col", operation.attributes)
        assert intrinsic, operation.attributes
        *words, c0, c1, c2, c3 = operands
        words = [np.ascontiguousarray(word).view(np.uint32).reshape(-1, LANES) for word in words]
        first, second = words[: len(words) * 2 // 3], words[len(words) * 2 // 3 :]
        element = np.float16 if c0.dtype == np.float32 else np.int8
        sums = [np.empty_like(c0.reshape(-1, LANES)) for _ in range(4)]
        for warp in range(self.count // LANES):
            # Lane 4 i + j has word j of row i of the first factor, or of column i of the second.
            rows = [word[warp].reshape(8, 4) for word in first]
            upper, lower = np.hstack(rows[0::2]), np.hstack(rows[1::2])
            a = np.ascontiguousarray(np.vstack([upper, lower])).view(element)
            b = np.hstack([word[warp].reshape(8, 4) for word in second])
            product = a.astype(c0.dtype) @ np.ascontiguousarray(b).view(element).astype(c0.dtype).T
            for number, total in enumerate(sums):
                half = product[number // 2 * 8 :][:8]
                total[warp] = half[:, number % 2 :: 2].ravel()
        added = [c + total.ravel() for c, total in zip((c0, c1, c2, c3), sums, strict=True)]
        return [np.stack(added, 1)]

    def llvm_extractvalue(self, operation, operands, active):
        position = int(re.search(r"position = array<i64: (\d+)>", operation.attributes)[1])
        return [operands[0][:, position]]

    # Memory

    def nvvm_ldmatrix(self, operation, operands, active):
        assert active.all(), "a matrix load that not all threads reach"
        count = int(re.search(r"num = (\d+)", operation.attributes)[1])
        is_transposed = "col" in operation.attributes
        matrices = []
        for matrix in range(count):
            reads = self.number % LANES // 8 == matrix
            _, places = self.places(operation, operands[0], "<3>", 16, reads, writes=False)
            halves = self.shared.bytes[places].view(np.uint16).reshape(-1, 8, 8)
            if is_transposed:
                halves = halves.transpose(0, 2, 1)
            matrices.append(np.ascontiguousarray(halves).view(np.uint32).reshape(-1))
        return [np.stack(matrices, 1) if count > 1 else matrices[0]]

    def llvm_mlir_addressof(self, operation, operands, active):
        return [np.zeros(self.count, np.int64)]

    def llvm_inttoptr(self, operation, operands, active):
        return [operands[0].astype(np.int64)]

    def llvm_getelementptr(self, operation, operands, active):
        element = re.search(r"elem_type = (\w+)", operation.attributes)[1]
        constant = re.search(r"rawConstantIndices = array<i32: (-?\d+)>", operation.attributes)[1]
        index = signed(operands[1]).astype(np.int64) if operands[1:] else int(constant)
        return [operands[0] + index * np.dtype(TYPES[element]).itemsize]

    def places(self, operation, addresses, pointer_type, size, active, writes):
        """The memory (shared or global), and for each active thread the bytes that it accesses."""
        is_shared = "<3>" in pointer_type
        alignment = re.search(r"alignment = (\d+)", operation.attributes)
        assert (addresses[active] % int(alignment[1] if alignment else size) == 0).all()
        places = addresses[active, None] + np.arange(size)
        if is_shared:
            self.shared.touch(places, self.number[active, None].astype(int), writes)
        return (self.shared.bytes if is_shared else self.memory), places

    def llvm_load(self, operation, operands, active):
        element, count = element_of(operation.result_types[0])
        kind, size = operation.operand_types[0], element.itemsize * count
        memory, places = self.places(operation, operands[0], kind, size, active, writes=False)
        loaded = np.zeros((self.count, size), np.uint8)
        loaded[active] = memory[places]
        loaded = loaded.view(element)
        return [loaded if count > 1 else loaded[:, 0]]

    def llvm_store(self, operation, operands, active):
        value, addresses = operands
        stored = np.ascontiguousarray(value).view(np.uint8).reshape(self.count, -1)
        kind, size = operation.operand_types[1], stored.shape[1]
        memory, places = self.places(operation, addresses, kind, size, active, writes=True)
        memory[places] = stored[active]

    def eft_thread_load(self, operation, operands, active):
        """Loads words. Where the condition is false, the result is the last operand, or zero."""
        element, count = element_of(operation.result_types[0])
        has = segments_of(operation)
        loaded = np.zeros((self.count, count), element)
        if has[2]:
            loaded = np.array(operands[-1]).reshape(self.count, count)
        where = active & operands[1] if has[1] else active
        rows = loaded.view(np.uint8)
        rows[where] = self.memory[self.global_places(operands[0], where, rows.shape[1])]
        return [loaded if count > 1 else loaded[:, 0]]

    def eft_thread_store(self, operation, operands, active):
        addresses, words, *condition = operands
        where = active & condition[0] if condition else active
        rows = np.ascontiguousarray(words).view(np.uint8).reshape(self.count, -1)
        self.memory[self.global_places(addresses, where, rows.shape[1])] = rows[where]
        return []

    def global_places(self, addresses, active, size):
        """For each active thread, the addresses of the `size` bytes that it accesses."""
        assert (addresses[active] % size == 0).all(), "a misaligned access"
        assert ((addresses[active] >= 0) & (addresses[active] < self.memory.size)).all()
        return addresses[active, None] + np.arange(size)

    def llvm_intr_expect(self, operation, operands, active):
        return operands[:1]

    llvm_intr_expect_with_probability = llvm_intr_expect

    # Values

    def arith_remsi(self, operation, operands, active):
        assert (operands[1] != 0).all(), "a division by zero"
        remainder = np.fmod(*(signed(each).astype(np.int64) for each in operands))
        return [remainder.astype(operands[0].dtype)]

    def arith_divsi(self, operation, operands, active):
        dividend, divisor = (signed(each).astype(np.int64) for each in operands)
        remainder = self.arith_remsi(operation, operands, active)[0]
        quotient = (dividend - signed(remainder)) // divisor
        return [quotient.astype(operands[0].dtype)]

    def arith_constant(self, operation, operands, active):
        kind = operation.result_types[0]
        text = re.search(r"value = ([^:>]+?)(?: :|}|>)", operation.attributes)[1]
        if kind == "i1":
            return [np.full(self.count, text in ("true", "1", "-1"))]
        value = float(text) if kind[0] == "f" else np.int64(int(text)).astype(TYPES[kind])
        return [np.full(self.count, value, TYPES[kind])]

    def llvm_mlir_undef(self, operation, operands, active):
        element, count = element_of(operation.result_types[0])
        return [np.zeros((self.count, count), element)]

    def llvm_insertelement(self, operation, operands, active):
        vector = operands[0].copy()
        vector[self.number, operands[2].astype(int)] = operands[1]
        return [vector]

    def llvm_extractelement(self, operation, operands, active):
        vector = operands[0].reshape(self.count, -1)  # a scalar becomes a vector of one element
        return [vector[self.number, operands[1].astype(int)]]

    def llvm_bitcast(self, operation, operands, active):
        element, count = element_of(operation.result_types[0])
        bits = np.ascontiguousarray(operands[0]).reshape(self.count, -1).view(element)
        return [bits if count > 1 else bits[:, 0]]

    arith_bitcast = llvm_bitcast

    def arith_cmpi(self, operation, operands, active):
        predicate = int(re.search(r"predicate = (\d+)", operation.attributes)[1])
        a, b = map(signed, operands) if 2 <= predicate <= 5 else operands
        compare = [np.equal, np.not_equal] + 2 * [
            np.less, np.less_equal, np.greater, np.greater_equal,
        ]  # fmt: skip
        return [compare[predicate](a, b)]

    def arith_trunci(self, operation, operands, active):
        kind = operation.result_types[0]
        return [operands[0] & 1 == 1 if kind == "i1" else operands[0].astype(TYPES[kind])]

    def arith_extsi(self, operation, operands, active):
        return [signed(operands[0]).astype(np.int64).astype(TYPES[operation.result_types[0]])]

    def elementwise(self, operation, operands, active):
        """Computes an elementwise operation by a function of NumPy or of one line."""
        functions = {
            "arith.extui": lambda a: a,
            "arith.select": np.where,
            "arith.addi": np.add,
            "arith.subi": np.subtract,
            "arith.muli": np.multiply,
            "arith.maxsi": lambda a, b: np.maximum(signed(a), signed(b)).view(a.dtype),
            "arith.minsi": lambda a, b: np.minimum(signed(a), signed(b)).view(a.dtype),
            "arith.maxui": np.maximum,
            "arith.minui": np.minimum,
            "arith.andi": np.bitwise_and,
            "arith.ori": np.bitwise_or,
            "arith.xori": np.bitwise_xor,
            "arith.shli": np.left_shift,
            "arith.shrui": np.right_shift,
            "arith.addf": np.add,
            "arith.mulf": np.multiply,
            "arith.cmpf": np.greater,  # the only predicate in the tests
            "math.ctpop": np.bitwise_count,
            "math.fma": lambda a, b, c: a * b + c,  # exact for small integers
        }
        kind = TYPES[operation.result_types[0]]
        return [functions[operation.name](*operands).astype(kind)]
