#!/usr/bin/env bash
# Makes a folder with what a program for 64-bit Arm is compiled and linked with, from Debian trixie's packages:
# TARGET/system has the C and C++ libraries, TARGET/packages has GoogleTest, Highway, Eigen, RapidJSON, CLI11 and zlib.
# Nothing is installed on the system.
#
# usage: sysroot.sh TARGET
# TARGET appears at once and complete, or not at all.
set -euo pipefail

target=$1
here=$(dirname "${BASH_SOURCE[0]}")
mkdir -p "$(dirname "$target")"
work=$(mktemp -d "$target.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work"/{debs,root}
take() {  # take FOLDER PACKAGE...
  local folder=$1 package
  shift
  for package in "$@"; do dpkg-deb -x "$work/debs/${package}"_*.deb "$work/root/$folder"; done
}
system=(libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-14-dev libstdc++6 libstdc++-14-dev)
# Their headers are found by -isystem, which would come before the C++ library's if both were in one folder.
packages=(libgtest-dev libhwy-dev libhwy1t64 libeigen3-dev rapidjson-dev libcli11-dev zlib1g zlib1g-dev)
"$here/../../wasm/toolchain/trixie.sh" arm64 "$work/debs" "${system[@]}" "${packages[@]}"
take system "${system[@]}"
take packages "${packages[@]}"
# Debian's dynamic linker is found by its path at the root.
[ -e "$work/root/system/lib" ] || ln -s usr/lib "$work/root/system/lib"
mv "$work/root" "$target"
