# The WebAssembly module: qkv.mjs + qkv.wasm. Included by the root CMakeLists.txt when Emscripten compiles.

qkv_headers(HIGHWAY hwy/highway.h)
# One target, chosen by the build (baseline or relaxed SIMD): nothing to dispatch at run time, and no libhwy.
target_compile_definitions(qkv_core PUBLIC HWY_COMPILE_ONLY_STATIC QKV_TRAINABLE=$<BOOL:${QKV_WASM_TRAINING}>)

# The sanitizers' build is for tests in Node: only their time counts.
option(QKV_SANITIZED "The compiler's flags ask for sanitizers" OFF)
if(QKV_SANITIZED)
  set(QKV_SMALL -O1)
  set(QKV_FAST -O1)
  set(QKV_LINK -O1 -sSTACK_SIZE=2MB)
else()
  set(QKV_SMALL -Oz)
  set(QKV_FAST -O3)
  set(QKV_LINK -O3 -sSTACK_SIZE=512KB)
endif()

# Workers that share one memory: for pages that are cross-origin isolated, and only when asked for. As many as the page
# says are started with the engine, since no thread can be made while one computes.
option(QKV_WASM_THREADS "The compiler's flags ask for threads" OFF)
set(QKV_INCOMING instantiateWasm,print,printErr,onAbort)
if(QKV_WASM_THREADS)
  list(APPEND QKV_LINK -sPTHREAD_POOL_SIZE=Module.workers -sPTHREAD_POOL_SIZE_STRICT=2 -Wno-pthreads-mem-growth)
  set(QKV_INCOMING ${QKV_INCOMING},mainScriptUrlOrBlob)
endif()

# Speed is in the kernels, the search and the tokenizer's loops; everywhere else a byte in the download counts for more.
set(QKV_HOT_SOURCES ${QKV_CORE_SOURCES})
list(FILTER QKV_HOT_SOURCES INCLUDE REGEX "/core/((kernels|decode)/|attention/attend|text/(bpe|charsmap|normalizer|trie|unigram)[.])")
target_compile_options(qkv_core PRIVATE ${QKV_SMALL})
# A header is precompiled for one level of optimisation.
set_source_files_properties(${QKV_HOT_SOURCES} PROPERTIES COMPILE_OPTIONS ${QKV_FAST} SKIP_PRECOMPILE_HEADERS ON)

file(GLOB QKV_WASM_SOURCES CONFIGURE_DEPENDS wasm/*.cc)
if(QKV_WASM_TRAINING)  # what is trained translates, and no more
  list(FILTER QKV_WASM_SOURCES INCLUDE REGEX "/(bindings|jobs|models|training|values)[.]cc")
else()
  list(FILTER QKV_WASM_SOURCES EXCLUDE REGEX "/training[.]cc")
endif()
if(QKV_WASM_SOURCES)
  add_executable(qkv_wasm ${QKV_WASM_SOURCES})
  set_target_properties(qkv_wasm PROPERTIES OUTPUT_NAME qkv SUFFIX .mjs)
  target_link_libraries(qkv_wasm PRIVATE qkv_core)
  target_compile_options(qkv_wasm PRIVATE ${QKV_NO_THROW} ${QKV_SMALL})
  target_compile_definitions(qkv_wasm PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
  target_link_options(qkv_wasm PRIVATE
    ${QKV_LINK} -fno-exceptions -fno-rtti -lembind -Wl,-Map=qkv.map
    -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createQkv -sENVIRONMENT=web,worker
    -sFILESYSTEM=0 -sDYNAMIC_EXECUTION=0
    -sMALLOC=emmalloc -sALLOW_MEMORY_GROWTH
    # The library fetches and compiles the wasm itself and hands the instance in: so the glue, though made for pages and
    # workers, runs in Node too, and no bundler meets an import of Node's.
    -sINCOMING_MODULE_JS_API=${QKV_INCOMING})
endif()

# The core by itself, for `npm run bench`: qkv_bench.mjs, in Node and in pages. Models are given to it as files in memory.
file(GLOB QKV_BENCH_SOURCES CONFIGURE_DEPENDS tests/bench/*.cc)
if(QKV_BENCH_SOURCES)
  add_executable(qkv_bench EXCLUDE_FROM_ALL ${QKV_BENCH_SOURCES})
  set_target_properties(qkv_bench PROPERTIES SUFFIX .mjs)
  target_link_libraries(qkv_bench PRIVATE qkv_core)
  target_compile_options(qkv_bench PRIVATE ${QKV_NO_THROW} -O3)
  target_link_options(qkv_bench PRIVATE
    ${QKV_LINK} -fno-exceptions -fno-rtti -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,node -sALLOW_MEMORY_GROWTH
    -sINVOKE_RUN=0 -sFORCE_FILESYSTEM -sEXPORTED_RUNTIME_METHODS=callMain,FS
    -sINCOMING_MODULE_JS_API=print,printErr)
endif()
