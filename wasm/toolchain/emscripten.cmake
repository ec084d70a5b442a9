# Finds Emscripten: the one that setup.sh has installed, otherwise the emcc on the PATH.

find_program(QKV_EMCC emcc PATHS "${CMAKE_CURRENT_LIST_DIR}/../../build/toolchain/bin" NO_DEFAULT_PATH)
find_program(QKV_EMCC emcc)
if(NOT QKV_EMCC)
  message(FATAL_ERROR "There is no emcc: run wasm/toolchain/setup.sh, or put Emscripten 3.1.60 or newer on the PATH.")
endif()
get_filename_component(bin "${QKV_EMCC}" DIRECTORY)
execute_process(COMMAND "${bin}/em-config" EMSCRIPTEN_ROOT OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
include("${root}/cmake/Modules/Platform/Emscripten.cmake")
