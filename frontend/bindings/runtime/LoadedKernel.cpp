// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python type LoadedKernel, and its class methods load_cuda and load_host, which make objects.
#include "frontend/bindings/runtime/LoadedKernel.h"

#include <new>

namespace eft::python {

PyTypeObject *loadedKernelType = nullptr;

namespace {

LoadedKernelObject *cast(PyObject *object) {
  return reinterpret_cast<LoadedKernelObject *>(object);
}

// Makes the Python object of a loaded kernel, or sets an exception and returns null. __init__ is
// not called: a subclass sets its attributes afterwards.
PyObject *wrap(PyTypeObject *type, Expected<std::unique_ptr<const AnyKernel>> loaded,
               PyObject *keepAlive) {
  if (!loaded.ok()) {
    raise(loaded.error());
    return nullptr;
  }
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  new (&cast(self)->kernel) std::unique_ptr<const AnyKernel>(*std::move(loaded));
  cast(self)->keepAlive = keepAlive ? Py_NewRef(keepAlive) : nullptr;
  return self;
}

PyObject *loadCuda(PyObject *type, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"device",       "image",           "name",
                                "num_warps",    "shared",          "programs_per_block",
                                "max_programs", "assertions_trap", nullptr};
  int device = 0;
  Py_buffer buffer;
  const char *name = nullptr;
  cuda::KernelShape shape;
  Grid most = hostGridLimits;
  int trap = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "iy*sii|i(LLL)p:load_cuda",
                                   const_cast<char **>(names), &device, &buffer, &name,
                                   &shape.numWarps, &shape.sharedBytes, &shape.programsPerBlock,
                                   &most.x, &most.y, &most.z, &trap))
    return nullptr;
  shape.assertionsTrap = trap != 0;
  std::string_view image(static_cast<const char *>(buffer.buf), static_cast<size_t>(buffer.len));
  PyThreadState *thread = PyEval_SaveThread(); // the driver may have PTX to assemble
  auto loaded = AnyKernel::loadCuda(device, image, name, shape, most);
  PyEval_RestoreThread(thread);
  PyBuffer_Release(&buffer);
  return wrap(reinterpret_cast<PyTypeObject *>(type), std::move(loaded), nullptr);
}

PyObject *loadHost(PyObject *type, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"address", "keep_alive", "name", "max_programs", nullptr};
  unsigned long long address = 0;
  PyObject *keepAlive = nullptr;
  const char *name = nullptr;
  Grid most = hostGridLimits;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "KOs|(LLL):load_host",
                                   const_cast<char **>(names), &address, &keepAlive, &name, &most.x,
                                   &most.y, &most.z))
    return nullptr;
  auto *function = reinterpret_cast<HostFunction *>(address);
  return wrap(reinterpret_cast<PyTypeObject *>(type), AnyKernel::loadHost(function, name, most),
              keepAlive);
}

PyObject *refuseNew(PyTypeObject *type, PyObject *, PyObject *) {
  raise(PyExc_TypeError, typeName(type) + " objects are made by load_cuda() and load_host()");
  return nullptr;
}

int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(cast(self)->keepAlive);
  return 0;
}

// There is no tp_clear: keepAlive must live as long as the object, because its code may be running.
void dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject *type = Py_TYPE(self);
  cast(self)->kernel.~unique_ptr();
  Py_XDECREF(cast(self)->keepAlive);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject *number(PyObject *self, int cuda::KernelResources::*member) {
  const cuda::KernelResources *resources = cast(self)->kernel->resources();
  return resources ? PyLong_FromLong(resources->*member) : Py_NewRef(Py_None);
}

PyObject *registers(PyObject *self, void *) {
  return number(self, &cuda::KernelResources::registers);
}

PyObject *stackBytes(PyObject *self, void *) {
  return number(self, &cuda::KernelResources::stackBytes);
}

PyGetSetDef properties[] = {
    {"registers", registers, nullptr, "The registers of a GPU's thread; None on a CPU.", nullptr},
    {"stack_bytes", stackBytes, nullptr,
     "The bytes of a GPU's thread on its stack, in which registers are spilled; None on a CPU.",
     nullptr},
    {},
};

PyMethodDef methods[] = {
    {"load_cuda", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(loadCuda)),
     METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "load_cuda(device, image, name, num_warps, shared, programs_per_block=1, max_programs=ALL,\n"
     "          assertions_trap=False)\n"
     "--\n\n"
     "Loads the kernel `name` of PTX or of a cubin on a GPU. `shared` counts bytes of dynamic "
     "shared memory, and a block holds at most `programs_per_block` programs. The code is right\n"
     "for launches of at most `max_programs`, a tuple of three ints. With `assertions_trap` its\n"
     "launches don't wait for its assertions, and a failed one ends all work on the GPU.\n"
     "Raises CudaError with the driver's words."},
    {"load_host", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(loadHost)),
     METH_CLASS | METH_VARARGS | METH_KEYWORDS,
     "load_host(address, keep_alive, name, max_programs=ALL)\n--\n\n"
     "Takes compiled code of the host by its address. `keep_alive` owns the code's memory."},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel's code on a device. Made by load_cuda() and "
                                   "load_host(), which do not call __init__.")},
    {Py_tp_new, reinterpret_cast<void *>(refuseNew)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {},
};

PyType_Spec spec = {"eft._runtime.LoadedKernel", sizeof(LoadedKernelObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

} // namespace

bool makeLoadedKernelType(PyObject *module) {
  loadedKernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return loadedKernelType && PyModule_AddType(module, loadedKernelType) == 0;
}

} // namespace eft::python
