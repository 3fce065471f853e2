// plan-tensor-maps: one tensor map for each field that TMA fills, checked against what the copy
// engine can take.
//
// Needs the fields of the kernel. A field's stage is one box of its tensor, or several equal ones
// where it is too long for one or swizzled and wider than the span (FieldLayout.h); leading extents
// are one where the tensor has more dimensions. The launcher encodes the maps. Stands before
// plan-memory, since what is refused here needs no place.
#include "compiler/ir/Text.h"
#include "compiler/plan/FieldLayout.h"
#include "compiler/plan/Names.h"
#include "compiler/plan/Participants.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"
#include "compiler/support/Count.h"

#include <algorithm>
#include <set>

namespace tsk::plan {

namespace {

using target::TmaAlignment;
using target::TmaInnerBytes;
using target::TmaMaxBoxExtent;
using target::TmaMaxRank;

constexpr Diagnostic<std::string, Count, std::string, size_t> BoxRank{
    kind::BoxRank,
    "`{}` has {} and its tensor `{}` has {}; a box has at most its tensor's, and TMA "
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

constexpr Diagnostic<std::string, int64_t, unsigned> SwizzledRow{
    kind::SwizzledRow,
    "a row of `{}` has {} bytes; rows of a swizzled field are whole spans of {} bytes"};
constexpr Diagnostic<std::string, int64_t, unsigned> SwizzledRows{
    kind::SwizzledRows,
    "`{}` has {} rows; where rows are wider than the swizzle's span, their number is a multiple of "
    "{}"};

constexpr Diagnostic<std::string, unsigned, unsigned> MulticastSlices{
    kind::MulticastSlices,
    "`{}` cannot be cut into {} slices for multicast: they are equal parts of its outermost "
    "dimension, and each begins at a multiple of {} bytes"};

class MapPlanner {
public:
  explicit MapPlanner(PassContext &pass) : context(pass), kernel(pass.kernel) {}

  bool run() {
    collectMoved();
    for (size_t i = 0; i < kernel.fields.size(); ++i) {
      FieldId id = kernel.fields.idAt(i);
      if (!checkSwizzle(id))
        continue;
      if (kernel.fields[id].tensors.empty() && moved.count(id))
        fail(kernel.fields[id], LoadWithoutTensor, ir::fieldName(kernel, id));
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

  // By some task's call.
  void collectMoved() {
    for (const Region &region : context.plan.regions)
      for (const Step &step : region.steps)
        for (const Access &access : step.accesses)
          if (access.field && access.mechanism == ir::Mechanism::Tma)
            moved.insert(access.field);
  }

  bool checkSwizzle(FieldId id) {
    const ir::Field &field = kernel.fields[id];
    const unsigned span = swizzleSpan(field.swizzle);
    if (!span)
      return true;
    std::string name = ir::fieldName(kernel, id);
    if (rowBytes(field) % span != 0)
      fail(field, SwizzledRow, name, rowBytes(field), span);
    else if (panelsOf(field) > 1 && rowsOf(field) % SwizzleRows != 0)
      fail(field, SwizzledRows, name, rowsOf(field), SwizzleRows);
    else
      return true;
    return false;
  }

  void planMap(FieldId id, ParamId tensorId) {
    const ir::Field &field = kernel.fields[id];
    const ir::Param &tensor = kernel.params[tensorId];
    std::string name = ir::fieldName(kernel, id);
    if (field.dims.size() > tensor.dims.size() || field.dims.empty() ||
        tensor.dims.size() > TmaMaxRank)
      return fail(field, BoxRank, name, Count{field.dims.size(), "dimension"}, tensor.name,
                  tensor.dims.size());
    if (field.element != tensor.element)
      return fail(field, BoxElement, name, ir::spelling(field.element), tensor.name,
                  ir::spelling(tensor.element));
    const unsigned slices = countAlong(kernel.cluster, multicastOf(kernel, field));
    std::optional<std::vector<uint32_t>> box = boxOf(field, slices);
    if (!box && slices > 1 && boxOf(field))
      return fail(field, MulticastSlices, name, slices,
                  std::max(TmaAlignment, swizzleSpan(field.swizzle) * SwizzleRows));
    if (!box)
      return fail(field, BoxExtent, name, *std::max_element(field.dims.begin(), field.dims.end()),
                  TmaMaxBoxExtent);
    if (rowBytes(field) % TmaInnerBytes != 0)
      return fail(field, BoxInnerBytes, name, rowBytes(field), TmaInnerBytes);
    if (!moved.count(id))
      return;
    TensorMap map;
    map.name = tensorMapName(kernel.resources[field.resource], field);
    map.tensor = tensorId;
    map.field = id;
    map.swizzle = field.swizzle;
    map.box.assign(tensor.dims.size() - field.dims.size(), 1);
    map.box.insert(map.box.end(), box->begin(), box->end());
    context.plan.tensorMaps.add(std::move(map));
  }

  PassContext &context;
  const ir::Kernel &kernel;
  std::set<FieldId> moved;
  bool isGood = true;
};

} // namespace

bool planTensorMaps(PassContext &context) { return MapPlanner(context).run(); }

} // namespace tsk::plan
