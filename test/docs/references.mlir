// The generated reference pages have all parts, under the headings that a reader looks for.
// RUN: FileCheck %s --check-prefix=DIALECT < %eft_build/docs/dialect.md
// RUN: FileCheck %s --check-prefix=PASSES < %eft_build/docs/passes.md
// The copies in docs/ are up to date. If not, scripts/docs updates them.
// RUN: diff %S/../../docs/dialect.md %eft_build/docs/dialect.md
// RUN: diff %S/../../docs/passes.md %eft_build/docs/passes.md

// DIALECT: # The dialect eft
// DIALECT: A kernel is a public function
// DIALECT-NOT: [TOC]
// DIALECT: ### `eft.addptr`{{$}}
// DIALECT: The offset counts elements
// DIALECT: ### `eft.uniform_div`{{$}}
// DIALECT: ## Attributes
// DIALECT: #eft.layout<register
// DIALECT: ## Types
// DIALECT: !eft.ptr<f32>

// PASSES: # Eft's passes
// PASSES: ## Block transforms{{$}}
// PASSES: ### `-eft-expand-integer-corners`
// PASSES: ## Placing
// PASSES: ### `-eft-place`
// PASSES: #### Options
// PASSES: -num-warps
// PASSES: ## Lowering
// PASSES: ### `-eft-tile-blocks`
