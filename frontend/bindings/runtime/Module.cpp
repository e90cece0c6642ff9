// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension module eft._runtime: launches, devices and the disk cache. It opens the CUDA driver
// only at the first use of a GPU.
#include "frontend/bindings/Failure.h"
#include "frontend/bindings/MainThread.h"
#include "frontend/bindings/runtime/DescriptorReader.h"
#include "frontend/bindings/runtime/KernelType.h"
#include "frontend/bindings/runtime/LoadedKernel.h"
#include "frontend/bindings/runtime/ReadArray.h"
#include "frontend/bindings/runtime/Signals.h"
#include "frontend/bindings/runtime/Signature.h"
#include "frontend/bindings/runtime/Stream.h"
#include "runtime/cache/CodeFiles.h"
#include "runtime/cache/DiskCache.h"
#include "runtime/cpu/HostCalls.h"
#include "runtime/cpu/LoadCode.h"
#include "runtime/cuda/Event.h"
#include "runtime/cuda/Linker.h"
#include "runtime/device/Host.h"
#include "runtime/device/Processor.h"

#include <pybind11/pybind11.h>

namespace py = pybind11;
using namespace py::literals;

namespace eft::python {
namespace {

py::bytes linkPtx(int device, const std::string &ptx, const std::string &name) {
  const cuda::Gpu *gpu = unwrap(cuda::gpu(device));
  auto cubin = [&] {
    py::gil_scoped_release release;
    return cuda::linkPtx(*gpu, ptx, name);
  }();
  return py::bytes(unwrap(std::move(cubin)));
}

py::dict deviceProperties(int device) {
  const cuda::Gpu *gpu = unwrap(cuda::gpu(device));
  const cuda::GpuProperties &facts = gpu->properties();
  return py::dict("name"_a = facts.name, "target"_a = gpu->target(),
                  "compute_capability"_a = py::make_tuple(facts.major, facts.minor),
                  "driver_version"_a = py::make_tuple(gpu->driver().version() / 1000,
                                                      gpu->driver().version() % 1000 / 10),
                  "max_grid"_a = py::make_tuple(facts.maxGrid.x, facts.maxGrid.y, facts.maxGrid.z),
                  "multiprocessor_count"_a = facts.multiprocessors,
                  "clock_rate_khz"_a = facts.clockRateKilohertz,
                  "memory_clock_khz"_a = facts.memoryClockKilohertz,
                  "memory_bus_bits"_a = facts.memoryBusBits, "l2_cache_size"_a = facts.l2CacheBytes,
                  "max_shared_memory"_a = facts.maxSharedPerBlock,
                  "max_registers_per_block"_a = facts.maxRegistersPerBlock,
                  "total_memory"_a = facts.totalMemory);
}

// Waits for a GPU with the GIL released. In the main thread the handlers of signals run during the
// wait, and a handler that raises ends it.
template <typename Wait> void waitWith(Wait wait) {
  SignalInterruption interruption;
  interruption.giveGil();
  Status status = wait(isMainThread() ? &interruption : nullptr);
  interruption.takeGil();
  if (interruption.hasRaised())
    throw py::error_already_set();
  unwrap(std::move(status));
}

void synchronize(int device) {
  const cuda::Gpu *gpu = unwrap(cuda::gpu(device));
  waitWith([&](Interruption *interruption) { return gpu->synchronize(interruption); });
}

uint64_t currentStream(int device) {
  uint64_t stream = 0;
  if (!StreamChoice().find(device, stream))
    throw py::error_already_set();
  return stream;
}

// Passes a warning of the disk cache to Python's `warnings`, where users can filter it.
void passWarning() {
  std::string warning = cache::DiskCache::process().takeWarning();
  if (!warning.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, warning.c_str(), 1) != 0)
    throw py::error_already_set();
}

py::object cacheGet(const std::string &key) {
  auto bytes = [&] {
    py::gil_scoped_release release;
    return cache::DiskCache::process().get(key);
  }();
  passWarning();
  return bytes ? py::object(py::bytes(*bytes)) : py::none();
}

std::string cachePut(const std::string &key, py::bytes bytes) {
  std::string_view view = bytes;
  std::string reason = [&] {
    py::gil_scoped_release release;
    return cache::DiskCache::process().put(key, view);
  }();
  passWarning();
  return reason;
}

py::list cacheFiles() {
  auto files = [&] {
    py::gil_scoped_release release;
    return cache::DiskCache::process().files();
  }();
  passWarning();
  py::list result;
  for (const cache::FileFacts &file : files)
    result.append(py::make_tuple(file.name, file.bytes, static_cast<double>(file.lastUse) / 1e9));
  return result;
}

py::object cacheInspect(const std::string &file) {
  auto entry = [&] {
    py::gil_scoped_release release;
    return cache::DiskCache::process().inspect(file);
  }();
  if (!entry)
    return py::none();
  return py::make_tuple(py::bytes(entry->key), py::bytes(entry->bytes));
}

void cacheRemove(const std::string &file) {
  if (cache::DiskCache::process().remove(file))
    return;
  PyErr_SetFromErrnoWithFilename(PyExc_OSError, file.c_str());
  throw py::error_already_set();
}

std::unique_ptr<const cuda::Event> makeEvent(int device) {
  return unwrap(cuda::Event::create(*unwrap(cuda::gpu(device))));
}

void recordEvent(const cuda::Event &event, py::object stream) {
  uint64_t number =
      stream.is_none() ? currentStream(event.gpu().ordinal()) : stream.cast<uint64_t>();
  unwrap(event.record(reinterpret_cast<cuda::StreamHandle>(number)));
}

void synchronizeEvent(const cuda::Event &event) {
  waitWith([&](Interruption *interruption) { return event.synchronize(interruption); });
}

// Checks the options of a call by the rules of a launch, and returns them as _compile receives
// them.
py::object readOptions(const std::string &kernel, const py::dict &given) {
  Options options;
  for (auto [name, value] : given) {
    int set = setOption(kernel, name.ptr(), value.ptr(), options);
    if (set == 0)
      raise(PyExc_TypeError, "kernel '" + kernel + "' has no option " + describe(name.ptr()));
    if (set <= 0)
      throw py::error_already_set();
  }
  Ref dict = options.toDict();
  if (!dict)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(dict.release());
}

// The type of MISSING, which means "no default", because None may be a default.
struct Missing {};

void addMissing(py::module_ &module) {
  py::class_<Missing>(module, "MissingType", "The type of MISSING.")
      .def("__repr__", [](const Missing &) { return "MISSING"; });
  py::object missing = py::cast(Missing());
  missingDefault = missing.inc_ref().ptr();
  module.attr("MISSING") = missing;
}

py::list hostSymbols() {
  py::list symbols;
  for (const HostSymbol &symbol : eft::hostSymbols())
    symbols.append(py::make_tuple(symbol.name, symbol.address));
  return symbols;
}

uintptr_t loadCode(const py::bytes &code, uint64_t entry, const py::list &addresses) {
  std::vector<cpu::CodeAddress> all;
  for (const py::handle &each : addresses) {
    auto [offset, symbol, addend] = py::cast<std::tuple<uint64_t, std::string, int64_t>>(each);
    all.push_back({offset, std::move(symbol), addend});
  }
  return reinterpret_cast<uintptr_t>(unwrap(cpu::loadCode(code, entry, all)));
}

void addFunctions(py::module_ &module) {
  module.def(
      "load_code", loadCode, "code"_a, "entry"_a, "addresses"_a,
      "Loads code of the host that `_compiler.link_host_object` has linked, which gives the\n"
      "arguments, and returns the address of its function. The code stays for the life of\n"
      "the process. Raises ValueError if it calls a function that is not there.");
  module.def("processor_description", processorDescription,
             "Returns what the processor says of its model and its features.");
  module.def("host_symbols", hostSymbols,
             "Returns the functions that code on the host may call, as pairs of names and "
             "addresses.");
  module.def(
      "link_ptx", linkPtx, "device"_a, "ptx"_a, "name"_a,
      "Returns the cubin of a kernel's PTX for a GPU, by the driver's own linker: code to look\n"
      "at. It compiles as part of a larger program would be, so it may need more registers than\n"
      "what load_cuda makes of the PTX. A CudaError carries the linker's log.");
  module.def(
      "device_count", [] { return unwrap(cuda::gpuCount()); },
      "Returns how many GPUs this process can use: 0 where there is no driver. Raises\n"
      "CudaError if there is a driver that can't be used.");
  module.def("device_properties", deviceProperties, "device"_a,
             "Returns what a GPU is, as a dict.");
  module.def("synchronize", synchronize, "device"_a = 0, "Waits for all work on a GPU.");
  module.def("current_stream", currentStream, "device"_a = 0,
             "Returns the number of the stream that a launch without arrays goes to.");
  module.def(
      "host_threads", [] { return unwrap(hostThreads()); },
      "Returns the number of threads that kernels on the host run on: EFT_NUM_THREADS, else\n"
      "the cores that this process may use.");
  module.def("code_files", &cache::describeCodeFiles, "folder"_a,
             "Returns a line with the name, the size and the time of each Python file and each\n"
             "library in a folder.");
  module.def("cache_get", cacheGet, "key"_a, "Returns the bytes kept under a key, or None.");
  module.def(
      "cache_put", cachePut, "key"_a, "data"_a,
      "Keeps bytes under a key on the disk. Never fails; warns once if it can't. Returns why they\n"
      "are not kept, or \"\".");
  module.def(
      "cache_folder", [] { return cache::DiskCache::process().folder(); },
      "Returns the folder of the disk cache: EFT_CACHE_DIR, else one in XDG_CACHE_HOME or in the\n"
      "user's home. It need not exist. Empty if nothing is kept.");
  module.def("cache_files", cacheFiles,
             "Returns (name, bytes on the disk, time of the last use) of each entry's file.");
  module.def("cache_inspect", cacheInspect, "file"_a,
             "Returns the key and the bytes in an entry's file, or None if it is damaged. It does\n"
             "not count as a use.");
  module.def("cache_remove", cacheRemove, "file"_a,
             "Removes an entry's file. Raises OSError if it can't be removed.");
  module.def("read_options", readOptions, "kernel"_a, "options"_a,
             "Returns what _compile is given for the options of a call: num_warps always, the\n"
             "others if they are not None. Raises TypeError for a wrong one.");
  module.def(
      "register_constexpr", [](py::type type) { setConstexprType(type.ptr()); }, "type"_a,
      "Names the class whose objects stand for their attribute `value` in launches.");
  module.def(
      "register_descriptor", [](py::type type) { setDescriptorType(type.ptr()); }, "type"_a,
      "Names the class whose objects are tensor descriptors in launches: of its attributes base, "
      "shape, strides, block_shape and padding a launch makes arguments.");
}

void addEvent(py::module_ &module) {
  py::class_<cuda::Event>(
      module, "CudaEvent",
      "CudaEvent(device=0): a mark in a stream that keeps the time at which the "
      "GPU passed it.")
      .def(py::init([](int device) {
             return std::unique_ptr<cuda::Event>(
                 const_cast<cuda::Event *>(makeEvent(device).release()));
           }),
           "device"_a = 0)
      .def("record", recordEvent, "stream"_a = py::none(),
           "Puts the mark into a stream, by default the current one.")
      .def("synchronize", synchronizeEvent, "Waits until the GPU has passed the mark.")
      .def(
          "elapsed_ms",
          [](const cuda::Event &event, const cuda::Event &start) {
            return unwrap(event.millisecondsSince(start));
          },
          "start"_a, "Returns the milliseconds from another event to this one.");
}

} // namespace
} // namespace eft::python

PYBIND11_MODULE(_runtime, module) {
  using namespace eft::python;
  module.doc() = "Launches, devices and the disk cache of Eft.";
  cudaError = PyErr_NewExceptionWithDoc("eft._runtime.CudaError",
                                        "The CUDA driver refused something, or can't be used.",
                                        PyExc_RuntimeError, nullptr);
  if (!cudaError || !makeLoadedKernelType(module.ptr()) || !makeKernelTypes(module.ptr()))
    throw py::error_already_set();
  module.attr("CudaError") = py::handle(cudaError);
  deviceAssertionError = PyErr_NewExceptionWithDoc(
      "eft.DeviceAssertionError", "An assertion in a kernel failed: where, why, in which program.",
      PyExc_AssertionError, nullptr);
  if (!deviceAssertionError)
    throw py::error_already_set();
  module.attr("DeviceAssertionError") = py::handle(deviceAssertionError);
  translateFailures<raise>();
  addMissing(module);
  addFunctions(module);
  addReadArray(module);
  addEvent(module);
}
