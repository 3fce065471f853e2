# add_tsk_kernel(TARGET
#                SOURCES a.tsk …
#                [ARCHITECTURES 90a]           what to compile for, one; 90a by default
#                [DEFINES NAME=VALUE …]        compile-time parameters, as -D
#                [INCLUDE_DIRECTORIES dir …]   where imports and headers are looked for, as -I
#                [NAMESPACE name]              of the launchers; `kernels` by default
#                [OPTIONS option …]            further options of tskc
#                [SIMULATOR])                  compile for the CPU simulator instead of a GPU
#
# Compiles each a.tsk to a.tsk.cu and a.tsk.h while building and adds them to TARGET, which includes
# "a.tsk.h". A kernel is compiled again when it, a file that it imports, or tskc changes.
function(add_tsk_kernel target)
  cmake_parse_arguments(ARG "SIMULATOR" "NAMESPACE" "SOURCES;ARCHITECTURES;DEFINES;INCLUDE_DIRECTORIES;OPTIONS" ${ARGN})
  _tsk_check_target(${target})
  _tsk_check_keywords(${target} ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "add_tsk_kernel: expected SOURCES, got `${ARG_UNPARSED_ARGUMENTS}`")
  endif()
  if(NOT ARG_ARCHITECTURES)
    set(ARG_ARCHITECTURES 90a)
  endif()
  # A kernel is planned for one: its launcher would refuse to run on the others.
  list(LENGTH ARG_ARCHITECTURES count)
  if(count GREATER 1)
    message(FATAL_ERROR "add_tsk_kernel(${target}): a kernel is made for one architecture, got `${ARG_ARCHITECTURES}`; "
                        "call it once for each, with targets and namespaces of their own")
  endif()
  if(NOT ARG_ARCHITECTURES MATCHES "^[0-9]+[a-z]?$")
    message(FATAL_ERROR "add_tsk_kernel(${target}): `${ARG_ARCHITECTURES}` is no architecture; they are written as in "
                        "CMAKE_CUDA_ARCHITECTURES: `90a` for sm_90a")
  endif()
  _tsk_check_places(${target})
  _tsk_check_language(${target} "${ARG_SIMULATOR}")

  _tsk_options(options)
  set(outputs)
  foreach(source IN LISTS ARG_SOURCES)
    _tsk_generate(${target} ${source} "${options}" cu header)
    list(APPEND outputs ${cu} ${header})
    _tsk_compile_flags(${cu} "${ARG_SIMULATOR}" "${ARG_ARCHITECTURES}")
    _tsk_include_folders(${cu} ${source})
  endforeach()

  # A library of its own: the flags of the target's other sources do not fit generated code.
  set(kernels ${target}.tsk)
  if(TARGET ${kernels})
    target_sources(${kernels} PRIVATE ${outputs})
  else()
    add_library(${kernels} OBJECT ${outputs})
    set_target_properties(${kernels} PROPERTIES CUDA_ARCHITECTURES OFF POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${kernels} PRIVATE ${_tsk_runtime})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${kernels}>)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/${target}.tsk>)
    target_link_libraries(${target} PUBLIC ${_tsk_runtime})
  endif()
endfunction()

function(_tsk_check_target target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "add_tsk_kernel: there is no target `${target}`")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(aliased OR imported OR type MATCHES "^(INTERFACE_LIBRARY|UTILITY)$")
    message(FATAL_ERROR "add_tsk_kernel: `${target}` compiles nothing, so it can have no kernels; give them to an executable "
                        "or a library that is built here")
  endif()
endfunction()

# `SIMULATR` behind a list would be one more element of it. Words in capitals are taken for misspelt
# keywords, but for namespaces, what goes to tskc as it is, and files and folders that are there.
function(_tsk_check_keywords target)
  set(keywords SOURCES ARCHITECTURES DEFINES INCLUDE_DIRECTORIES NAMESPACE OPTIONS SIMULATOR)
  set(last)
  foreach(word IN LISTS ARGN)
    if(word IN_LIST keywords)
      set(last "${word}")
    elseif(last STREQUAL "NAMESPACE")
      set(last) # has one value
    elseif(word MATCHES "^[A-Z][A-Z_]+$" AND NOT last STREQUAL "OPTIONS" AND NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${word}")
      list(JOIN keywords ", " known)
      message(FATAL_ERROR "add_tsk_kernel(${target}): `${word}` is no keyword; they are ${known}")
    endif()
  endforeach()
endfunction()

# Generated files lie in one folder a target, by the names of their sources, and their properties
# hold in the folder of the call.
function(_tsk_check_places target)
  get_target_property(folder ${target} TSK_FOLDER)
  if(folder AND NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "add_tsk_kernel(${target}): called for this target in ${folder} already, and now in "
                        "${CMAKE_CURRENT_SOURCE_DIR}; all kernels of a target are added in one folder")
  endif()
  get_target_property(names ${target} TSK_NAMES)
  if(NOT names)
    set(names)
  endif()
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(name ${source} NAME)
    if(name IN_LIST names)
      message(FATAL_ERROR "add_tsk_kernel(${target}): two sources are called `${name}`; their generated files would have one "
                          "name too, so rename one or give it a target of its own")
    endif()
    get_filename_component(path ${source} ABSOLUTE)
    get_source_file_property(generated ${path} GENERATED)
    if(NOT generated AND NOT EXISTS ${path})
      message(FATAL_ERROR "add_tsk_kernel(${target}): there is no file `${source}`, and no rule before this call makes it")
    endif()
    list(APPEND names ${name})
  endforeach()
  set_target_properties(${target} PROPERTIES TSK_FOLDER "${CMAKE_CURRENT_SOURCE_DIR}" TSK_NAMES "${names}")
endfunction()

# Sets _tsk_runtime: what generated code is compiled and linked with.
macro(_tsk_check_language target simulator)
  if("${simulator}")
    set(_tsk_runtime tskc::sim)
  else()
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT CUDA IN_LIST languages)
      message(FATAL_ERROR "add_tsk_kernel(${target}): the project has not enabled CUDA; call "
                          "enable_language(CUDA), or say SIMULATOR to compile for the CPU")
    endif()
    # Launchers' headers name types of the toolkit, also in files that the C++ compiler reads.
    find_package(CUDAToolkit REQUIRED)
    _tsk_check_toolkit(${target} "${ARG_ARCHITECTURES}" "${CUDAToolkit_VERSION}")
    set(_tsk_runtime tskc::runtime CUDA::cudart)
  endif()
