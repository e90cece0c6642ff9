/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Replaces libcuda.so.1 on machines without a GPU. Its memory is the host's, and a launch computes
 * what the kernel `mixed` computes. It logs its calls to the file that PAPER_LOG names. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { invalidValue = 1, notInitialized = 3, invalidContext = 201, failedLoad = 222 };

static bool initialized;
static uintptr_t current, contexts;

static void note(const char *format, const char *what, long number) {
  const char *path = getenv("PAPER_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  fprintf(file, format, what, number);
  fputc('\n', file);
  fclose(file);
}

int cuInit(unsigned flags) {
  initialized = true;
  return flags ? invalidValue : 0;
}

int cuGetErrorString(int result, const char **text) {
  if (result != failedLoad)
    return invalidValue;
  *text = "the words of the driver";
  return 0;
}

int cuCtxGetCurrent(void **context) {
  *context = (void *)current;
  return initialized ? 0 : notInitialized;
}

#ifndef WITHOUT_IDS
int cuCtxGetId(void *context, unsigned long long *id) {
  *id = 100 + current;
  if (!initialized)
    return notInitialized;
  return context || !current ? invalidContext : 0;
}
#endif

int cuCtxSetCurrent(void *context) {
  current = (uintptr_t)context;
  return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = (void *)++contexts;
  return device;
}

int cuCtxCreate_v2(void **context, unsigned flags, int device) {
  (void)flags;
  cuDevicePrimaryCtxRetain(context, device);
  return cuCtxSetCurrent(*context);
}

int cuCtxDestroy_v2(void *context) {
  current = current == (uintptr_t)context ? 0 : current;
  return 0;
}

int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  const char *text = getenv("PAPER_CAPABILITY");
  int capability = atoi(text ? text : "90");
  *value = attribute == 75 ? capability / 10 : capability % 10;
  return device;
}

int cuThreadExchangeStreamCaptureMode(int *mode) {
  *mode = 0;
  return 0;
}

int cuModuleLoadData(void **module, const void *image) {
  const unsigned char *bytes = (const unsigned char *)image;
  char text[129] = "";
  size_t i;
  if (getenv("PAPER_FAILS"))
    return failedLoad;
  if (bytes[0] == 0x7f) {
    for (i = 0; i < 64; ++i)
      sprintf(text + 2 * i, "%02x", bytes[i]);
    note("cubin %s in context %ld", text, (long)current);
  } else {
    const char *target = strstr((const char *)image, ".target ");
    sscanf(target ? target : "", ".target %40[a-z0-9_]", text);
    note("ptx %s in context %ld", text, (long)current);
  }
  *module = (void *)current;
  return 0;
}

int cuModuleUnload(void *module) {
  note("unload%s in context %ld", "", (long)(uintptr_t)module);
  return (uintptr_t)module == current ? 0 : invalidContext;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return strcmp(name, "mixed") == 0 || strcmp(name, "product") == 0 ? 0 : 500;
}

int cuFuncLoad(void *function) { return function ? 0 : invalidValue; }

int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function;
  note("attribute%s 8 is %ld", attribute == 8 ? "" : " that is not", value);
  return 0;
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned shared, void *stream,
                   void **parameters, void **extra) {
  const float *x = *(const float **)parameters[0];
  float *y = *(float **)parameters[1];
  int32_t n = *(int32_t *)parameters[2], i;
  float factor = *(float *)parameters[3], shift = (float)*(int64_t *)parameters[4];
  bool negate = *(bool *)parameters[5];
  (void)shared;
  note("launch of %s%ld threads", stream ? "" : "the default stream with ", blockX);
  if ((uintptr_t)function != current || blockY != 1 || blockZ != 1 || extra)
    return invalidValue;
  if (gridX * gridY * gridZ != ((unsigned)n + 1023) / 1024)
    return invalidValue;
  for (i = 0; i < n; ++i)
    y[i] = (negate ? -1 : 1) * (factor * x[i] + shift);
  return *(int32_t *)parameters[6] == 1 ? 0 : invalidValue;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  void *memory = NULL;
  int result = posix_memalign(&memory, 64, bytes);
  *address = (uintptr_t)memory;
  return result;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return 0;
}

int cuStreamCreate(void **stream, unsigned flags) {
  *stream = (void *)(uintptr_t)16;
  return flags == 1 ? 0 : invalidValue;
}

int cuStreamSynchronize(void *stream) { return stream ? 0 : invalidValue; }
