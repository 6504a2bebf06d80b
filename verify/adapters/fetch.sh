# Functions that fetch the programs for which adapters are written. Sourced by an adapter's `build`, which is called with the folder in which to build.
# Everything is unpacked there. Nothing is installed, and nothing that is fetched is part of this project.

set -euo pipefail
adapters=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
out=${1:?the folder to build in}
mkdir -p "$out"
out=$(cd "$out" && pwd)
compile=(-O1 -w -fPIC -D_GNU_SOURCE -I "$adapters/../include" -I "$adapters")

need() {
    if ! command -v "$1" > /dev/null; then
        echo "$1 is needed to build this adapter" >&2
        exit 2
    fi
}

# Binary packages of a Debian-like distribution, unpacked below $out/root.
packages() {
    need apt-get
    need dpkg-deb
    mkdir -p "$out/packages" "$out/root"
    (cd "$out/packages" && for package; do
        compgen -G "${package}_*.deb" > /dev/null || apt-get -o APT::Sandbox::User=root download -qq "$package"
        dpkg-deb -x "$package"_*.deb "$out/root"
    done)
}

# The upstream archive of a source package of such a distribution, unpacked as $out/source. The other arguments are the parts of the archive to unpack.
source_package() {
    need apt-get
    local package=$1 apt=$out/apt
    shift
    mkdir -p "$apt/parts" "$apt/lists/partial" "$out/packages" "$out/source"
    # Source packages come from the same places as the machine's binary packages.
    local file
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ -e $file ]] && sed 's/^Types:.*/Types: deb-src/' "$file" > "$apt/parts/${file##*/}"
    done
    [[ -e /etc/apt/sources.list ]] && sed -n 's/^deb /deb-src /p' /etc/apt/sources.list > "$apt/parts/more.list"
    local options=(-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/parts" -o Dir::State::lists="$apt/lists"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
    if ! compgen -G "$out/packages/${package}_*.orig.tar.*" > /dev/null; then
        apt-get "${options[@]}" update
        (cd "$out/packages" && apt-get "${options[@]}" source --download-only "$package")
    fi
    tar xf "$(compgen -G "$out/packages/${package}_*.orig.tar.*" | head -1)" -C "$out/source" --strip-components=1 --wildcards "$@"
}

# Packages of the JavaScript registry, unpacked below $out/node_modules. None of their scripts run.
node_packages() {
    need npm
    need node
    (cd "$out" && npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$out" "$@" > /dev/null)
}
