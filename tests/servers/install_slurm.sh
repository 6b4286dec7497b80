#!/usr/bin/env bash
# Installs Debian's Slurm, which the tests start for themselves: no daemon of the system is started.
# Who may not install is told what an administrator would run, and that is an error only where servers are required.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

packages=(slurmctld slurmd slurmrestd slurm-client slurm-wlm-jwt-plugin munge)
install=(apt-get install --yes --quiet --no-install-recommends "${packages[@]}")

missing() {
  local package
  for package in "${packages[@]}"; do
    [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

give_up() {
  echo "slurm: $1" >&2
  [ "${TESTS_REQUIRE_SERVERS:-}" != 1 ] || exit 1
  exit 0
}

command -v dpkg-query >/dev/null || give_up "not Debian: install Slurm with slurmrestd, its JWT plugin and munge by hand"
[ -n "$(missing)" ] || { echo "slurm: $(slurmctld -V) is installed"; exit 0; }
[ "$(id -u)" = 0 ] || give_up "not installed; an administrator runs: ${install[*]}"

# Packages start their daemons unless this file says no; one that the machine has is left alone.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive
echo "slurm: installing ${packages[*]}"
"${install[@]}" >/dev/null 2>&1 || # the lists of packages are missing or old
  { apt-get update --quiet && "${install[@]}"; } >/dev/null || give_up "apt-get could not install ${packages[*]}"
echo "slurm: $(slurmctld -V) is installed"
