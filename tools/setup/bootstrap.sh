#!/bin/sh
# What set-up itself runs on: a Python 3.11 that can make virtual environments. Works on a machine that has neither.
# Arguments go to tools.setup.
set -eu
cd "$(dirname "$0")/../.."

fit() {
    python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

if ! fit; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo 'setup: missing: Python 3.11 or later with venv; as root: apt-get install python3 python3-venv' >&2
        exit 3
    fi
    echo 'setup: installing python3 and python3-venv'
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
            python3 python3-venv ca-certificates; } </dev/null >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        echo 'setup: apt-get failed; its last lines are above' >&2
        exit 3
    fi
    rm -f "$log"
    trap - EXIT
    if ! fit; then
        echo "setup: $(command -v python3) is still not a Python 3.11 with venv; put a newer one first in PATH" >&2
        exit 3
    fi
fi
exec python3 -m tools.setup "$@"
