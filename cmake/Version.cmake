# EFT_VERSION is the version in frontend/eft/version.py. Before 1.0 a new minor version may change
# the binary interface, so the shared libraries' names contain both the major and the minor number.
file(STRINGS ${PROJECT_SOURCE_DIR}/frontend/eft/version.py line REGEX "^__version__ = ")
string(REGEX MATCH "([0-9]+)\\.([0-9]+)\\.([0-9]+)" EFT_VERSION "${line}")
set(EFT_INTERFACE_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/frontend/eft/version.py)
