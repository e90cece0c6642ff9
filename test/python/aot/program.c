/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A program without Python that launches a kernel which was compiled ahead of time: on the CPU, or
 * on a GPU through the driver alone. It prints each failed check, and returns their number.
 */
#define _POSIX_C_SOURCE 200809L
#include "mixed.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

static int failures = 0;

static void expect_code(const char *what, int found, int expected) {
  if (found == expected)
    return;
  printf("%s: found %d (%s), expected %d\n", what, found, mixed_error_string(found), expected);
  ++failures;
}

static float *make_numbers(size_t count) {
  void *memory = NULL;
  float *numbers;
  size_t i;
  if (posix_memalign(&memory, 64, (count + 16) * sizeof(float)) != 0)
    exit(2);
  numbers = (float *)memory;
  for (i = 0; i < count; ++i)
    numbers[i] = (float)(i % 1000) - 500;
  return numbers;
}

static uint32_t blocks_of(int32_t n) { return ((uint32_t)n + BLOCK - 1) / BLOCK; }

/* The numbers are small enough for every sum and product to be exact. */
static void expect_numbers(const char *what, const float *x, const float *y, size_t n, float sign) {
  size_t i;
  for (i = 0; i < n; ++i) {
    float expected = sign * (2.5f * x[i] + 7.0f);
    if (y[i] == expected)
      continue;
    printf("%s: y[%zu] is %g, expected %g\n", what, i, (double)y[i], (double)expected);
    ++failures;
    return;
  }
}

static void run_on_host(void) {
  const int32_t sizes[] = {16, 1024, 4096, 5008, 1 << 22};
  size_t i;
  for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    int32_t n = sizes[i];
    float *x = make_numbers((size_t)n), *y = make_numbers((size_t)n);
    expect_code("launch", mixed_launch_host(blocks_of(n), 1, 1, x, y, n, 2.5f, 7, false, 1), 0);
    expect_numbers("host", x, y, (size_t)n, 1);
    y[n] = 42; /* past the end */
    expect_code("launch", mixed_launch_host(1, blocks_of(n), 1, x, y, n, 2.5f, 7, true, 1), 0);
    expect_numbers("host, negated", x, y, (size_t)n, -1);
    if (y[n] != 42)
      printf("the kernel wrote past the end of %d numbers\n", n), ++failures;
    free(x);
    free(y);
  }
}

static void refuse_on_host(void) {
  float *x = make_numbers(64), *y = make_numbers(64);
  uint32_t large = 0x80000000u, most = 0x7fffffffu;
  expect_code("x", mixed_launch_host(1, 1, 1, x + 1, y, 16, 1, 0, false, 1), -100);
  expect_code("y", mixed_launch_host(1, 1, 1, x, y + 2, 16, 1, 0, false, 1), -101);
  expect_code("n", mixed_launch_host(1, 1, 1, x, y, 17, 1, 0, false, 1), -102);
  expect_code("step", mixed_launch_host(1, 1, 1, x, y, 16, 1, 0, false, 2), -106);
  expect_code("x extent", mixed_launch_host(large, 1, 1, x, y, 16, 1, 0, false, 1), -4);
  expect_code("programs", mixed_launch_host(most, most, 8, x, y, 16, 1, 0, false, 1), -4);
  expect_code("empty", mixed_launch_host(0, 1, 1, x, y, 16, 1, 0, false, 1), 0);
  expect_code("empty", mixed_launch_host(1, most, 0, x, y, 16, 1, 0, false, 1), 0);
  if (x[0] != -500 || y[0] != -500)
    printf("a refused launch wrote\n"), ++failures;
  free(x);
  free(y);
}

static void *launch_often(void *unused) {
  int i;
  float *x = make_numbers(1 << 16), *y = make_numbers(1 << 16);
  for (i = 0; i < 50; ++i)
    if (mixed_launch_host(64, 1, 1, x, y, 1 << 16, 2.5f, 7, false, 1) != 0)
      return unused;
  expect_numbers("a thread", x, y, 1 << 16, 1);
  free(x);
  free(y);
  return NULL;
}

static void run_in_threads(void) {
  pthread_t threads[4];
  int i;
  for (i = 0; i < 4; ++i)
    if (pthread_create(&threads[i], NULL, launch_often, &failures) != 0)
      exit(2);
  for (i = 0; i < 4; ++i) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    if (wrong)
      printf("a launch in a thread failed\n"), ++failures;
  }
}

