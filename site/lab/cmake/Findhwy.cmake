# Highway's headers, which suffice: with one target there is nothing to choose at run time. site/lab/build links them in from Debian's.
find_path(HWY_INCLUDE_DIR hwy/highway.h REQUIRED)
set(hwy_FOUND ON)
if(NOT TARGET hwy::hwy)
  add_library(hwy::hwy INTERFACE IMPORTED)
  set_target_properties(hwy::hwy PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${HWY_INCLUDE_DIR}")
endif()
