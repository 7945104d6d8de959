# Writes a C++ source that names the commit of the clone SOURCE to the file OUT, unless it says so already:
#
#   cmake -DSOURCE=folder -DOUT=commit.cpp -P commit.cmake
#
# "+changes" follows the commit where what is compiled differs from it, untracked files included. Outside a clone, or in a clone of
# another project that contains this one, the commit is "unknown".
set(commit unknown)
execute_process(
  COMMAND git -C "${SOURCE}" rev-parse --show-prefix
  RESULT_VARIABLE failed OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT failed AND prefix STREQUAL "")
  execute_process(
    COMMAND git -C "${SOURCE}" rev-parse --short=12 HEAD
    RESULT_VARIABLE failed OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    execute_process(
      COMMAND git --no-optional-locks -C "${SOURCE}" status --porcelain --untracked-files=all --
        src include cmake CMakeLists.txt CMakePresets.json
      RESULT_VARIABLE failed OUTPUT_VARIABLE changes ERROR_QUIET)
    set(commit "${head}")
    if(failed OR NOT changes STREQUAL "")
      string(APPEND commit "+changes")
    endif()
  endif()
endif()

set(text "#include \"cli/program.hpp\"\n\nnamespace freegap::cli {\nconst char* commit() { return \"${commit}\"; }\n}  // namespace freegap::cli\n")
set(written "")
if(EXISTS "${OUT}")
  file(READ "${OUT}" written)
endif()
if(NOT written STREQUAL text)
  file(WRITE "${OUT}" "${text}")
endif()
