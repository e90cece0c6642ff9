// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the time of cuLaunchKernel from C, without any language runtime. The program opens the
// driver by dlopen, so a C compiler is enough to build it.
//
//   launch CUBIN KERNEL THREADS SHARED_BYTES BATCHES LAUNCHES
//
// The kernel must take two pointers, an int, a float and an int, as the seeded dropout kernel does.
// For each batch, the program prints a line with the mean nanoseconds of a launch in that batch.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef int Result;
typedef void *Handle;

static void *driver;

static void *function(const char *name) {
  void *found = dlsym(driver, name);
  if (!found) {
    fprintf(stderr, "launch: the driver has no %s\n", name);
    exit(1);
  }
  return found;
}

static void check(const char *call, Result result) {
  if (result != 0) {
    fprintf(stderr, "launch: %s failed with %d\n", call, result);
    exit(1);
  }
}

// CALL("cuInit", (unsigned), 0) calls cuInit(0).
#define CALL(NAME, PARAMETERS, ...) check(NAME, ((Result(*) PARAMETERS)function(NAME))(__VA_ARGS__))

static void *readFile(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    exit(1);
  }
  long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) {
    perror(path);
    exit(1);
  }
  text[size] = '\0';
  fclose(file);
  return text;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "usage: launch CUBIN KERNEL THREADS SHARED_BYTES BATCHES LAUNCHES\n");
    return 2;
  }
  unsigned threads = (unsigned)atoi(arguments[3]), shared = (unsigned)atoi(arguments[4]);
  int batches = atoi(arguments[5]), launches = atoi(arguments[6]);
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) {
    fprintf(stderr, "launch: %s\n", dlerror());
    return 1;
  }
  int device;
  Handle context, module, kernel, stream;
  CALL("cuInit", (unsigned), 0);
  CALL("cuDeviceGet", (int *, int), &device, 0);
  CALL("cuDevicePrimaryCtxRetain", (Handle *, int), &context, device);
  CALL("cuCtxSetCurrent", (Handle), context);
  CALL("cuModuleLoadData", (Handle *, const void *), &module, readFile(arguments[1]));
  CALL("cuModuleGetFunction", (Handle *, Handle, const char *), &kernel, module, arguments[2]);
  CALL("cuStreamCreate", (Handle *, unsigned), &stream, 1);
  uint64_t x, output;
  CALL("cuMemAlloc_v2", (uint64_t *, size_t), &x, 1 << 20);
  CALL("cuMemAlloc_v2", (uint64_t *, size_t), &output, 1 << 20);
  int32_t n = 1024, seed = 123;
  float p = 0.5f;
  void *parameters[] = {&x, &output, &n, &p, &seed};

  Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle, void **, void **) = function("cuLaunchKernel");
  Result (*synchronize)(void) = function("cuCtxSynchronize");
  for (int batch = 0; batch < batches; ++batch) {
    int64_t start = now();
    for (int i = 0; i < launches; ++i)
      check("cuLaunchKernel",
            launch(kernel, 1, 1, 1, threads, 1, 1, shared, stream, parameters, NULL));
    int64_t end = now();
    check("cuCtxSynchronize", synchronize());
    printf("%.1f\n", (double)(end - start) / launches);
  }
  return 0;
}
