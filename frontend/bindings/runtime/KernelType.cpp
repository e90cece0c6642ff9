// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements kernel[grid](arguments), from the subscript to the driver. A usual launch of a
// compiled kernel runs no Python code of Eft. The only Python code that it runs is a grid function,
// if there is one, and methods of arrays that can be read in no faster way.
//
// KernelBase and Launcher are plain CPython types and not pybind11 classes. A call of a pybind11
// object first makes a tuple and a dict of its arguments, which takes as long as all the work here.
#include "frontend/bindings/runtime/KernelType.h"

#include "frontend/bindings/runtime/LoadedKernel.h"
#include "frontend/bindings/runtime/Signals.h"
#include "frontend/bindings/runtime/Variants.h"
#include "runtime/cuda/Event.h"

#include <new>
#include <structmember.h>
#include <vector>

namespace eft::python {
namespace {

struct KernelState {
  Signature signature;
  Variants variants;
};

struct KernelObject {
  PyObject_HEAD KernelState *state; // null before __init__
  char launchesByRun;
};

struct LauncherObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject *kernel;
  PyObject *grid;
};

PyTypeObject *launcherType = nullptr;

// True if a launch of any kernel calls the kernel's method `run`.
bool allLaunchByRun = false;

KernelState *stateOf(PyObject *kernel) { return reinterpret_cast<KernelObject *>(kernel)->state; }

bool launch(const AnyKernel &kernel, const Call &call, const Grid &grid) {
  Expected<CheckedGrid> checked = kernel.check(grid);
  if (!checked.ok()) {
    raise(checked.error());
    return false;
  }
  uint64_t stream = 0;
  if (!call.device.isHost() && !call.findStream(stream))
    return false;
  SignalInterruption interruption;
  // Getting a released GIL back may take milliseconds if another thread takes it. So a launch that
  // returns at once keeps the GIL.
  if (!kernel.returnsAtOnce(*checked))
    interruption.giveGil();
  Status status = kernel.launch(*checked, call.slots(),
                                reinterpret_cast<cuda::StreamHandle>(stream), &interruption);
  interruption.takeGil();
  if (interruption.hasRaised())
    return false;
  if (!status.ok())
    raise(status.error());
  return status.ok();
}

// Handles a call with tuples among its arguments. Calls kernel._call_with_tuples(how, grid, *args,
// **keywords), which calls a kernel that has the elements of the tuples as its parameters. `how` is
// the method to call: "launch", "warmup" or "place".
PyObject *callWithTuples(PyObject *kernel, const Call &call, const char *how, PyObject *grid,
                         PyObject *const *args, size_t nargs, PyObject *keywords) {
  Ref method = Ref::steal(PyObject_GetAttrString(kernel, "_call_with_tuples"));
  if (!method) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyErr_Clear();
      call.refuseTuple();
    }
    return nullptr;
  }
  Ref name = Ref::steal(PyUnicode_FromString(how));
  if (!name)
    return nullptr;
  const size_t count = nargs + (keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0);
  std::vector<PyObject *> all = {name.get(), grid ? grid : Py_None};
  all.insert(all.end(), args, args + count);
  return PyObject_Vectorcall(method.get(), all.data(), nargs + 2, keywords);
}

// Calls a kernel: compiles it if necessary, and launches it. If `grid` is null, the kernel is
// compiled but not launched. Returns the LoadedKernel.
PyObject *callKernel(PyObject *kernel, PyObject *grid, PyObject *const *args, size_t nargs,
                     PyObject *keywords) {
  KernelState *state = stateOf(kernel);
  Call call(state->signature);
  PyObject *unused = nullptr;
  Grid extents;
  if (!call.bind(args, nargs, keywords, grid ? nullptr : &unused))
    return nullptr;
  if (!call.read())
    return call.hasTuple() ? callWithTuples(kernel, call, grid ? "launch" : "warmup", grid, args,
                                            nargs, keywords)
                           : nullptr;
  if (grid && !call.readGrid(grid, extents))
    return nullptr;
  PyObject *found = state->variants.find(kernel, call, grid ? &extents : nullptr);
  if (!found)
    return nullptr;
  Ref loaded = Ref::borrow(found);
  if (grid && !launch(kernelOf(found), call, extents))
    return nullptr;
  return loaded.release();
}

PyObject *noMemory(const std::bad_alloc &) { return PyErr_NoMemory(); }

// Calls kernel.run(*args, grid=grid, warmup=False, **keywords).
PyObject *callRun(const LauncherObject *launcher, PyObject *const *args, size_t nargs,
                  PyObject *keywords) {
  Ref run = Ref::steal(PyObject_GetAttrString(launcher->kernel, "run"));
  Ref named = Ref::steal(PyDict_New());
  if (!run || !named || PyDict_SetItemString(named.get(), "grid", launcher->grid) < 0 ||
      PyDict_SetItemString(named.get(), "warmup", Py_False) < 0)
    return nullptr;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, i), args[nargs + i]) < 0)
      return nullptr;
  return PyObject_VectorcallDict(run.get(), args, nargs, named.get());
}

