# SPDX-License-Identifier: GPL-2.0-or-later
# CMake's toolchain file for programs of the guest. `origin env` exports its path as CMAKE_TOOLCHAIN_FILE, which cmake reads by itself.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR mips64)
get_filename_component(origin_sdk "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(CMAKE_C_COMPILER "${origin_sdk}/bin/origin-cc")
set(CMAKE_CXX_COMPILER "${origin_sdk}/bin/origin-c++")
set(CMAKE_Fortran_COMPILER "${origin_sdk}/bin/origin-fortran")
foreach(tool AR RANLIB NM STRIP OBJCOPY OBJDUMP READELF)
  string(TOLOWER ${tool} name)
  set(CMAKE_${tool} "${origin_sdk}/bin/origin-${name}" CACHE FILEPATH "")
endforeach()
set(PKG_CONFIG_EXECUTABLE "${origin_sdk}/bin/origin-pkg-config" CACHE FILEPATH "")
# ctest runs what was built through this.
set(CMAKE_CROSSCOMPILING_EMULATOR "${origin_sdk}/bin/origin-exec")
file(STRINGS "${origin_sdk}/../env" origin_sysroot REGEX "^ORIGIN_SYSROOT=")
string(REGEX REPLACE "^ORIGIN_SYSROOT='(.*)'$" "\\1" origin_sysroot "${origin_sysroot}")
# Programs of the host, but headers, libraries and packages of the guest.
set(CMAKE_FIND_ROOT_PATH "${origin_sdk}" "${origin_sysroot}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