/* The functions of the driver that the program itself calls. */
static struct {
  int (*init)(unsigned flags);
  int (*retain)(void **context, int device);
  int (*create)(void **context, unsigned flags, int device);
  int (*set_current)(void *context);
  int (*destroy)(void *context);
  int (*allocate)(unsigned long long *address, size_t bytes);
  int (*copy_in)(unsigned long long to, const void *from, size_t bytes);
  int (*copy_out)(void *to, unsigned long long from, size_t bytes);
  int (*create_stream)(void **stream, unsigned flags);
  int (*synchronize)(void *stream);
} driver;

static void find(void *library, const char *symbol, void *entry) {
  void *address = dlsym(library, symbol);
  if (!address)
    printf("libcuda has no %s\n", symbol), exit(2);
  memcpy(entry, &address, sizeof(address));
}

static void open_driver(void) {
  const char *path = getenv("EFT_LIBCUDA");
  void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);
  if (!library)
    printf("%s\n", dlerror()), exit(2);
  find(library, "cuInit", &driver.init);
  find(library, "cuDevicePrimaryCtxRetain", &driver.retain);
  find(library, "cuCtxCreate_v2", &driver.create);
  find(library, "cuCtxSetCurrent", &driver.set_current);
  find(library, "cuCtxDestroy_v2", &driver.destroy);
  find(library, "cuMemAlloc_v2", &driver.allocate);
  find(library, "cuMemcpyHtoD_v2", &driver.copy_in);
  find(library, "cuMemcpyDtoH_v2", &driver.copy_out);
  find(library, "cuStreamCreate", &driver.create_stream);
  find(library, "cuStreamSynchronize", &driver.synchronize);
}

/* Launches the kernel once in the current context, in a new stream. */
static void run_in_context(int32_t n) {
  size_t bytes = (size_t)n * sizeof(float);
  float *x = make_numbers((size_t)n), *y = make_numbers((size_t)n);
  unsigned long long gpuX = 0, gpuY = 0;
  void *stream = NULL;
  expect_code("cuStreamCreate", driver.create_stream(&stream, 1), 0);
  expect_code("cuMemAlloc", driver.allocate(&gpuX, bytes), 0);
  expect_code("cuMemAlloc", driver.allocate(&gpuY, bytes), 0);
  expect_code("cuMemcpyHtoD", driver.copy_in(gpuX, x, bytes), 0);
  expect_code("launch",
              mixed_launch(stream, blocks_of(n), 1, 1, (float *)(uintptr_t)gpuX,
                           (float *)(uintptr_t)gpuY, n, 2.5f, 7, true, 1),
              0);
  expect_code("cuStreamSynchronize", driver.synchronize(stream), 0);
  expect_code("cuMemcpyDtoH", driver.copy_out(y, gpuY, bytes), 0);
  expect_numbers("GPU", x, y, (size_t)n, -1);
  free(x);
  free(y);
}

static void run_on_gpu(void) {
  float *aligned = (float *)(uintptr_t)4096;
  void *primary = NULL, *other = NULL;
  open_driver();
  expect_code("no context", mixed_load(), -2);
  expect_code("cuInit", driver.init(0), 0);
  expect_code("no context", mixed_load(), -2);
  expect_code("retain", driver.retain(&primary, 0), 0);
  expect_code("set current", driver.set_current(primary), 0);
  expect_code("load", mixed_load(), 0);
  run_in_context(5008);
  expect_code("create", driver.create(&other, 0, 0), 0); /* this also makes it current */
  run_in_context(1 << 20);
  expect_code("unload", mixed_unload(), 0);
  run_in_context(16);
  expect_code("destroy", driver.destroy(other), 0);
  expect_code("set current", driver.set_current(primary), 0);
  run_in_context(4096);
  expect_code("y", mixed_launch(NULL, 1, 1, 1, aligned, aligned + 3, 16, 1, 0, false, 1), -101);
  expect_code("extent", mixed_launch(NULL, 1, 65536, 1, aligned, aligned, 16, 1, 0, false, 1), -4);
  expect_code("unload", mixed_unload(), 0);
  expect_code("unload again", mixed_unload(), 0);
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "host";
  if (strcmp(what, "host") == 0) {
    expect_code("load", mixed_load_host(), 0);
    run_on_host();
    refuse_on_host();
    run_in_threads();
  } else if (strcmp(what, "cuda") == 0) {
    run_on_gpu();
  } else { /* an error code, whose text is printed */
    printf("%d %d %s\n", mixed_load(), mixed_load_host(), mixed_error_string(atoi(what)));
    return 0;
  }
  if (failures == 0)
    printf("all is well\n");
  return failures;
}
