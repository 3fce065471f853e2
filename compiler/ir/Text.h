// The text form of the task graph, both ways: what --emit=ir prints and tsk-opt reads.
//
// It looks like the .tsk file after elaboration: constants are bound, `static` is unfolded,
// schedules stand in the tasks that run them, names are unique. print(parse(print(x))) == print(x).
//
//   kernel tma_copy {
//     const BOX = 64;
//     scalar rows : i32 dimension;
//     param in src : tensor<f16>[rows, cols];
//     resource box : smem {
//       field data : f16[64][128] of src;
//       pipeline tma -> async stages 4;
//       produce load(row : i32, col : i32) by leader touches(write box.data by tma) { … }
//     }
//     task Load on warps 4 .. 5 regs 40 runs fill {
//       for r in 0 .. rows step BOX {  // tma_copy.tsk:27:5
//         acquire box;  // tma_copy.tsk:28:7
//     …
#pragma once

#include "compiler/ir/ExprText.h"
#include "compiler/ir/Module.h"

namespace tsk::ir {

// With `sources`, each line ends with the place that it comes from.
void print(const Kernel &kernel, const SourceManager *sources, llvm::raw_ostream &os);
void print(const Module &module, const SourceManager *sources, llvm::raw_ostream &os);

// Reads the buffer that holds `begin`. Null after an error, which is reported; places are those of
// the text itself.
std::unique_ptr<Kernel> parseKernel(SourceManager &sources, SourceLoc begin,
                                    DiagnosticEngine &diagnostics);
std::unique_ptr<Module> parseModule(SourceManager &sources, SourceLoc begin,
                                    DiagnosticEngine &diagnostics);

// The kernel's names for printExpr().
ExprNames exprNames(const Kernel &kernel);
std::string fieldName(const Kernel &kernel, FieldId field); // "box.data"
std::string workName(const Kernel &kernel, WorkId work);    // "box.load"

// Unless a place is absent or there is no source manager: "  // tma_copy.tsk:23:5".
void printPlace(llvm::raw_ostream &os, const SourceManager *sources, SourceRange range);

} // namespace tsk::ir
