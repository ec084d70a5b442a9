#!/usr/bin/env bash
# Makes a private prefix with what Debian bookworm lacks, from Debian trixie's packages: Emscripten 3.1.69 with its
# binaryen, Highway 1.2.0, Eigen 3.4.0 and a RapidJSON that clang 19 accepts. It compiles with the system's own clang-19
# and leaves the system's apt state alone. The prefix's name holds a hash of this file, so a change here makes a new one.
#
# usage: prefix.sh TARGET
# TARGET appears at once and complete, or not at all; its scripts hold its path, so it is not to be moved.
set -euo pipefail

target=$1
here=$(dirname "${BASH_SOURCE[0]}")
work=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$work"' EXIT
packages=$work/packages
prefix=$work/prefix
mkdir -p "$packages" "$prefix"/{bin,binaryen/bin,runtime}
"$here/trixie.sh" "$(dpkg --print-architecture)" "$packages" \
  emscripten binaryen libc6 libstdc++6 libgcc-s1 libhwy-dev libhwy1t64 libeigen3-dev rapidjson-dev

# Binaryen's programs run on trixie's own C library.
for package in binaryen libc6 libstdc++6 libgcc-s1; do dpkg-deb -x "$packages/${package}"_*.deb "$prefix/runtime"; done
for package in libhwy-dev libhwy1t64 libeigen3-dev rapidjson-dev; do dpkg-deb -x "$packages/${package}"_*.deb "$prefix"; done
libraries=$(dirname "$(ls "$prefix"/runtime/usr/lib/*/libc.so.6)")
loader=$(basename "$(ls "$libraries"/ld-linux*.so.*)")
for program in "$prefix"/runtime/usr/bin/wasm*; do
  name=$(basename "$program")
  at=$target/runtime/usr/lib/$(basename "$libraries")
  printf '#!/bin/sh\nexec %s/%s --library-path %s %s/runtime/usr/bin/%s "$@"\n' "$at" "$loader" "$at" "$target" "$name" \
    >"$prefix/binaryen/bin/$name"
  chmod +x "$prefix/binaryen/bin/$name"
done

# Emscripten, without the system libraries that nothing here links: graphics, sanitizers, other kinds of code.
lib=./usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten
dpkg-deb --fsys-tarfile "$packages"/emscripten_*.deb | tar x -C "$prefix" --strip-components=3 \
  --no-wildcards-match-slash --wildcards \
  --exclude="$lib/libGL*emu*" --exclude="$lib/libGL*webgl2*" --exclude="$lib/libGL*full*" --exclude="$lib/libGL*ofb*" \
  --exclude="$lib/lto/libGL*emu*" --exclude="$lib/lto/libGL*webgl2*" --exclude="$lib/lto/libGL*full*" \
  --exclude="$lib/lto/libGL*ofb*" --exclude="$lib/*-ww*" --exclude="$lib/lto/*-ww*" \
  --exclude="$lib/*tracing*" --exclude="$lib/lto/*tracing*" --exclude="$lib/lto/*san*" \
  --exclude="$lib/lto-pic" --exclude="$lib/pic" --exclude=./usr/share/emscripten/test ./usr/share/emscripten

# What it needs from npm: every optimising link parses its JavaScript with acorn. npm takes this version and these bytes alone.
acorn=8.19.0
cat >"$prefix/emscripten/package.json" <<PACKAGE
{ "dependencies": { "acorn": "$acorn" } }
PACKAGE
cat >"$prefix/emscripten/package-lock.json" <<LOCK
{
  "lockfileVersion": 3,
  "packages": {
    "": { "dependencies": { "acorn": "$acorn" } },
    "node_modules/acorn": {
      "version": "$acorn",
      "integrity": "sha512-oJlA3XiRm7Cyk6qFD2Jn8ak9B7jSy0qy00ADO3+8dpT0LSjFihQYv4C02LFCSYJV3Q37xYwwRy5m+IpIiUzqWw=="
    }
  }
}
LOCK
npm ci --loglevel=error --ignore-scripts --prefix "$prefix/emscripten" >/dev/null

cat >"$prefix/emscripten/.emscripten" <<CONFIG
import shutil
LLVM_ROOT = '/usr/bin'
LLVM_ADD_VERSION = '19'
CLANG_ADD_VERSION = '19'
BINARYEN_ROOT = '$target/binaryen'
NODE_JS = shutil.which('node')
CACHE = '$target/emscripten/cache'
FROZEN_CACHE = True
CONFIG
for tool in emcc em++ emar emranlib em-config; do
  printf '#!/bin/sh\nunset EM_CONFIG\nexec /usr/bin/python3 -E %s/emscripten/%s.py "$@"\n' "$target" "$tool" \
    >"$prefix/bin/$tool"
  chmod +x "$prefix/bin/$tool"
done
rm -rf "$prefix"/{runtime/usr/{include,share},usr/share,emscripten/{docs,media}}

mv "$prefix" "$target"
echo 'int main() {}' >"$work/smoke.cc"
"$target/bin/em++" -O2 -lembind -sMODULARIZE -sEXPORT_ES6 "$work/smoke.cc" -o "$work/smoke.mjs" || {
  rm -rf "$target"
  exit 1
}
