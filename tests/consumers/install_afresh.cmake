# Empties SCRATCH and installs what BUILD_DIR holds under SCRATCH/prefix.
file(REMOVE_RECURSE "${SCRATCH}")
execute_process(
  COMMAND ${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${SCRATCH}/prefix"
  COMMAND_ERROR_IS_FATAL ANY)
