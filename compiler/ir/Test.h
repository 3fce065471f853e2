// Test blocks after sema: what a test of a kernel instance does, in a vocabulary that both the
// simulator's and the GPU's test programs are written from.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/ir/Kernel.h"

#include <map>

namespace tsk::ir {

struct TestTensor { // a parameter of the kernel or `want : tensor<f32>[M, N];`
  std::string name;
  ScalarType element = ScalarType::F32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides; // as the parameter has them; none: packed row-major
  std::optional<ParamId> param;
  SourceRange loc;
};

struct TestStep {
  enum class Kind : uint8_t {
    FillRandom,  // tensor, value (the seed)
    Fill,        // tensor, value
    FillIndex,   // tensor: element i holds its linear index (wrapped to the type)
    Run,         // launches the kernel and waits
    ExpectEqual, // left == right, exact
    ExpectClose, // left, right, rtol, atol
    ExpectFault, // text: "V1", which the verifier finds, or "launch", which the launcher refuses
    Cpp          // text: host code, tensors in scope as views x(i, j)
  };
  Kind kind = Kind::Run;
  std::string tensor;
  ConstantScalar value;    // in its type: a double does not hold every integer
  std::string left, right; // names of tensors, or calls of the reference library (C++ text)
  double rtol = 0, atol = 0;
  std::string text;
  SourceRange loc;

  bool isFaultOfLaunch() const { return kind == Kind::ExpectFault && text == "launch"; }
  // The verifier decides it; the test does not run.
  bool isFaultOfKernel() const { return kind == Kind::ExpectFault && !isFaultOfLaunch(); }
};

struct TestCase {
  std::string name;
  std::string kernel;                     // the instance's name
  std::map<std::string, int64_t> scalars; // integer dimensions and scalars by name
  std::map<std::string, double> reals;    // floating-point scalar parameters
  std::vector<TestTensor> tensors;        // parameters first
  std::vector<TestStep> steps;
  SourceRange loc;
};

} // namespace tsk::ir
