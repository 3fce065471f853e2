# add_tsk_library(NAME SOURCES … [DEPENDS …]): one compiler phase as a static library with the
# project's warnings. Public headers are found from the root: #include "compiler/ir/Kernel.h".
function(add_tsk_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  tsk_target_defaults(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# Warnings, include roots and LLVM's headers for any target of ours.
function(tsk_target_defaults name)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_include_directories(${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-unused-parameter
                         $<$<BOOL:${TSK_WERROR}>:-Werror>)
  # No builder's folder in a binary: __FILE__ is relative to the source root.
  target_compile_options(${name} PRIVATE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
endfunction()
