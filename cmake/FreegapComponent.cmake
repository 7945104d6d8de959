# ccache, unless set up for it, keeps nothing that was compiled with precompiled headers.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# freegap_flags: how every translation unit of this repository is compiled. Never part of the installed package.
# The proofs of the floating-point enclosures assume IEEE 754 arithmetic: no contraction, no fast-math.
add_library(freegap_flags INTERFACE)
target_compile_options(freegap_flags INTERFACE
  -ffp-contract=off -fno-fast-math
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)
target_include_directories(freegap_flags INTERFACE "${PROJECT_SOURCE_DIR}/src")
# GCC forgets which precompiled headers are the system's, and reports false alarms in code it inlined from them.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  target_compile_options(freegap_flags INTERFACE
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# freegap_precompile(<target> HEADERS <header>... USES <target>...)
#
# Compiles these headers once, for other targets to name: target_precompile_headers(<other> REUSE_FROM <target>).
function(freegap_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;USES")
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp" CONTENT "")
  add_library(${target} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE freegap_flags ${arg_USES})
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

# freegap_component(<layer> SOURCES <file>... DEPENDS <target>... [USES <target>...])
#
# One layer of the library: the object library freegap_<layer>. DEPENDS are seen by the layers above as well, USES by this one
# alone. The objects become part of the one installed library, freegap.
function(freegap_component layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;USES")
  set(component "freegap_${layer}")
  add_library(${component} OBJECT ${arg_SOURCES})
  target_compile_features(${component} PUBLIC cxx_std_20)
  target_include_directories(${component} PUBLIC
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  target_link_libraries(${component} PUBLIC ${arg_DEPENDS} PRIVATE freegap_flags ${arg_USES})
  set_target_properties(${component} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
  target_sources(freegap PRIVATE $<TARGET_OBJECTS:${component}>)
  target_precompile_headers(${component} REUSE_FROM freegap_headers)
endfunction()

# freegap_compile_quickly(<target> <level> <header>...)
#
# For code that takes longer to compile than it would run slower: optimised at this level, and these headers precompiled.
function(freegap_compile_quickly target level)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${target} PRIVATE ${level})
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
