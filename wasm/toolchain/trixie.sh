#!/usr/bin/env bash
# Downloads packages of Debian trixie for one architecture, and installs none. The system's apt state stays as it is.
#
# usage: trixie.sh ARCHITECTURE FOLDER PACKAGE...
# FOLDER exists. The packages come into it as PACKAGE_VERSION_ARCHITECTURE.deb.
set -euo pipefail

architecture=$1
folder=$(cd "$2" && pwd)
shift 2
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"

# The mirror is the one that this machine's apt is set up with.
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirrors=$(apt-get update --print-uris | sed -nE "s#^'(.*)/dists/$codename(-updates)?/(In)?Release(\.gpg)?'.*#\1#p")
mirror=$(sort <<<"$mirrors" | uniq -d | head -n 1)
mirror=${mirror:-$(head -n 1 <<<"$mirrors")}
[ -n "$mirror" ] || { echo "apt has no source for Debian $codename." >&2; exit 1; }

printf '%s\n' 'Types: deb' "URIs: $mirror" 'Suites: trixie' 'Components: main' "Architectures: $architecture" \
  "Signed-By: $(ls /usr/share/keyrings/debian-archive-keyring.* | head -n 1)" >"$folder/trixie.sources"
apt_options=(
  -qq
  -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
  -o "Dir::Etc::sourcelist=$folder/trixie.sources" -o Dir::Etc::sourceparts=-
  -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o Dir::State::status=/dev/null
  -o "APT::Sandbox::User=$(id -un)" -o Acquire::Retries=3 -o Acquire::Languages=none
)
apt-get update "${apt_options[@]}"
cd "$folder"
apt-get download "${apt_options[@]}" "$@"