PyObject *launcherCall(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  auto nargs = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  if (allLaunchByRun || reinterpret_cast<KernelObject *>(launcher->kernel)->launchesByRun)
    return callRun(launcher, args, nargs, keywords);
  try {
    return callKernel(launcher->kernel, launcher->grid, args, nargs, keywords);
  } catch (const std::bad_alloc &failure) {
    return noMemory(failure);
  }
}

int launcherTraverse(PyObject *self, visitproc visit, void *arg) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(launcher->kernel);
  Py_VISIT(launcher->grid);
  return 0;
}

// Dropping the grid breaks every reference cycle through a launcher.
int launcherClear(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  Py_XSETREF(launcher->grid, Py_NewRef(Py_None));
  return 0;
}

void launcherDealloc(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(launcher->kernel);
  Py_XDECREF(launcher->grid);
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

bool isInitialized(PyObject *self) {
  if (stateOf(self))
    return true;
  raise(PyExc_RuntimeError, typeName(self) + ".__init__ did not call KernelBase.__init__");
  return false;
}

PyObject *kernelSubscript(PyObject *self, PyObject *grid) {
  if (!isInitialized(self))
    return nullptr;
  auto *launcher = PyObject_GC_New(LauncherObject, launcherType);
  if (!launcher)
    return nullptr;
  launcher->call = launcherCall;
  launcher->kernel = Py_NewRef(self);
  launcher->grid = Py_NewRef(grid);
  PyObject_GC_Track(launcher);
  return reinterpret_cast<PyObject *>(launcher);
}

PyObject *kernelWarmup(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *keywords) {
  if (!isInitialized(self))
    return nullptr;
  try {
    return callKernel(self, nullptr, args, static_cast<size_t>(nargs), keywords);
  } catch (const std::bad_alloc &failure) {
    return noMemory(failure);
  }
}

// Returns where a call with these arguments would launch, without launching, as a Python tuple: the
// GPU's number or -1, and whether the stream of the launch is being captured.
PyObject *findPlace(PyObject *kernel, PyObject *const *args, size_t nargs, PyObject *keywords) {
  Call call(stateOf(kernel)->signature);
  PyObject *unused = nullptr;
  if (!call.bind(args, nargs, keywords, &unused))
    return nullptr;
  if (!call.read())
    return call.hasTuple() ? callWithTuples(kernel, call, "place", nullptr, args, nargs, keywords)
                           : nullptr;
  bool isCaptured = false;
  if (!call.device.isHost()) {
    uint64_t stream = 0;
    if (!call.findStream(stream))
      return nullptr;
    auto gpu = cuda::gpu(call.device.index);
    Expected<bool> answer =
        gpu.ok() ? cuda::isCapturing(**gpu, reinterpret_cast<cuda::StreamHandle>(stream))
                 : Expected<bool>(gpu.error());
    if (!answer.ok()) {
      raise(answer.error());
      return nullptr;
    }
    isCaptured = *answer;
  }
  return Py_BuildValue("(iO)", call.device.isHost() ? -1 : call.device.index,
                       isCaptured ? Py_True : Py_False);
}

PyObject *kernelPlace(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
  if (!isInitialized(self))
    return nullptr;
  try {
    return findPlace(self, args, static_cast<size_t>(nargs), keywords);
  } catch (const std::bad_alloc &failure) {
    return noMemory(failure);
  }
}

PyObject *kernelLaunch(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *keywords) {
  if (!isInitialized(self))
    return nullptr;
  if (nargs < 1) {
    raise(PyExc_TypeError, "_launch needs a grid");
    return nullptr;
  }
  try {
    return callKernel(self, args[0], args + 1, static_cast<size_t>(nargs - 1), keywords);
  } catch (const std::bad_alloc &failure) {
    return noMemory(failure);
  }
}

PyObject *kernelForget(PyObject *self, PyObject *) {
  if (KernelState *state = stateOf(self))
    state->variants.forget();
  Py_RETURN_NONE;
}

PyObject *setAllLaunchByRun(PyObject *, PyObject *value) {
  int truth = PyObject_IsTrue(value);
  if (truth < 0)
    return nullptr;
  allLaunchByRun = truth != 0;
  Py_RETURN_NONE;
}

int kernelInit(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"name", "parameters", nullptr};
  const char *name = nullptr;
  PyObject *parameters = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "sO:KernelBase", const_cast<char **>(names),
                                   &name, &parameters))
    return -1;
  KernelState *&state = reinterpret_cast<KernelObject *>(self)->state;
  try {
    auto made = std::make_unique<KernelState>();
    if (!made->signature.init(name, parameters))
      return -1;
    // Another thread may be launching and may hold references into the state, so it is never
    // replaced.
    if (state) {
      raise(PyExc_RuntimeError, "KernelBase.__init__ must be called once");
      return -1;
    }
    state = made.release();
    return 0;
  } catch (const std::bad_alloc &failure) {
    noMemory(failure);
    return -1;
  }
}

int kernelTraverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  KernelState *state = stateOf(self);
  if (!state)
    return 0;
  if (int result = state->signature.traverse(visit, arg))
    return result;
  return state->variants.traverse(visit, arg);
}

// The object is garbage, but a finalizer may still call it. So the state is emptied but stays
// valid.
int kernelClear(PyObject *self) {
  if (KernelState *state = stateOf(self)) {
    Variants gone = std::move(state->variants);
    state->variants = Variants();
  }
  return 0;
}

void kernelDealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject *type = Py_TYPE(self);
  delete stateOf(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef kernelMethods[] = {
    {"warmup", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(kernelWarmup)),
     METH_FASTCALL | METH_KEYWORDS,
     "warmup(*args, grid=None, **kwargs)\n--\n\n"
     "Compiles and loads what kernel[grid](*args, **kwargs) would launch, and returns it without "
     "a\n"
     "launch. `grid` is not looked at."},
    {"place", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(kernelPlace)),
     METH_FASTCALL | METH_KEYWORDS,
     "place(*args, grid=None, **kwargs)\n--\n\n"
     "Returns where kernel[grid](*args, **kwargs) would launch: the number of the GPU or -1, and\n"
     "whether its stream is being captured into a graph. Raises as a launch does for wrong "
     "arguments."},
    {"_launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(kernelLaunch)),
     METH_FASTCALL | METH_KEYWORDS,
     "_launch(grid, /, *args, **kwargs)\n--\n\n"
     "Launches as kernel[grid](*args, **kwargs) does, but never through `run`."},
    {"_forget", kernelForget, METH_NOARGS,
     "_forget()\n--\n\n"
     "Forgets what was compiled: the next launch of each kind compiles again."},
    {"_set_all_launch_by_run", setAllLaunchByRun, METH_O | METH_STATIC,
     "_set_all_launch_by_run(value)\n--\n\n"
     "Sets whether launches of every kernel go through its method `run`."},
    {},
};

PyMemberDef kernelMembers[] = {
    {"_launches_by_run", T_BOOL, offsetof(KernelObject, launchesByRun), 0,
     "whether kernel[grid](...) calls `run`, with the arguments `grid` and `warmup` added, instead "
     "of launching by itself"},
    {},
};

PyType_Slot kernelSlots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "KernelBase(name, parameters)\n--\n\n"
         "The base of a kernel. `parameters` is a sequence of (name, kind, default, type): kind 0 "
         "is a\n"
         "value, 1 a value that is never specialised on, 2 a constexpr; default is MISSING if "
         "there\n"
         "is none; type is the number's type that the parameter is annotated with, or None, and "
         "may\n"
         "be left out. A subclass has the methods _address_parameters and _compile\n"
         "(docs/runtime.md).")},
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void *>(kernelInit)},
    {Py_tp_traverse, reinterpret_cast<void *>(kernelTraverse)},
    {Py_tp_clear, reinterpret_cast<void *>(kernelClear)},
    {Py_tp_dealloc, reinterpret_cast<void *>(kernelDealloc)},
    {Py_tp_methods, kernelMethods},
    {Py_tp_members, kernelMembers},
    {Py_mp_subscript, reinterpret_cast<void *>(kernelSubscript)},
    {},
};

PyType_Spec kernelSpec = {"eft._runtime.KernelBase", sizeof(KernelObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                          kernelSlots};

PyMemberDef launcherMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, call), READONLY, nullptr},
    {"kernel", T_OBJECT_EX, offsetof(LauncherObject, kernel), READONLY, "the kernel"},
    {"grid", T_OBJECT_EX, offsetof(LauncherObject, grid), READONLY, "its grid"},
    {},
};

PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("A kernel with its grid: what kernel[grid] gives. Calling it "
                                   "launches, and returns the LoadedKernel that ran.")},
    {Py_tp_traverse, reinterpret_cast<void *>(launcherTraverse)},
    {Py_tp_clear, reinterpret_cast<void *>(launcherClear)},
    {Py_tp_dealloc, reinterpret_cast<void *>(launcherDealloc)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, launcherMembers},
    {},
};

PyType_Spec launcherSpec = {"eft._runtime.Launcher", sizeof(LauncherObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            launcherSlots};

} // namespace

bool makeKernelTypes(PyObject *module) {
  auto *kernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&kernelSpec));
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return kernelType && launcherType && PyModule_AddType(module, kernelType) == 0 &&
         PyModule_AddType(module, launcherType) == 0;
}

} // namespace eft::python
