// Whether two calls by the threads of one task meet in a field of shared memory. To the engine a
// call touches all of a field; its body may say which elements each thread has.
#pragma once

#include "compiler/verify/proof/Launch.h"
#include "compiler/verify/report/Finding.h"

namespace tsk::verify {

// Of a race between warps of a task, in a run of this launch: whether two of its threads do touch
// one element, as far as that is known; threads of one warp too, unless the task has barriers of
// warps. True as well where a body does not say which elements it touches, and of all other
// findings.
bool doMeet(const Trace &trace, const Finding &finding, plan::FieldId field,
            const proof::Launch &launch);

} // namespace tsk::verify
