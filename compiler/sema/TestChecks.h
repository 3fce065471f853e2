// What a test is held to besides its form.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/ir/Module.h"
#include "compiler/sema/Context.h"

namespace tsk::sema {

// The expression's value with the test's scalars. Nothing if one is missing or it overflows.
std::optional<ir::ConstantScalar> evaluate(const ir::Kernel &kernel, const ir::TestCase &test,
                                           ir::ExprId id);

// Reports expectations that hold whatever the kernel does.
void checkCanFail(Context &context, const ir::Kernel &kernel, const ir::TestCase &test);

// When all kernels are made: reports tests whose values break a requirement of the kernel that
// their launch leads to, unless they expect a fault.
void checkTestRequirements(Context &context, const ir::Module &module);

} // namespace tsk::sema
