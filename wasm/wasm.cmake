# The WebAssembly modules: qkv.mjs + qkv.wasm translates, attention.mjs + attention.wasm computes the attention family, and
# models.mjs + models.wasm runs models that people bring. Included by the root CMakeLists.txt when Emscripten compiles.

qkv_headers(HIGHWAY hwy/highway.h)
# One target, chosen by the build (baseline or relaxed SIMD): nothing to dispatch at run time, and no libhwy.
target_compile_definitions(qkv_core PUBLIC HWY_COMPILE_ONLY_STATIC QKV_TRAINABLE=$<BOOL:${QKV_WASM_TRAINING}>)

# The build with sanitizers is for tests in Node. Only the time of the tests matters.
option(QKV_SANITIZED "The compiler's flags ask for sanitizers" OFF)
if(QKV_SANITIZED)
  set(QKV_SMALL -O1)
  set(QKV_FAST -O1)
  set(QKV_LINK -O1 -sSTACK_SIZE=2MB)
else()
  # Optimising at link time makes the download smaller by one twentieth.
  set(QKV_SMALL -Oz -flto)
  set(QKV_FAST -O3)
  # Hot code was compiled for speed, so the linker can optimise for size; translating is not slower. Inlining was done when
  # each file was compiled; more inlining at link time would take 1.5 KB.
  set(QKV_LINK $<IF:$<BOOL:${QKV_WASM_TRAINING}>,-O3,-Oz> -sSTACK_SIZE=512KB -Wl,-mllvm,-inline-threshold=-100)
endif()

# Workers that share one memory, for cross-origin isolated pages that request threads. The page gives their number, and all
# start with the engine, because no thread can start while one computes.
option(QKV_WASM_THREADS "The compiler's flags ask for threads" OFF)
set(QKV_INCOMING instantiateWasm,print,printErr,onAbort)
if(QKV_WASM_THREADS)
  list(APPEND QKV_LINK -sPTHREAD_POOL_SIZE=Module.workers -sPTHREAD_POOL_SIZE_STRICT=2 -Wno-pthreads-mem-growth)
  set(QKV_INCOMING ${QKV_INCOMING},mainScriptUrlOrBlob)
endif()

# Only the kernels and the tokenizer's loops are compiled for speed. All other code is compiled for size.
set(QKV_HOT_SOURCES ${QKV_CORE_SOURCES})
list(FILTER QKV_HOT_SOURCES INCLUDE REGEX "/core/(kernels/|attention/(attend|head_stages)|text/(trie|unigram)[.])")
target_compile_options(qkv_core PRIVATE ${QKV_SMALL})
# A precompiled header has one level of optimisation.
set_source_files_properties(${QKV_HOT_SOURCES} PROPERTIES COMPILE_OPTIONS ${QKV_FAST} SKIP_PRECOMPILE_HEADERS ON)

# The bindings of every program, and those of the programs that translate.
add_library(qkv_bindings OBJECT wasm/bindings.cc wasm/values.cc)
target_link_libraries(qkv_bindings PUBLIC qkv_core)
target_compile_options(qkv_bindings PUBLIC ${QKV_NO_THROW} ${QKV_SMALL})
target_compile_definitions(qkv_bindings PUBLIC EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
add_library(qkv_translation_bindings OBJECT wasm/jobs.cc wasm/models.cc)
target_link_libraries(qkv_translation_bindings PUBLIC qkv_bindings)
# Every file of bindings includes Embind and Eigen, which are large, so they are compiled once.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  target_precompile_headers(qkv_bindings PRIVATE <emscripten/bind.h> <Eigen/Core>)
endif()
function(qkv_reuse_headers target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} REUSE_FROM qkv_bindings)
  endif()
endfunction()
qkv_reuse_headers(qkv_translation_bindings)

# A program of the core's library and some bindings: NAME.mjs + NAME.wasm. Only code that the bindings use is linked.
function(qkv_program target name)
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .mjs)
  target_link_libraries(${target} PRIVATE qkv_bindings)
  qkv_reuse_headers(${target})
  target_link_options(${target} PRIVATE
    ${QKV_LINK} -fno-exceptions -fno-rtti -lembind -Wl,-Map=${name}.map
    -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createQkv -sENVIRONMENT=web,worker
    -sFILESYSTEM=0 -sDYNAMIC_EXECUTION=0
    -sMALLOC=emmalloc -sALLOW_MEMORY_GROWTH -sMEMORY_GROWTH_GEOMETRIC_STEP=0.02
    # The JavaScript library fetches and compiles the wasm, and passes the instance to the glue. So the glue for pages and
    # workers also runs in Node, and contains no import of Node's modules, which bundlers would follow.
    -sINCOMING_MODULE_JS_API=${QKV_INCOMING})
endfunction()

if(QKV_WASM_TRAINING)  # only models that it has trained translate
  qkv_program(qkv_wasm qkv wasm/no_changes.cc wasm/training.cc wasm/pointer.cc)
else()
  qkv_program(qkv_wasm qkv wasm/no_changes.cc wasm/translation_models.cc)
