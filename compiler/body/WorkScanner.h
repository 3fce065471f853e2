// The reader of one body by its tokens, for the files that implement it. Names: BodyScan.cpp; what
// the device library does: PrimitiveScan.cpp.
#pragma once

#include "compiler/body/BodyScan.h"
#include "compiler/body/BodyTokens.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

namespace tsk::body {

// The kernel's names, so that looking one up takes no longer in a large kernel.
struct KernelNames {
  explicit KernelNames(const ir::Kernel &kernel) {
    fill(params, kernel.params);
    fill(scalars, kernel.scalars);
    fill(resources, kernel.resources);
    fields.resize(kernel.resources.size());
    for (size_t i = 0; i < kernel.fields.size(); ++i) {
      const ir::Field &field = kernel.fields[kernel.fields.idAt(i)];
      fields[field.resource.index].try_emplace(field.name, kernel.fields.idAt(i));
    }
  }

  template <typename IdT> static IdT find(const llvm::StringMap<IdT> &map, llvm::StringRef name) {
    auto it = map.find(name);
    return it == map.end() ? IdT{} : it->second;
  }

  llvm::StringMap<ir::ParamId> params;
  llvm::StringMap<ir::ScalarId> scalars;
  llvm::StringMap<ir::ResourceId> resources;
  std::vector<llvm::StringMap<ir::FieldId>> fields; // by resource

private:
  template <typename IdT, typename T>
  static void fill(llvm::StringMap<IdT> &map, const Table<IdT, T> &table) {
    for (size_t i = 0; i < table.size(); ++i)
      map.try_emplace(table[table.idAt(i)].name, table.idAt(i));
  }
};

struct TmaFindings {
  const std::set<ir::FieldId> &ofBroken;
  std::vector<UnfilledField> unfilled;
};

class WorkScanner {
public:
  WorkScanner(ir::Kernel &k, const KernelNames &kernelNames, DiagnosticEngine &engine, ir::Work &w,
              TmaFindings &findings)
      : kernel(k), names(kernelNames), diags(engine), work(w), resource(k.resources[w.resource]),
        tokens(w), tma(findings) {}
  void scan();

private:
  void scanForbidden(size_t i);
  void scanGroup(size_t i);
  void checkGroup(size_t first, size_t last, size_t method, llvm::StringRef type);
  void scanName(size_t i);
  bool scanPrimitive(size_t i);
  void checkCounted(size_t call);
  void scanTma(size_t call, bool isStore);
  void scanMultiply(size_t call);
  void touchField(ir::FieldId field, size_t i, size_t last);
  void touchTensor(ir::ParamId param, size_t i);
  void scanMember(ir::ResourceId other, size_t i);
  void reportHeld(const ir::HoldParam &hold, size_t i);
  ir::ResourceId otherResource(llvm::StringRef name) const;
  llvm::StringRef closestField(const ir::Resource &owner, llvm::StringRef name) const;
  void reportUnknownField(const ir::Resource &owner, size_t i, llvm::StringRef near);
  bool suggestField(size_t i);
  void suggestResource(size_t i);
  void suggestElement(size_t i);
  void checkPipeline();
  ir::FieldId fieldOf(ir::ResourceId owner, llvm::StringRef name) const {
    return KernelNames::find(names.fields[owner.index], name);
  }
  ir::FieldId fieldAt(size_t i, size_t &last) const;
  ir::ParamId paramByName(llvm::StringRef name) const;
  bool isOwnName(llvm::StringRef name) const;
  void add(const ir::Access &access);

  ir::Kernel &kernel;
  const KernelNames &names;
  DiagnosticEngine &diags;
  ir::Work &work;
  const ir::Resource &resource;
  BodyTokens tokens;
  TmaFindings &tma;
  std::vector<bool> consumed; // tokens that a primitive has accounted for
};

} // namespace tsk::body
