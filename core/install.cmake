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
# The installed command must find its shared libraries. INSTALL_RPATH_USE_LINK_PATH adds the folders of all libraries outside
# the project. Highway can be inside the project, at build/toolchain. So the folder of Highway is added here.
set_target_properties(qkv PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
get_target_property(QKV_HIGHWAY hwy::hwy LOCATION)
file(REAL_PATH "${QKV_HIGHWAY}" QKV_HIGHWAY)
cmake_path(GET QKV_HIGHWAY PARENT_PATH QKV_HIGHWAY)
if(NOT QKV_HIGHWAY IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  set_target_properties(qkv PROPERTIES INSTALL_RPATH "${QKV_HIGHWAY}")
endif()
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

# The manual page and the completions are what the command prints.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/printed)
function(qkv_install_printed file folder)
  set(path ${CMAKE_BINARY_DIR}/printed/${file})
  add_custom_command(OUTPUT ${path} COMMAND qkv ${ARGN} > ${path} DEPENDS qkv VERBATIM)
  add_custom_target(print_${file} ALL DEPENDS ${path})
  install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT command)
endfunction()
if(NOT CMAKE_CROSSCOMPILING)
  qkv_install_printed(qkv.1 man/man1 man)
  qkv_install_printed(qkv bash-completion/completions completion bash)
  qkv_install_printed(_qkv zsh/site-functions completion zsh)
  qkv_install_printed(qkv.fish fish/vendor_completions.d completion fish)
endif()