endif()
target_link_libraries(qkv_wasm PRIVATE qkv_translation_bindings)
# The symbols of each file, for `npm run size`. After optimising at link time a function no longer has the name of its file.
add_custom_command(TARGET qkv_wasm POST_BUILD COMMAND ${CMAKE_NM} $<TARGET_FILE:qkv_core> > core.symbols)
# The program of qkv/models: models like BERT and GPT-2, MarianMT folders of every kind, pickles of PyTorch. It has no build
# with training.
set(QKV_ATTENTION_BINDINGS wasm/attention.cc wasm/choices.cc wasm/linear_attention.cc wasm/positions.cc wasm/tensor.cc)
if(QKV_WASM_TRAINING)  # with gradients; the options of the linker are the same, because all builds share one glue
  qkv_program(qkv_attention_wasm attention ${QKV_ATTENTION_BINDINGS} wasm/attention_gradient.cc)
  target_link_options(qkv_attention_wasm PRIVATE -Oz)
else()
  if(NOT QKV_WASM_THREADS)
    qkv_program(qkv_attention_wasm attention ${QKV_ATTENTION_BINDINGS})
  endif()
  qkv_program(qkv_models_wasm models wasm/any_models.cc wasm/one_sided.cc wasm/changes.cc wasm/explain.cc)
  target_link_libraries(qkv_models_wasm PRIVATE qkv_translation_bindings)
endif()

# The command for Node (`npx qkv`): the sources of the native command without training and without `qkv detect`, and with
# Node's zlib. Only this program has exceptions, because CLI11 throws.
if(NOT QKV_WASM_TRAINING AND NOT QKV_WASM_THREADS AND NOT QKV_SANITIZED AND NOT CMAKE_CXX_FLAGS MATCHES "relaxed")
  file(GLOB QKV_COMMAND_SOURCES CONFIGURE_DEPENDS core/cli/*.cc wasm/command/*.cc)
  list(FILTER QKV_COMMAND_SOURCES EXCLUDE REGEX "/core/cli/(data|detect|evaluate|export|learn_vocabulary|shortlist|train|vocab)[.]cc")
  # Those of which wasm/command has its own.
  list(FILTER QKV_COMMAND_SOURCES EXCLUDE REGEX "/core/cli/(gzip_output|open_input|stop)[.]cc")
  qkv_headers(CLI11 CLI/CLI.hpp)
  add_executable(qkv_command ${QKV_COMMAND_SOURCES} core/io/files.cc core/io/npz_file.cc
                 core/translate/folder.cc core/translate/marian_folder.cc)
  set_target_properties(qkv_command PROPERTIES OUTPUT_NAME command SUFFIX .mjs
                        UNITY_BUILD ${QKV_UNITY} UNITY_BUILD_BATCH_SIZE 9)
  target_compile_definitions(qkv_command PRIVATE QKV_COMMAND QKV_VERSION="${PROJECT_VERSION}")
  target_compile_options(qkv_command PRIVATE -Oz -fwasm-exceptions)
  target_link_libraries(qkv_command PRIVATE qkv_core)
  target_link_options(qkv_command PRIVATE
    -Oz -fwasm-exceptions -Wl,-Map=command.map -sMALLOC=emmalloc -sSTACK_SIZE=1MB -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createCommand -sENVIRONMENT=node
    -sNODERAWFS -sINVOKE_RUN=0 -sEXIT_RUNTIME -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB
    -sEXPORTED_RUNTIME_METHODS=callMain,ENV -sINCOMING_MODULE_JS_API=preRun
    "SHELL:--js-library ${PROJECT_SOURCE_DIR}/wasm/command/files.js"
    "SHELL:--js-library ${PROJECT_SOURCE_DIR}/wasm/command/input.js"
    "SHELL:--js-library ${PROJECT_SOURCE_DIR}/wasm/command/system.js")
  file(GLOB QKV_COMMAND_LIBRARIES CONFIGURE_DEPENDS wasm/command/*.js)
  set_target_properties(qkv_command PROPERTIES LINK_DEPENDS "${QKV_COMMAND_LIBRARIES}")
endif()

# The core alone, for `npm run bench`: qkv_bench.mjs, in Node and in pages. Models are files in memory.
file(GLOB QKV_BENCH_SOURCES CONFIGURE_DEPENDS tests/bench/*.cc)
if(QKV_BENCH_SOURCES)
  add_executable(qkv_bench EXCLUDE_FROM_ALL ${QKV_BENCH_SOURCES})
  set_target_properties(qkv_bench PROPERTIES SUFFIX .mjs)
  target_link_libraries(qkv_bench PRIVATE qkv_core)
  target_compile_options(qkv_bench PRIVATE ${QKV_NO_THROW} -O3)
  target_link_options(qkv_bench PRIVATE
    ${QKV_LINK} -fno-exceptions -fno-rtti -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,node -sALLOW_MEMORY_GROWTH
    -sMALLOC=emmalloc -sINVOKE_RUN=0 -sFORCE_FILESYSTEM -sEXPORTED_RUNTIME_METHODS=callMain,FS
    -sINCOMING_MODULE_JS_API=print,printErr)
endif()