endmacro()

# The headers need types of CUDA 12.8; newer architectures need the toolkit that brought them.
function(_tsk_check_toolkit target architecture version)
  set(oldest_103a 12.9)
  set(oldest 12.8)
  if(oldest_${architecture})
    set(oldest ${oldest_${architecture}})
  endif()
  if(version VERSION_LESS oldest)
    message(FATAL_ERROR "add_tsk_kernel(${target}): kernels for ${architecture} need CUDA ${oldest} or later; this toolkit is "
                        "${version}. CUDAToolkit_ROOT and CMAKE_CUDA_COMPILER name another")
  endif()
endfunction()

function(_tsk_options result)
  set(options ${ARG_OPTIONS})
  list(GET ARG_ARCHITECTURES 0 first)
  list(APPEND options --arch=sm_${first})
  foreach(define IN LISTS ARG_DEFINES)
    _tsk_unless_empty(option -D ${define})
    list(APPEND options ${option})
  endforeach()
  _tsk_folders(folders)
  foreach(folder IN LISTS folders)
    _tsk_unless_empty(option -I ${folder})
    list(APPEND options ${option})
  endforeach()
  if(ARG_NAMESPACE)
    list(APPEND options --namespace=${ARG_NAMESPACE})
  endif()
  # Ninja then skips the C++ compiler where the code stayed the same. Make looks at times only: an
  # output older than its source would be made again by each build.
  if(CMAKE_GENERATOR MATCHES "Ninja")
    list(APPEND options --keep-unchanged)
  endif()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

# The option and its value, or nothing if the value is a generator expression that turns out empty.
function(_tsk_unless_empty result option value)
  if(value MATCHES "\\$<")
    set(${result} "$<$<BOOL:${value}>:${option}${value}>" PARENT_SCOPE)
  else()
    set(${result} ${option}${value} PARENT_SCOPE)
  endif()
endfunction()

# INCLUDE_DIRECTORIES, absolute but for generator expressions.
function(_tsk_folders result)
  set(folders)
  foreach(folder IN LISTS ARG_INCLUDE_DIRECTORIES)
    if(NOT folder MATCHES "^\\$<")
      get_filename_component(folder ${folder} ABSOLUTE)
    endif()
    list(APPEND folders ${folder})
  endforeach()
  set(${result} "${folders}" PARENT_SCOPE)
endfunction()

# The rule for one source. The path is absolute, as dependency rules need; generated code does not
# repeat it.
function(_tsk_generate target source options result_cu result_header)
  get_filename_component(path ${source} ABSOLUTE)
  get_filename_component(name ${source} NAME)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.tsk)
  set(cu ${folder}/${name}.cu)
  set(header ${folder}/${name}.h)
  file(MAKE_DIRECTORY ${folder})
  file(RELATIVE_PATH shown ${CMAKE_CURRENT_SOURCE_DIR} ${path})
  add_custom_command(
    OUTPUT ${cu} ${header}
    COMMAND tskc::tskc compile ${path} -o ${cu} -MD -MF ${cu}.d -MT ${cu} ${options}
    DEPENDS ${path} tskc::tskc
    DEPFILE ${cu}.d
    COMMENT "Compiling kernel ${shown}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(${result_cu} ${cu} PARENT_SCOPE)
  set(${result_header} ${header} PARENT_SCOPE)
endfunction()

# C++ that a kernel's file includes is found where tskc finds it: beside the file, then in the folders
# of imports.
function(_tsk_include_folders cu source)
  get_filename_component(path ${source} ABSOLUTE)
  get_filename_component(folder ${path} DIRECTORY)
  _tsk_folders(folders)
  list(PREPEND folders ${folder})
  set_source_files_properties(${cu} PROPERTIES INCLUDE_DIRECTORIES "${folders}")
endfunction()

function(_tsk_compile_flags cu simulator architectures)
  if(simulator)
    set_source_files_properties(${cu} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
    return()
  endif()
  # In full: -arch=sm_90a would also compile for compute_90, which lacks what kernels need.
  set(flags)
  foreach(architecture IN LISTS architectures)
    list(APPEND flags -gencode arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  set_source_files_properties(${cu} PROPERTIES COMPILE_OPTIONS "${flags}")
endfunction()
