# The lab has one thread; a thread of its own would need headers that a server of static files does not send.
set(Threads_FOUND ON)
if(NOT TARGET Threads::Threads)
  add_library(Threads::Threads INTERFACE IMPORTED)
endif()
