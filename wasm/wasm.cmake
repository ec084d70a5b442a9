# The WebAssembly module: qkv.mjs + qkv.wasm. Included by the root CMakeLists.txt when Emscripten compiles.

qkv_headers(HIGHWAY hwy/highway.h)
# One target, chosen by the build (baseline or relaxed SIMD): nothing to dispatch at run time, and no libhwy.
target_compile_definitions(qkv_core PUBLIC HWY_COMPILE_ONLY_STATIC)

# The sanitizers' build is for tests in Node: only their time counts.
option(QKV_SANITIZED "The compiler's flags ask for sanitizers" OFF)
if(QKV_SANITIZED)
  set(QKV_SMALL -O1)
  set(QKV_LINK -O1 -sSTACK_SIZE=2MB)
else()
  set(QKV_SMALL -Oz)
  set(QKV_LINK -O3 -sSTACK_SIZE=512KB)
endif()

# Speed is in the kernels, the search and the tokenizer's loops; everywhere else a byte in the download counts for more.
set(QKV_COLD_SOURCES ${QKV_CORE_SOURCES})
list(FILTER QKV_COLD_SOURCES EXCLUDE REGEX "/core/((kernels|decode)/|attention/attend|text/(bpe|charsmap|normalizer|trie|unigram)[.])")
set_source_files_properties(${QKV_COLD_SOURCES} PROPERTIES COMPILE_OPTIONS ${QKV_SMALL})

file(GLOB QKV_WASM_SOURCES CONFIGURE_DEPENDS wasm/*.cc)
if(QKV_WASM_SOURCES)
  add_executable(qkv_wasm ${QKV_WASM_SOURCES})
  set_target_properties(qkv_wasm PROPERTIES OUTPUT_NAME qkv SUFFIX .mjs)
  target_link_libraries(qkv_wasm PRIVATE qkv_core)
  target_compile_options(qkv_wasm PRIVATE ${QKV_NO_THROW} ${QKV_SMALL})
  target_compile_definitions(qkv_wasm PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
  target_link_options(qkv_wasm PRIVATE
    ${QKV_LINK} -fno-exceptions -fno-rtti -lembind
    -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createQkv -sENVIRONMENT=web,worker
    -sFILESYSTEM=0 -sDYNAMIC_EXECUTION=0
    -sMALLOC=emmalloc -sALLOW_MEMORY_GROWTH
    # The library fetches and compiles the wasm itself and hands the instance in: so the glue, though made for pages and
    # workers, runs in Node too, and no bundler meets an import of Node's.
    -sINCOMING_MODULE_JS_API=instantiateWasm,print,printErr,onAbort)
endif()
