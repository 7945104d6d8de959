# There is no libgcrypt in a browser: the preset `lab` names another file as FREEGAP_CIPHER.
set(Libgcrypt_FOUND ON)
if(NOT TARGET Libgcrypt::gcrypt)
  add_library(Libgcrypt::gcrypt INTERFACE IMPORTED)
endif()
