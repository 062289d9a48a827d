#!/bin/sh
# Make .venv and install this project into it with the pinned versions: tools/environment.sh lab|test|places|dev
# Run again, it does nothing unless pyproject.toml, constraints.txt or the place of this folder changed.
set -eu
cd "$(dirname "$0")/.."
extras=$1
state=$( (pwd; cat pyproject.toml constraints.txt) | cksum )

fail() {
    echo >&2
    printf '%s\n' "$@" >&2
    exit 1
}

# Each set contains the ones before it: lab, test, places, dev.
case $extras in
    lab) enough='lab|test|places|dev' ;;
    test) enough='test|places|dev' ;;
    places) enough='places|dev' ;;
    *) enough=dev ;;
esac
new_enough() { [ "$("$1" -c 'import sys; print(sys.version_info >= (3, 11))' 2>/dev/null)" = True ]; }
origin() { "$1" -c 'import sys; print(sys.version_info[:3], sys.base_prefix)' 2>/dev/null; }
if [ -n "${PYTHON:-}" ]; then
    new_enough "$PYTHON" || fail "PYTHON names '$PYTHON', which is no Python 3.11 or newer: name another one, or none."
    if [ -x .venv/bin/python ] && made_by=$(origin .venv/bin/python) && [ "$made_by" != "$(origin "$PYTHON")" ]; then
        fail "PYTHON names '$PYTHON', but .venv was made with another one: remove the folder .venv first, or name none."
    fi
fi
if [ -x .venv/bin/python ] && .venv/bin/python -c '' 2>/dev/null &&
    grep -Eqsx "($enough) $state" .venv/bflo-installed; then
    exit 0
fi

python=${PYTHON:-}
for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
    if [ -z "$python" ] && new_enough "$candidate"; then
        python=$candidate
    fi
done
[ -n "$python" ] || fail "No Python 3.11 or newer was found." \
    "Install it (Debian, Ubuntu: sudo apt install python3 python3-venv; Fedora: sudo dnf install python3;" \
    "macOS: brew install python), or name one that you have: make PYTHON=/path/to/python lab"
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail \
    "This Python cannot make environments: its venv package is missing." \
    "Install it (Debian, Ubuntu: sudo apt install $("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')) and run the same command again."

# Two set-ups at once would destroy each other. The lock is one of the system, on this file: it ends with its process.
if [ -z "${BFLO_SETTING_UP:-}" ]; then
    BFLO_SETTING_UP=yes exec "$python" -c '
import fcntl, os, sys
file = os.open("tools/environment.sh", os.O_RDONLY)
os.set_inheritable(file, True)
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("Another set-up is at work in this folder: waiting until it has ended.", file=sys.stderr, flush=True)
    fcntl.flock(file, fcntl.LOCK_EX)
except OSError:
    pass  # a disk without locks
os.execvp("sh", ["sh", "tools/environment.sh", *sys.argv[1:]])
' "$extras"
fi

# Our own environment, made for another folder or cut off half-way, is made anew; one that is not ours is used as it is.
place=$(cat .venv/bflo-place 2>/dev/null || true)
if [ -n "$place" ] && { [ "$place" != "$(pwd)" ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; }; then
    rm -rf .venv
fi
echo "Setting up .venv with the $extras packages: a minute or two, once."
if [ ! -d .venv ]; then
    mkdir .venv && pwd > .venv/bflo-place
    "$python" -m venv .venv || fail "The environment .venv could not be made; the lines above say why."
fi
[ -t 1 ] && quiet= || quiet=--quiet
.venv/bin/python -m pip install --disable-pip-version-check $quiet -c constraints.txt -e ".[$extras]" || fail \
    "The packages could not be installed; the lines above say why." \
    "Check the network and the space on the disk, then run the same command again: what was fetched is kept."
echo "$extras $state" > .venv/bflo-installed
