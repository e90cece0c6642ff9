// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python functions that run the compiler. Compiling, the address analysis and loading release
// the GIL while they work.
#include "frontend/bindings/compiler/Compile.h"

#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/PrintPasses.h"
#include "frontend/bindings/compiler/State.h"
#include "frontend/bindings/compiler/Waiting.h"

#include "llvm/Config/llvm-config.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace eft::bindings {

namespace {

Target parseTarget(const std::string &text) { return python::unwrap(Target::parse(text)); }

Compiled compileModule(const Module &module, const std::string &target, unsigned numWarps,
                       unsigned numStages, bool keepStages, unsigned maxRegisters, bool stoppable,
                       const std::string &printIR, bool lines, bool allGrids) {
  Target parsed = parseTarget(target);
  CompileOptions options;
  options.numWarps = numWarps;
  options.numStages = numStages;
  options.maxRegisters = maxRegisters;
  options.keepStages = keepStages;
  options.lines = lines;
  options.allGrids = allGrids;
  CompileObserver observer;
  if (!printIR.empty()) {
    observer.watchPasses = [printed = python::unwrap(PrintedPasses::parse(printIR))](
                               mlir::PassManager &passes) { printed.watch(passes); };
  }
  auto shared = std::make_shared<CompileObserver>(std::move(observer));
  return compute<Compiled>([=](const std::atomic<bool> &isAbandoned) {
    DiagnosticCollector diagnostics(module.state->context);
    mlir::FailureOr<Compiled> compiled =
        eft::compile(module.object, parsed, options, {&isAbandoned, stoppable}, shared.get());
    if (failed(compiled))
      throw irError(diagnostics, "the compiler failed without a diagnostic");
    return std::move(*compiled);
  });
}

using NumbersAndBytes = std::vector<std::pair<unsigned, unsigned>>;

NumbersAndBytes findAddressParameters(const Module &module) {
  return compute<NumbersAndBytes>([=](const std::atomic<bool> &) {
    DiagnosticCollector diagnostics(module.state->context);
    auto parameters = eft::addressParameters(module.object);
    if (failed(parameters))
      throw irError(diagnostics, "the address analysis failed without a diagnostic");
    NumbersAndBytes result;
    for (AddressParameter parameter : *parameters)
      result.emplace_back(parameter.number, parameter.elementBytes);
    return result;
  });
}

std::vector<std::string> findHostFeatures(const std::string &target) {
  auto features = eft::hostFeatures(parseTarget(target));
  if (!features)
    throw python::mistake(llvm::toString(features.takeError()));
  return *features;
}

std::string describeHost(const std::string &text) {
  Target target = parseTarget(text);
  auto missing = eft::missingFeature(target);
  if (!missing)
    throw python::mistake(llvm::toString(missing.takeError()));
  if (!missing->empty())
    throw python::mistake("this machine lacks the CPU's feature '" + *missing + "'");
  return hostCpuDescription(target);
}

std::string targetName(const std::string &text) { return parseTarget(text).name(); }

uintptr_t loadObject(const std::string &object, const std::string &name,
                     const HostSymbols &symbols) {
  llvm::Expected<uintptr_t> address = eft::loadHostObject(object, name, symbols);
  if (address)
    return *address;
  bool isMistake = false;
  std::string words;
  llvm::handleAllErrors(address.takeError(), [&](const llvm::ErrorInfoBase &error) {
    isMistake |= error.convertToErrorCode() == std::errc::invalid_argument;
    words += (words.empty() ? "" : "\n") + error.message();
  });
  if (isMistake) // of the environment, not of the compiler that made the object
    throw python::mistake(words);
  throw IRError(words);
}

py::tuple linkObject(const std::string &object, const std::string &name) {
  llvm::Expected<LinkedObject> linked = eft::linkHostObject(object, name);
  if (!linked)
    throw IRError(llvm::toString(linked.takeError()));
  py::list addresses;
  for (const LinkedObject::Address &each : linked->addresses)
    addresses.append(py::make_tuple(each.offset, each.symbol, each.addend));
  return py::make_tuple(py::bytes(linked->code), linked->entry, addresses);
}

} // namespace

void addCompileFunctions(py::module_ &module) {
  py::class_<Compiled>(module, "Compiled", "What `compile` made.")
      .def_readonly("name", &Compiled::name)
      .def_readonly("num_warps", &Compiled::numWarps)
      .def_readonly("shared_bytes", &Compiled::sharedBytes)
      .def_readonly("programs_per_block", &Compiled::programsPerBlock)
      .def_property_readonly("max_programs",
                             [](const Compiled &self) {
                               const auto [x, y, z] = self.maxPrograms;
                               return py::make_tuple(x, y, z);
                             })
      .def_property_readonly("binary", [](const Compiled &self) { return py::bytes(self.binary); })
      .def_property_readonly("stages", [](const Compiled &self) {
        py::dict stages;
        for (const auto &[name, text] : self.stages)
          stages[py::str(name)] = text;
        return stages;
      });
  module.def(
      "compile", &compileModule, py::arg("module"), py::arg("target"), py::arg("num_warps") = 4,
      py::arg("num_stages") = 3, py::arg("keep_stages") = true, py::arg("max_registers") = 0,
      py::arg("stoppable") = false, py::arg("print_ir") = "", py::arg("lines") = true,
      py::arg("all_grids") = true,
      "Compiles a clone of the module for a target such as 'cuda:90' or 'cpu'. A GPU's thread "
      "gets at most `max_registers` registers, if it is not 0. With `stoppable`, code for the host "
      "ends early where its launch asks for that. `print_ir` is what EFT_PRINT_IR may be, and goes "
      "to standard error. With `lines`, the code says which line each instruction is from. "
      "Without `all_grids` it may be right only for launches of up to `max_programs`.");
  module.def("address_parameters", &findAddressParameters, py::arg("module"),
             "The kernel's integer arguments that reach an address: the number of each, and the "
             "bytes of the smallest elements there.");
  module.def(
      "load_host_object",
      [](const py::bytes &object, const std::string &name, const HostSymbols &symbols) {
        std::string bytes = object;
        py::gil_scoped_release released;
        return loadObject(bytes, name, symbols);
      },
      py::arg("object"), py::arg("name"), py::arg("symbols") = HostSymbols(),
      "Loads machine code for this host and gives the address of the function `name` in it.\n"
      "`symbols` are pairs of names and addresses of functions that it may call.");
  module.def(
      "link_host_object", &linkObject, py::arg("object"), py::arg("name"),
      "Links machine code for this host, as far as its function `name` needs it, for\n"
      "`_runtime.load_code`: the code, the function's offset in it, and the places that are\n"
      "to hold addresses, as tuples of an offset, a symbol and an addend.");
  module.def("target_name", &targetName, py::arg("text"),
             "Returns the one name of a target that may be called in several ways: 'cuda:90' for\n"
             "'sm_90'. Raises ValueError if there is no such target.");
  module.def("host_features", &findHostFeatures, py::arg("target"),
             "LLVM's names of the features that code for a target such as 'host:x86-64-v3' may "
             "use. Raises ValueError for a CPU or a feature that LLVM doesn't know.");
  module.def("host_description", &describeHost, py::arg("target") = "host",
             "The CPU that a host target means, and its features: what machine code depends on. "
             "Raises ValueError for one whose code this machine can't run.");
  module.attr("llvm_version") = LLVM_VERSION_STRING;
}

} // namespace eft::bindings
