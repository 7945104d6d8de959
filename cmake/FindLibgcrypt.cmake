# Finds libgcrypt, with its version. Defines Libgcrypt::gcrypt.
include(FindPackageHandleStandardArgs)

find_path(Libgcrypt_INCLUDE_DIR gcrypt.h)
find_library(Libgcrypt_LIBRARY gcrypt)
mark_as_advanced(Libgcrypt_INCLUDE_DIR Libgcrypt_LIBRARY)

if(Libgcrypt_INCLUDE_DIR)
  file(STRINGS "${Libgcrypt_INCLUDE_DIR}/gcrypt.h" line REGEX "^#define GCRYPT_VERSION \"")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" Libgcrypt_VERSION "${line}")
endif()
find_package_handle_standard_args(Libgcrypt
  REQUIRED_VARS Libgcrypt_LIBRARY Libgcrypt_INCLUDE_DIR
  VERSION_VAR Libgcrypt_VERSION)

if(Libgcrypt_FOUND AND NOT TARGET Libgcrypt::gcrypt)
  add_library(Libgcrypt::gcrypt UNKNOWN IMPORTED)
  set_target_properties(Libgcrypt::gcrypt PROPERTIES
    IMPORTED_LOCATION "${Libgcrypt_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Libgcrypt_INCLUDE_DIR}")
endif()
