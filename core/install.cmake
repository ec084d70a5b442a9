# What `cmake --install` writes: the command, the library, its headers, the CMake package `qkv` with the target qkv::core,
# and a file for pkg-config. Included by the root CMakeLists.txt.

if(NOT PROJECT_IS_TOP_LEVEL)
  return()  # a project that contains this one decides for itself
endif()

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(QKV_HEADERS "${CMAKE_INSTALL_INCLUDEDIR}/qkv")  # "core/qkv.h" is found below this folder
set(QKV_PACKAGE "${CMAKE_INSTALL_LIBDIR}/cmake/qkv")

set_target_properties(qkv_core PROPERTIES EXPORT_NAME core)
set_target_properties(qkv PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)  # Highway may be in a folder of its own
target_include_directories(qkv_core INTERFACE $<INSTALL_INTERFACE:${QKV_HEADERS}>)
target_compile_features(qkv_core INTERFACE cxx_std_20)
install(TARGETS qkv_core EXPORT qkvTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(TARGETS qkv RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core DESTINATION ${QKV_HEADERS} COMPONENT library
        FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE PATTERN "*-inl.h" EXCLUDE)
install(EXPORT qkvTargets NAMESPACE qkv:: DESTINATION ${QKV_PACKAGE} COMPONENT library)

configure_package_config_file(${PROJECT_SOURCE_DIR}/core/qkvConfig.cmake.in ${CMAKE_BINARY_DIR}/qkvConfig.cmake
                              INSTALL_DESTINATION ${QKV_PACKAGE})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/qkvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/qkvConfig.cmake ${CMAKE_BINARY_DIR}/qkvConfigVersion.cmake DESTINATION ${QKV_PACKAGE}
        COMPONENT library)

file(RELATIVE_PATH QKV_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${PROJECT_SOURCE_DIR}/core/qkv.pc.in ${CMAKE_BINARY_DIR}/qkv.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/qkv.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
