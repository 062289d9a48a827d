"""``bflo dashboard``: one explorer for a class, in the browsers of all, with nothing to install and no logins.

Every student gets a page with an explorer of their own. Whoever can reach the address can use it: serve it in a
network that you trust, and stop it after class. A page can move the widgets behind it and nothing else: code that
somebody sends by hand is not run, and no files and no terminals can be reached. What remains: nothing is encrypted;
who sees the name of somebody's kernel can move or end it; and who wants to can keep the server busy for the others.
"""

import errno
import os
import socket
import tempfile
from importlib.util import find_spec
from pathlib import Path

from bflo_viz.classroom.dashboard_kernel import EXPLORERS

TITLES = {
    "regime": "Regimes of a belief flow",
    "flow": "Three flows in the plane",
    "pseudo": "A belief flow as pseudo-data",
    "online": "Learning online",
    "dynamics": "Three ways to learn on one surface",
}


def serve(name: str, *, ip: str, port: int, students: int | None = None) -> int:
    """Serve one explorer until Ctrl-C.

    Parameters
    ----------
    name
        Which explorer: regime, flow, pseudo, online or dynamics.
    ip, port
        Where to listen; ``0.0.0.0`` is every address of this machine.
    students
        How many there may be at a time; None for as many as fit into the free memory.
    """
    if name not in EXPLORERS:
        raise ValueError(f"there is no explorer {name!r}; choose one of {', '.join(EXPLORERS)}.")
    if students is not None and students < 1:
        raise ValueError(f"--students is a number from 1 on, not {students}.")
    if find_spec("voila") is None:
        raise ValueError("Voila is not installed: run  python -m pip install 'bflo-viz[classroom]'  and try again.")
    opened = _listening(ip, port)
    print(f"Starting “{TITLES[name]}” …", flush=True)
    from bflo_viz.classroom.dashboard_server import dashboard

    def began(taken: int) -> int:
        """Tell how to get there and how many can; return that number."""
        import psutil  # type: ignore[import-untyped]

        fit = int(psutil.virtual_memory().available / taken)
        for line in _greeting(ip, opened.getsockname()[1]):
            print(line)
        print(f"A student takes about {taken / 1e6:.0f} MB here; about {fit} fit into the memory that is free.")
        if students:
            print(f"At most {students} can use it at a time.")
        print("Ctrl-C stops it.", flush=True)
        return students or fit

    with tempfile.TemporaryDirectory(prefix="bflo_dashboard_") as folder:
        # The kernels need one thread each, and nothing of what their owner has set up for their own.
        os.environ |= {"OPENBLAS_NUM_THREADS": "1", "IPYTHONDIR": folder}
        dashboard(name, TITLES[name], Path(folder)).serve(opened, began)
    print("\nStopped; all pages have ended.")
    return 0


def _listening(ip: str, port: int) -> socket.socket:
    """Open a socket at an address of this machine."""
    if not 0 <= port <= 65535:
        raise ValueError(f"{port} is not a port; choose one from 1024 to 65535, such as 8866.")
    try:
        opened = socket.create_server(
            (ip, port), family=socket.AF_INET6 if ":" in ip else socket.AF_INET, backlog=128
        )
    except OSError as problem:
        reasons = {
            errno.EADDRINUSE: f"port {port} is taken: stop what uses it, or choose another: --port {port + 1}.",
            errno.EACCES: f"port {port} is not for everybody: choose one from 1024 on, such as --port 8866.",
        }
        elsewhere = f"{ip} is not an address of this machine; --ip 0.0.0.0 listens at all that it has."
        raise ValueError(reasons.get(problem.errno or 0, elsewhere)) from None
    opened.setblocking(False)
    return opened


def _greeting(ip: str, port: int) -> list[str]:
    """The addresses to give to students."""
    if ip not in ("0.0.0.0", "::", ""):
        lines = [f"Open  http://{f'[{ip}]' if ':' in ip else ip}:{port}/"]
        if ip.startswith("127.") or ip in ("localhost", "::1"):
            lines[0] += "  on this machine; --ip 0.0.0.0 serves a class."
        return lines
    found = own_addresses()
    if not found:
        return [f"Open  http://127.0.0.1:{port}/  on this machine, which is in no network now."]
    which = "this address" if len(found) == 1 else "one of these addresses (the one that they can reach)"
    return [f"Give students {which}:", *(f"    http://{address}:{port}/" for address in found)]


def own_addresses() -> list[str]:
    """The IPv4 addresses of this machine by which others can reach it."""
    import psutil

    return [
        one.address
        for addresses in psutil.net_if_addrs().values()
        for one in addresses
        if one.family == socket.AF_INET and not one.address.startswith("127.")
    ]
