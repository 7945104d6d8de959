# Installation: the library, its headers, a CMake package (find_package(freegap)) and a pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/freegap")

install(TARGETS freegap EXPORT freegap-targets FILE_SET HEADERS)
install(EXPORT freegap-targets NAMESPACE freegap:: DESTINATION "${package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/freegap-config.cmake.in" "${PROJECT_BINARY_DIR}/freegap-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/freegap-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${PROJECT_BINARY_DIR}/freegap-config.cmake"
    "${PROJECT_BINARY_DIR}/freegap-config-version.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindGMP.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindLibgcrypt.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindMPFR.cmake"
  DESTINATION "${package_dir}")

# pkg-config finds its prefix relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix_from_pcfiledir
  "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/freegap.pc.in" "${PROJECT_BINARY_DIR}/freegap.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/freegap.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# The documentation, as it stands in the repository.
install(FILES README.md SECURITY.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")
