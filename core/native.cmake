# What is built natively besides the core: the `qkv` command and the tests. Included by the root CMakeLists.txt.

find_package(HWY 1.2 CONFIG REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)  # compressed training data
target_link_libraries(qkv_core PUBLIC hwy::hwy Threads::Threads ZLIB::ZLIB)

file(GLOB QKV_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/cli/*.cc)
if(QKV_CLI_SOURCES)
  find_path(QKV_CLI11_DIR CLI/CLI.hpp REQUIRED)
  # CLI11 throws: this target alone has exceptions.
  add_executable(qkv ${QKV_CLI_SOURCES})
  target_include_directories(qkv SYSTEM PRIVATE ${QKV_CLI11_DIR})
  set_target_properties(qkv PROPERTIES UNITY_BUILD ${QKV_UNITY} UNITY_BUILD_BATCH_SIZE 9)
  target_compile_definitions(qkv PRIVATE QKV_VERSION="${PROJECT_VERSION}")
  target_link_libraries(qkv PRIVATE qkv_core)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_compile_options(qkv PRIVATE -fno-sanitize=vptr)  # asks for the types that the core is compiled without
  endif()
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(qkv PRIVATE <CLI/CLI.hpp> <Eigen/Core>)  # most of a command's compile time
  endif()
  # Learns vocabularies. Without it `qkv vocab` takes those that there are.
  find_path(QKV_SENTENCEPIECE_INCLUDE sentencepiece_trainer.h)
  find_library(QKV_SENTENCEPIECE sentencepiece)
  find_library(QKV_SENTENCEPIECE_TRAINER sentencepiece_train)
  if(QKV_SENTENCEPIECE_INCLUDE AND QKV_SENTENCEPIECE AND QKV_SENTENCEPIECE_TRAINER)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/core/cli/learn_vocabulary.cc PROPERTIES
                                COMPILE_DEFINITIONS QKV_SENTENCEPIECE_TRAINER SKIP_PRECOMPILE_HEADERS ON)
    target_include_directories(qkv SYSTEM PRIVATE ${QKV_SENTENCEPIECE_INCLUDE})
    target_link_libraries(qkv PRIVATE ${QKV_SENTENCEPIECE_TRAINER} ${QKV_SENTENCEPIECE})
  endif()
  # Corpora in .zst. Without it `qkv translate` reads and writes plain files and gzip.
  find_path(QKV_ZSTD_INCLUDE zstd.h)
  find_library(QKV_ZSTD zstd)
  if(QKV_ZSTD_INCLUDE AND QKV_ZSTD)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/core/cli/zstd_stream.cc PROPERTIES
                                COMPILE_DEFINITIONS QKV_ZSTD SKIP_PRECOMPILE_HEADERS ON)
    target_include_directories(qkv SYSTEM PRIVATE ${QKV_ZSTD_INCLUDE})
    target_link_libraries(qkv PRIVATE ${QKV_ZSTD})
  endif()
  # Trains with several processes. Without it `qkv train` is one process.
  # Its C interface: that of C++ is a library of its own, which nothing here needs.
  include(CheckLanguage)
  check_language(C)
  if(CMAKE_C_COMPILER)
    enable_language(C)
    find_package(MPI COMPONENTS C)
  endif()
  if(MPI_C_FOUND)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/core/cli/mpi_processes.cc PROPERTIES
                                COMPILE_DEFINITIONS "QKV_MPI;OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX" SKIP_PRECOMPILE_HEADERS ON)
    target_link_libraries(qkv PRIVATE MPI::MPI_C)
  endif()
endif()

file(GLOB QKV_TEST_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/core/*_test.cc)
find_package(GTest)
if(QKV_TEST_SOURCES AND GTest_FOUND)
  add_executable(qkv_tests ${QKV_TEST_SOURCES})
  target_compile_options(qkv_tests PRIVATE ${QKV_NO_THROW})
  target_link_libraries(qkv_tests PRIVATE qkv_core GTest::gtest GTest::gtest_main)
  target_precompile_headers(qkv_tests PRIVATE <gtest/gtest.h> <Eigen/Core>)  # most of a test's compile time
endif()

# Speed of the kernels on every target of this machine: ninja qkv_bench && ./qkv_bench [part of a name]
file(GLOB QKV_BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bench/*.cc)
if(QKV_BENCH_SOURCES)
  add_executable(qkv_bench EXCLUDE_FROM_ALL ${QKV_BENCH_SOURCES})
  target_link_libraries(qkv_bench PRIVATE qkv_core)
endif()

# What web/docs/claims.md measures natively, as `npm run claims` builds and runs it: claim_NAME for each file.
file(GLOB QKV_CLAIM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/claims/*.cc)
foreach(source ${QKV_CLAIM_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(claim_${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(claim_${name} PRIVATE qkv_core)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  add_subdirectory(examples/cpp)
endif()

# What tests/oracle/sentencepiece_parity.py and tests/cli/vocab.test.js compare with SentencePiece.
add_executable(spm_dump ${PROJECT_SOURCE_DIR}/tests/oracle/spm_dump.cc)
target_link_libraries(spm_dump PRIVATE qkv_core)
# The same for tests/oracle/tokenizer_parity.mjs: ninja tokenizer_dump
add_executable(tokenizer_dump EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/oracle/tokenizer_dump.cc)
target_link_libraries(tokenizer_dump PRIVATE qkv_core)

# One libFuzzer binary for each tests/fuzz/*_fuzz.cc: the preset `fuzz`, run by tests/fuzz/run.mjs.
option(QKV_FUZZ "Build the fuzzers" OFF)
if(QKV_FUZZ)
  file(GLOB QKV_FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cc)
  foreach(source ${QKV_FUZZ_SOURCES})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_compile_options(${name} PRIVATE ${QKV_NO_THROW})
    target_link_libraries(${name} PRIVATE qkv_core -fsanitize=fuzzer)
    list(APPEND QKV_FUZZERS ${name})
  endforeach()
  add_custom_target(fuzzers DEPENDS ${QKV_FUZZERS})
endif()
