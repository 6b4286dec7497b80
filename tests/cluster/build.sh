#!/usr/bin/env bash
# Builds what the tests run for real from the Go modules beside this file: etcd, Kubernetes, kwok, which plays the
# kubelets, and promtool, which tests alert rules.
#   build.sh [GO]      builds what is not there yet, with the Go at GO (the virtual environment's by default)
#   build.sh --where   prints the folder of the programs, which may not be there yet
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
recipe=("$here"/{controlplane,etcd,kwok,promtool}/go.{mod,sum} "$here"/etcd/main.go "$here"/build.sh)
key=$({ uname -m; cat "${recipe[@]}"; } | sha256sum | cut -c1-12)
programs=${XDG_CACHE_HOME:-$HOME/.cache}/gpu-gateway/$key
[ "${1:-}" != --where ] || { echo "$programs"; exit 0; }
[ ! -d "$programs" ] || { echo "cluster: built, in $programs"; exit 0; }

go=${1:-$here/../../.venv/bin/go}
command -v "$go" >/dev/null || { echo "cluster: there is no Go at $go: 'make servers' installs it" >&2; exit 1; }
go=$(realpath -s "$go")
# No cgo and no stamp of the repository: the same programs whatever compiler and checkout the machine has.
export GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off CGO_ENABLED=0

mkdir -p "${programs%/*}"
unfinished=$(mktemp -d "$programs.XXXXXX")
trap 'rm -rf "$unfinished"' EXIT

# A line each 15 seconds, since minutes without a word look like a hang. `go build -v` names a package a line;
# a line with a space in it is a download or an error.
report() {
  local compiled=0 downloaded=0 due=$((SECONDS + 15)) line
  while true; do
    if IFS= read -r -t 5 line; then
      case $line in
        "go: downloading "*) downloaded=$((downloaded + 1)) ;;
        "# "* | *" "*) echo "$line" >&2 ;;
        *) compiled=$((compiled + 1)) ;;
      esac
    elif [ $? -le 128 ]; then # end of input; a time-out is above 128
      break
    fi
    [ $SECONDS -lt $due ] && continue
    due=$((SECONDS + 15))
    echo "cluster: $1, $((SECONDS / 60)) min $((SECONDS % 60)) s, $downloaded modules fetched, $compiled packages compiled"
  done
}

build() { # WHAT LDFLAGS PACKAGE..., in the folder of the module
  local what=$1 stamp=$2
  shift 2
  "$go" build -v -trimpath -ldflags "-s -w $stamp" -o "$unfinished/" "$@" 2>&1 | report "$what"
}

echo "cluster: building etcd, Kubernetes, kwok and promtool: 8 to 14 minutes on 2 cores and 5 GB of Go's caches, once"
cd "$here/etcd"
build etcd '' .

cd "$here/controlplane"
version=$("$go" list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
told=k8s.io/component-base/version # without it the programs report v0.0.0 and emulate wrong features
build Kubernetes "-X $told.gitVersion=$version -X $told.gitMajor=1 -X $told.gitMinor=${minor%%.*}" \
  k8s.io/kubernetes/cmd/kube-{apiserver,controller-manager,scheduler}

# What kwok does to nodes and pods stands in files of its module. A pod of a Job runs until it is deleted, too.
cd "$here/kwok"
build kwok '' sigs.k8s.io/kwok/cmd/kwok
stages=$("$go" list -m -f '{{.Dir}}' sigs.k8s.io/kwok)/kustomize/stage
mkdir "$unfinished/stages"
install -m 644 "$stages"/node/{fast/node-initialize,heartbeat-with-lease/node-heartbeat-with-lease}.yaml \
  "$stages"/pod/fast/pod-{ready,delete}.yaml "$unfinished/stages/"

# Without the discovery of targets, which no rule needs, it takes a third of the time.
cd "$here/promtool"
build promtool '' -tags remove_all_sd github.com/prometheus/prometheus/cmd/promtool

chmod 755 "$unfinished"
mv -T "$unfinished" "$programs" 2>/dev/null || [ -d "$programs" ] # another run may have finished first
echo "cluster: built in $((SECONDS / 60)) min $((SECONDS % 60)) s, in $programs"
