#!/usr/bin/env bash
# Looks for the tools that build qkv. Installs missing ones if the system has apt. Tools that Debian lacks go into a private
# prefix in the user's cache folder. All checkouts share it; build/toolchain is a link to it.
#
# usage: setup.sh [--tests]
#   --tests   also the tools of the tests and linters: GoogleTest, clang-format, clang-tidy, Chromium, Firefox; with apt also
#             WebKitGTK (the engine of Safari) with its driver, and a virtual display
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

with_tests=false
[ "${1:-}" != --tests ] || with_tests=true
here=wasm/toolchain
link=build/toolchain
missing=()   # each a tool and its version, for messages
packages=()  # their names in apt

has() { command -v "$1" >/dev/null 2>&1; }
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }  # at_least WANTED FOUND
version_of() { "$@" --version 2>/dev/null | grep -Eo '[0-9]+\.[0-9]+(\.[0-9]+)?' | head -n 1; }
# need TOOL APT_PACKAGES COMMAND...: COMMAND succeeds if TOOL is installed.
need() {
  local tool=$1 apt=$2
  shift 2
  if ! "$@" >/dev/null 2>&1; then
    missing+=("$tool")
    packages+=($apt)
  fi
}

find_clang() {
  local name
  for name in "${CXX:-}" clang++-{19,20,21,18,17,16} clang++; do
    if [ -n "$name" ] && has "$name" && "$name" --version | grep -q clang && at_least 16 "$(version_of "$name")"; then
      clang=$name
      return
    fi
  done
  return 1
}
program_at_least() { has "$1" && at_least "$2" "$(version_of "$1")"; }
any_program() {
  local name
  for name in "$@"; do has "$name" && return; done
  return 1
}
any_at_least() {  # any_at_least VERSION NAME...
  local wanted=$1 name
  shift
  for name in "$@"; do program_at_least "$name" "$wanted" && return; done
  return 1
}
has_header() { compiles "#if !__has_include(<$1>)
    #error
    #endif"; }
# compiles TEXT: whether clang compiles this program, with headers from the usual places.
compiles() {
  "$clang" -std=c++20 -fsyntax-only -x c++ -I/usr/include/eigen3 -I/usr/local/include -I/usr/local/include/eigen3 \
    -I/opt/homebrew/include -I/opt/homebrew/include/eigen3 - <<<"$1"
}

find_tools() {
  missing=() packages=() clang=clang++
  need 'clang >= 16 with lld' 'clang-19 lld-19 llvm-19 libclang-rt-19-dev' find_clang
  need 'CMake >= 3.25' cmake program_at_least cmake 3.25
  need 'Ninja' ninja-build has ninja
  need 'Python 3' python3 has python3
  need 'CLI11' libcli11-dev has_header CLI/CLI.hpp
  need 'zlib' zlib1g-dev has_header zlib.h
  ! has apt-get || need 'zstd' libzstd-dev has_header zstd.h
  need 'SentencePiece' libsentencepiece-dev has_header sentencepiece_trainer.h
  $with_tests || return 0
  need 'pkg-config' pkg-config has pkg-config
  need 'GoogleTest' libgtest-dev has_header gtest/gtest.h
  need "SentencePiece's commands" sentencepiece has spm_encode
  # Other systems may lack these; then the tests that need them are skipped.
  if has apt-get; then
    need 'Open MPI' 'libopenmpi-dev openmpi-bin' has mpirun
    need 'GNU parallel' parallel has parallel
    need 'Dask' python3-distributed /usr/bin/python3 -c 'import distributed'
  fi
  need 'clang-format >= 19' clang-format-19 any_at_least 19 clang-format-{19,20,21} clang-format
  need 'clang-tidy >= 19' clang-tidy-19 any_at_least 19 clang-tidy-{22,21,20,19} clang-tidy
  need 'Chromium' chromium any_program "${CHROMIUM:-chromium}" chromium-browser google-chrome
  need 'Firefox' firefox-esr any_program "${FIREFOX:-firefox-esr}" firefox
  # Other systems have no such package; there the tests in WebKit are skipped.
  if has apt-get; then
    need "WebKitGTK's driver" webkit2gtk-driver has WebKitWebDriver
    need 'Xvfb' xvfb has Xvfb
  fi
}

# The libraries that Debian 12 does not have, or not in a new enough version.
find_libraries() {
  missing=()
  need 'Emscripten >= 3.1.60' '' program_at_least emcc 3.1.60
  need 'Highway >= 1.2' '' compiles '#include <hwy/base.h>
    static_assert(HWY_MAJOR > 1 || HWY_MINOR >= 2);'
  need 'Eigen >= 3.4' '' compiles '#include <Eigen/Core>
    static_assert(EIGEN_VERSION_AT_LEAST(3, 4, 0));'
  need 'RapidJSON (newer than its release 1.1.0)' '' compiles '#include <rapidjson/document.h>'
}

stop() {
  local list
  list=$(printf '%s, ' "${missing[@]}")
  echo "qkv cannot be built yet: please install ${list%, }, then run this again ($1)." >&2
  exit 1
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

find_tools
if [ ${#missing[@]} -gt 0 ]; then
  has apt-get || stop 'there is no apt here to do it'
  [ "$(id -u)" = 0 ] || has sudo || stop "as root: apt-get install ${packages[*]}"
  echo "setup: installing ${packages[*]}"
  as_root apt-get -qq -o DPkg::Lock::Timeout=300 update
  # clang-tidy 22 skips system headers and takes half the time of 19. Debian 12 has it among its security updates.
  ! apt-cache show clang-tidy-22 >/dev/null 2>&1 || packages=("${packages[@]/clang-tidy-19/clang-tidy-22}")
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 install "${packages[@]}" >/dev/null ||
    stop "apt-get could not install ${packages[*]}"
  find_tools
  [ ${#missing[@]} -eq 0 ] || stop 'apt installed them, yet they are not found'
fi

mkdir -p build
cache=${XDG_CACHE_HOME:-$HOME/.cache}/qkv
recipe=$(cat $here/prefix.sh $here/trixie.sh <(uname -m) | cksum | tr ' ' -)
prefix=$cache/toolchain-$recipe
if [ ! -d "$prefix" ]; then
  find_libraries
  if [ ${#missing[@]} -eq 0 ]; then
    [ ! -L $link ] || rm $link
    echo "setup: everything is here ($(command -v emcc))"
    exit
  fi
  (. /etc/os-release && [ "$ID" = debian ]) 2>/dev/null && has apt-get || stop 'only Debian has a recipe for them here'
  mkdir -p "$cache"
  echo "setup: making $prefix with Emscripten, Highway, Eigen and RapidJSON: 240 MB to download, 510 MB on disk"
  # A second run at the same time waits here. Then the prefix exists.
  (
    flock 9
    [ -d "$prefix" ] || $here/prefix.sh "$prefix"
  ) 9>"$cache/lock"
fi
ln -sfn "$prefix" $link
echo "setup: everything is here"
