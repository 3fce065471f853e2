// V2 where nothing gives an order: whether two CTAs of one launch touch one element of a tensor
// that one of them writes, or two tasks. CTAs of different clusters run in any order, or at once.
#pragma once

#include "compiler/verify/checks/CtaVisits.h"

namespace tsk::verify {

// In a launch that is one of the kernel's.
struct CtaMeeting {
  Site write, other;
  Cta writes, others;  // who; the same: two tasks of one CTA
  std::string element; // "y(0, 3)"; empty: all of one call, whichever they are
  std::string launch;  // "`n` = 257"; empty: any
};

using Sites = std::map<ir::ParamId, std::vector<Site>>;

// By tensor, one each. Only what is certain: where a body has a condition of its own, only calls
// that are alike in both CTAs.
std::map<ir::ParamId, CtaMeeting> findCtaMeetings(const plan::Plan &plan, const ir::Kernel &kernel,
                                                  const TensorOrder &order, const Sites &writes,
                                                  const Sites &reads);

// Of calls of two tasks that nothing orders: those that touch one element, of one CTA.
std::map<ir::ParamId, CtaMeeting> findTaskMeetings(const plan::Plan &plan, const ir::Kernel &kernel,
                                                   const TensorOrder &order,
                                                   llvm::ArrayRef<std::pair<Site, Site>> unordered);

void report(const CtaMeeting &meeting, const plan::Plan &plan, const TensorOrder &order,
            DiagnosticEngine &diags);

// Whether a launch may have more than one CTA.
bool mayHaveCtas(const ir::Kernel &kernel);

} // namespace tsk::verify
