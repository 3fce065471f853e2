#include "compiler/verify/protocol/Program.h"

#include "compiler/support/Check.h"

namespace tsk::protocol {

const char *spelling(OpKind kind) {
  switch (kind) {
#define TSK_PROTOCOL_OP(Name, Spelling)                                                            \
  case OpKind::Name:                                                                               \
    return Spelling;
#include "compiler/verify/protocol/Ops.def"
  }
  TSK_UNREACHABLE("no such operation");
}

} // namespace tsk::protocol
