// plan-tensor-maps: one tensor map for each field that TMA fills, checked against what the copy
// engine can take.
//
// Needs the fields of the kernel. A field's stage is one box of its tensor: as many elements a
// dimension as the field has, leading ones where the tensor has more dimensions. The launcher
// encodes the maps. Stands before plan-memory, since a box that is refused here needs no place.
#include "compiler/ir/Text.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::plan {

namespace {

using target::TmaInnerBytes;
using target::TmaMaxBoxExtent;
using target::TmaMaxRank;

constexpr Diagnostic<std::string, size_t, std::string, size_t> BoxRank{
    kind::BoxRank,
    "`{}` has {} dimensions and its tensor `{}` has {}; a box has at most its tensor's, and TMA "
    "handles 1 to 5"};
constexpr Diagnostic<std::string, llvm::StringRef, std::string, llvm::StringRef> BoxElement{
    kind::BoxElement,
    "`{}` holds {} and its tensor `{}` holds {}; TMA copies, it does not convert"};
constexpr Diagnostic<std::string, int64_t, unsigned> BoxExtent{
    kind::BoxExtent,
    "`{}` is a box of {} elements in one dimension; TMA moves at most {}: split the field"};
constexpr Diagnostic<std::string, int64_t, unsigned> BoxInnerBytes{
    kind::BoxInnerBytes,
    "a row of `{}` has {} bytes; the innermost extent of a box is a multiple of {} bytes"};
constexpr Diagnostic<std::string> LoadWithoutTensor{
    kind::LoadWithoutTensor,
    "`{}` is filled by TMA but names no tensor; declare the field `of` the tensor it is a box of"};

unsigned swizzleSpan(ir::Swizzle swizzle) {
  switch (swizzle) {
  case ir::Swizzle::None:
    return 0;
  case ir::Swizzle::B32:
    return 32;
  case ir::Swizzle::B64:
    return 64;
  case ir::Swizzle::B128:
    return 128;
  }
  TSK_UNREACHABLE("swizzle outside its enumeration");
}

class MapPlanner {
public:
  explicit MapPlanner(PassContext &pass) : context(pass), kernel(pass.kernel) {}

  bool run() {
    for (size_t i = 0; i < kernel.fields.size(); ++i) {
      FieldId id = kernel.fields.idAt(i);
      if (kernel.fields[id].tensors.empty())
        checkNotLoaded(id);
      for (ParamId tensor : kernel.fields[id].tensors)
        planMap(id, tensor);
    }
    return isGood;
  }

private:
  template <typename... Args>
  void fail(const ir::Field &field, const Diagnostic<Args...> &diagnostic,
            const std::type_identity_t<Args> &...args) {
    context.diags.report(field.loc, diagnostic, args...);
    isGood = false;
  }

  void checkNotLoaded(FieldId id) {
    for (const ir::Work &work : kernel.works)
      for (const ir::Access &access : work.accesses)
        if (access.field == id && access.mechanism == ir::Mechanism::Tma)
          return fail(kernel.fields[id], LoadWithoutTensor, ir::fieldName(kernel, id));
  }

  void planMap(FieldId id, ParamId tensorId) {
    const ir::Field &field = kernel.fields[id];
    const ir::Param &tensor = kernel.params[tensorId];
    std::string name = ir::fieldName(kernel, id);
    if (field.dims.size() > tensor.dims.size() || field.dims.empty() ||
        tensor.dims.size() > TmaMaxRank)
      return fail(field, BoxRank, name, field.dims.size(), tensor.name, tensor.dims.size());
    if (field.element != tensor.element)
      return fail(field, BoxElement, name, ir::spelling(field.element), tensor.name,
                  ir::spelling(tensor.element));
    for (int64_t extent : field.dims)
      if (extent > TmaMaxBoxExtent)
        return fail(field, BoxExtent, name, extent, TmaMaxBoxExtent);
    int64_t rowBytes = field.dims.back() * ir::bitWidth(field.element) / 8;
    if (rowBytes % TmaInnerBytes != 0)
      return fail(field, BoxInnerBytes, name, rowBytes, TmaInnerBytes);
    unsigned span = swizzleSpan(field.swizzle);
    if (span && rowBytes > span) {
      context.diags.report(
          field.loc, PlanNotYetCompiled,
          fmt::format("`{}`: a row of {} bytes, wider than the swizzle's span of {},", name,
                      rowBytes, span));
      isGood = false;
      return;
    }
    TensorMap map;
    map.name = kernel.resources[field.resource].name + "_" + field.name + "_map";
    map.tensor = tensorId;
    map.field = id;
    map.swizzle = field.swizzle;
    map.box.assign(tensor.dims.size() - field.dims.size(), 1);
    for (int64_t extent : field.dims)
      map.box.push_back(static_cast<uint32_t>(extent));
    context.plan.tensorMaps.add(std::move(map));
  }

  PassContext &context;
  const ir::Kernel &kernel;
  bool isGood = true;
};

} // namespace

bool planTensorMaps(PassContext &context) { return MapPlanner(context).run(); }

} // namespace tsk::plan
