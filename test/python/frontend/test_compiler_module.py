# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`_compiler`: wrong IR raises an exception with the verifier's message, and never crashes."""

import gc

import pytest
from eft import _compiler


@pytest.fixture
def context():
    return _compiler.Context()


@pytest.fixture
def builder(context):
    return _compiler.Builder(context.module())


@pytest.fixture
def location(context):
    return context.location("kernel.py", 3, 7)


def constant(context, builder, location, type="f32"):
    type = context.type(type)
    attributes = [("value", _compiler.float(type, 1.5))]
    return builder.create("arith.constant", [], [type], attributes, [], location)[0]


def test_an_operation_that_does_not_verify(context, builder, location):
    x = constant(context, builder, location)
    with pytest.raises(_compiler.IRError) as raised:
        builder.create("arith.addf", [x, x], [context.type("f64")], [], [], location)
    text, diagnostics = raised.value.args
    assert text == "'arith.addf' op requires the same type for all operands and results"
    (diagnostic,) = diagnostics
    assert (diagnostic.severity, diagnostic.text) == ("error", text)
    (position,) = diagnostic.positions
    assert (position.file, position.line, position.column) == ("kernel.py", 3, 7)


@pytest.mark.parametrize(
    "name, message",
    [
        ("nothing.at_all", "unknown operation 'nothing.at_all'"),
        ("arith.addf", "'arith.addf' op requires one result"),
        ("arith.constant", "'arith.constant' op requires one result"),
        ("eft.philox", "'eft.philox' op expected 4 results"),
        ("eft.store", "'eft.store' op expected 2 or more operands, but found 0"),
        ("scf.for", "'scf.for' op requires one region"),
        ("func.func", "'func.func' op requires one region"),
    ],
)
def test_an_operation_without_its_parts(builder, location, name, message):
    with pytest.raises(_compiler.IRError) as raised:
        builder.create(name, [], [], [], [], location)
    assert raised.value.args[0] == message


def test_the_ir_is_as_it_was_after_an_error(context, builder, location):
    module = context.module()
    builder = _compiler.Builder(module)
    x = constant(context, builder, location)
    before = str(module)
    with pytest.raises(_compiler.IRError):
        builder.create("arith.addf", [x], [context.type("f32")], [], [], location)
    assert str(module) == before


def test_text_that_does_not_parse(context):
    with pytest.raises(_compiler.IRError, match="expected non-function type"):
        context.type("tensor<4x")
    with pytest.raises(_compiler.IRError, match="invalid SSA name"):
        context.attribute("%")
    with pytest.raises(_compiler.IRError) as raised:
        context.parse("func.func @f( {")
    assert raised.value.args[1][0].positions[0].line == 1


def test_regions_become_part_of_their_operation(context, location):
    module = context.module()
    builder = _compiler.Builder(module)
    f32 = context.type("f32")
    body = builder.region([f32], location)
    builder.enter(body)
    (x,) = body.arguments
    branches = [builder.region([], location), builder.region([], location)]
    for branch in branches:
        builder.enter(branch)
        builder.create("scf.yield", [x], [], [], [], location)
        builder.leave()
    truth = context.type("i1")
    attributes = [("value", _compiler.integer(truth, 1))]
    (condition,) = builder.create("arith.constant", [], [truth], attributes, [], location)
    (chosen,) = builder.create("scf.if", [condition], [f32], [], branches, location)
    builder.create("func.return", [chosen], [], [], [], location)
    builder.leave()
    signature = _compiler.type_attribute(context.type("(f32) -> (f32)"))
    attributes = [("sym_name", context.string("f")), ("function_type", signature)]
    builder.create("func.func", [], [], attributes, [body], location)
    assert "scf.if %true -> (f32)" in str(module)
    with pytest.raises(ValueError, match="the region belongs to an operation already"):
        builder.enter(body)


def test_a_wrong_region_is_given_back(context, builder, location):
    body = builder.region([], location)
    signature = _compiler.type_attribute(context.type("(f32) -> ()"))
    attributes = [("sym_name", context.string("f")), ("function_type", signature)]
    with pytest.raises(_compiler.IRError, match="entry block must have 1 arguments"):
        builder.create("func.func", [], [], attributes, [body], location)
    builder.enter(body)


def test_leaving_what_was_not_entered(builder):
    with pytest.raises(ValueError, match="no region was entered"):
        builder.leave()


def test_contexts_do_not_mix(context, builder, location):
    other = _compiler.Context()
    x = constant(context, builder, location)
    with pytest.raises(ValueError, match="an object of another context was used"):
        _compiler.Builder(other.module()).create(
            "arith.negf", [x], [other.type("f32")], [], [], other.location("a.py", 1, 1)
        )


def test_constants(context):
    with pytest.raises(ValueError, match="the type of an integer constant must be an integer"):
        _compiler.integer(context.type("f32"), 1)
    with pytest.raises(ValueError, match="the type of a float constant must be a float"):
        _compiler.float(context.type("i32"), 1.0)
    block = context.type("tensor<4xf32>")
    one = _compiler.integer(context.type("i32"), 1)
    with pytest.raises(ValueError, match="a splat needs a block type"):
        _compiler.splat(block, one)


def test_enumerations_go_by_name(context, location):
    module = context.module()
    builder, i32, i1 = _compiler.Builder(module), context.type("i32"), context.type("i1")
    axis = context.enum("Axis", "z")
    x = builder.create("eft.program_id", [], [i32], [("axis", axis)], [], location)[0]
    predicate = context.enum("CmpIPredicate", "ugt")
    builder.create("arith.cmpi", [x, x], [i1], [("predicate", predicate)], [], location)
    assert "eft.program_id z" in str(module) and "arith.cmpi ugt" in str(module)


def test_enumerations_that_are_not_there(context):
    with pytest.raises(ValueError, match="unknown enumeration 'Colour'"):
        context.enum("Colour", "red")
    with pytest.raises(ValueError, match="'Axis' has no case 'w'"):
        context.enum("Axis", "w")


def test_what_is_dropped_in_any_order(location):
    context = _compiler.Context()
    builder = _compiler.Builder(context.module())
    location = context.location("a.py", 1, 1)
    x = constant(context, builder, location)
    type = context.type("f32")
    del context
    gc.collect()
    assert str(type) == "f32"
    builder.create("arith.negf", [x], [type], [], [], location)
    del builder, x
    gc.collect()
    assert str(type) == "f32"


def test_an_unknown_target(context):
    with pytest.raises(ValueError):
        _compiler.compile(context.module(), "tpu")


def test_a_module_without_a_kernel(context):
    with pytest.raises(_compiler.IRError, match="has no public function to compile"):
        _compiler.compile(context.module(), "cpu")


def test_a_compile_error_has_its_place(context):
    module = context.parse('func.func @f() { return } loc("k.py":1:2)\nfunc.func @g() { return }')
    with pytest.raises(_compiler.IRError, match="is a second public function"):
        _compiler.compile(module, "cpu")


def test_an_object_that_is_none():
    with pytest.raises(_compiler.IRError):
        _compiler.load_host_object(b"no object", "f")
