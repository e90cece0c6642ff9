// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/EftDialect.h"

#include "compiler/ir/EftInterfaces.cpp.inc"
