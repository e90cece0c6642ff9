// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python module `eft._compiler`: a small builder of block IR, and the compiler.
//
// In Python, types, attributes, values, locations and regions are opaque objects. Each kernel is
// built in a context of its own, so several threads can compile kernels at once.
#include "frontend/bindings/compiler/Builder.h"
#include "frontend/bindings/compiler/Compile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace eft::bindings;
using eft::Diagnostic, eft::DiagnosticCollector, eft::Position;

namespace {

/// Parses `text` once and remembers the result in `cache`.
template <typename T, typename Parse>
Handle<T> parseCached(const StateRef &state, llvm::StringMap<T> &cache, const std::string &text,
                      Parse parse) {
  T &object = cache[text];
  if (!object) {
    DiagnosticCollector diagnostics(state->context);
    object = parse(text, &state->context);
    if (!object)
      throw irError(diagnostics, "'" + text + "' does not parse");
  }
  return {state, object};
}

Type parseType(const StateRef &state, const std::string &text) {
  return parseCached(state, state->types, text, [](llvm::StringRef source, auto *context) {
    return mlir::parseType(source, context);
  });
}

Attribute parseAttribute(const StateRef &state, const std::string &text) {
  return parseCached(state, state->attributes, text, [](llvm::StringRef source, auto *context) {
    return mlir::parseAttribute(source, context);
  });
}

Module newModule(const StateRef &state) {
  state->modules.push_back(mlir::ModuleOp::create(mlir::UnknownLoc::get(&state->context)));
  return {state, *state->modules.back()};
}

Module parseModule(const StateRef &state, const std::string &text) {
  DiagnosticCollector diagnostics(state->context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &state->context);
  if (!module)
    throw irError(diagnostics, "the module does not parse");
  state->modules.push_back(std::move(module));
  return {state, *state->modules.back()};
}

std::string moduleText(const Module &module, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  mlir::ModuleOp(module.object).print(stream, flags);
  return text;
}

Location fileLocation(const StateRef &state, const std::string &file, unsigned line,
                      unsigned column) {
  return {state, mlir::FileLineColLoc::get(&state->context, file, line, column)};
}

Attribute stringAttribute(const StateRef &state, const std::string &text) {
  return {state, mlir::StringAttr::get(&state->context, text)};
}

Attribute typeAttribute(const Type &type) { return {type.state, mlir::TypeAttr::get(type.object)}; }

std::vector<Value> regionArguments(const Region &region) {
  std::vector<Value> values;
  if (!region.object->empty())
    for (mlir::BlockArgument argument : region.object->front().getArguments())
      values.push_back({region.state, argument});
  return values;
}

/// Turns `IRError` into the Python exception of the same name, which carries the diagnostics.
void addErrors(py::module_ &module) {
  eft::python::translateFailures();
  py::class_<Position>(module, "Position", "A place in a source file.")
      .def_readonly("file", &Position::file)
      .def_readonly("line", &Position::line)
      .def_readonly("column", &Position::column);
  py::class_<Diagnostic>(module, "Diagnostic", "What the compiler reported at one place.")
      .def_readonly("severity", &Diagnostic::severity)
      .def_readonly("text", &Diagnostic::text)
      .def_readonly("positions", &Diagnostic::positions)
      .def_readonly("notes", &Diagnostic::notes);
  static PyObject *type = PyErr_NewExceptionWithDoc(
      "eft._compiler.IRError", "IR that is not right. args: the text, and a list of Diagnostic.",
      nullptr, nullptr);
  module.add_object("IRError", type);
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised)
        std::rethrow_exception(raised);
    } catch (const IRError &error) {
      PyErr_SetObject(type, py::make_tuple(error.what(), error.diagnostics).ptr());
    }
  });
}

void addHandles(py::module_ &module) {
  py::class_<Type>(module, "Type", "A type of the IR.").def("__str__", [](const Type &self) {
    std::string text;
    llvm::raw_string_ostream(text) << self.object;
    return text;
  });
  py::class_<Attribute>(module, "Attribute", "An attribute of the IR.");
  py::class_<Location>(module, "Location", "Where an operation comes from.");
  py::class_<Value>(module, "Value", "What an operation gives, or a block's argument.");
  py::class_<Region>(module, "Region", "A block of operations.")
      .def_property_readonly("arguments", &regionArguments);
  py::class_<Module>(module, "Module", "The functions of one kernel.")
      .def("__str__", [](const Module &self) { return moduleText(self, false); })
      .def("text", &moduleText, py::arg("locations") = false);
}

} // namespace

PYBIND11_MODULE(_compiler, module) {
  module.doc() = "Eft's compiler: a builder of block IR, and what turns it into machine code.";
  addErrors(module);
  addHandles(module);
  py::class_<State, StateRef>(module, "Context", "Where the IR of one kernel lives.")
      .def(py::init<>())
      .def("type", &parseType, py::arg("text"))
      .def("attribute", &parseAttribute, py::arg("text"))
      .def("string", &stringAttribute, py::arg("text"))
      .def("enum", &enumAttribute, py::arg("enumeration"), py::arg("name"))
      .def("module", &newModule)
      .def("parse", &parseModule, py::arg("text"))
      .def("location", &fileLocation, py::arg("file"), py::arg("line"), py::arg("column"));
  py::class_<Builder>(module, "Builder", "Makes operations by name.")
      .def(py::init<const Module &>(), py::arg("module"))
      .def("create", &Builder::create, py::arg("name"), py::arg("operands"), py::arg("results"),
           py::arg("attributes"), py::arg("regions"), py::arg("location"))
      .def("region", &Builder::region, py::arg("arguments"), py::arg("location"))
      .def("enter", &Builder::enter, py::arg("region"))
      .def("enter_module", &Builder::enterModule)
      .def("leave", &Builder::leave);
  module.def("specialize", &specialize, py::arg("module"), py::arg("specials"));
  module.def("type_attribute", &typeAttribute, py::arg("type"));
  module.def("integer", &integerAttribute, py::arg("type"), py::arg("bits"));
  module.def("float", &floatAttribute, py::arg("type"), py::arg("value"));
  module.def("splat", &splatAttribute, py::arg("type"), py::arg("element"));
  addCompileFunctions(module);
}
