"""``bflo serve``: pages for a class, in the browsers of all, with nothing to install and no logins.

What is handed out are files that were read before the first student came, and nothing else: nothing is run for a
student, and nothing else on the disk can be reached. Nothing is encrypted: who can reach the address can read them.
With a class (``--class``) browsers may send one thing, votes: :mod:`bflo_viz.classroom.votes` judges them.
"""

import contextlib
import datetime
import multiprocessing
import signal
import socket
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from bflo_viz._checks import did_you_mean
from bflo_viz.classroom import class_pages, explorers
from bflo_viz.classroom.server import File, Server, as_file, read
from bflo_viz.classroom.votes import Class

_EXPLORERS = sorted(guide.parent.name for guide in (Path(__file__).parents[1] / "explorers").glob("*/guide.toml"))


def serve(
    what: str,
    *,
    ip: str,
    port: int,
    folder: Path | None = None,
    together: bool = False,
    votes: Path | None = None,
    tell: Callable[[str], None],
) -> int:
    """Hand out the pages of an explorer, the ``"site"`` or the ``"slides"`` until Ctrl-C.

    They are made anew, unless a ``folder`` of pages is given. The address ``0.0.0.0`` is every one of this machine.
    ``together`` lets a class bet; the ``votes`` go to this CSV file, or to one that is named after today.
    """
    names = (*_EXPLORERS, "site", "slides")
    if what not in names:
        raise ValueError(f"there are no pages of {what!r}: {did_you_mean(what, names)}")
    if together and what in _EXPLORERS:
        raise ValueError(f"{what} has no bets for a class: serve the site or the slides with --class.")
    if votes and not together:
        raise ValueError("--votes is where the votes of a class are kept: add --class.")
    with _listening(ip, port) as server:
        for ending in (signal.SIGINT, signal.SIGTERM):  # what a shell starts in the background ignores the first
            signal.signal(ending, signal.default_int_handler)
        port, course = server.server_address[1], None
        try:
            if together:
                own, course = _class(votes or Path(f"bflo_votes_{datetime.date.today()}.csv"), tell)
            pages = _made(what, tell) if folder is None else read(folder)
            if course is None:
                server.files = pages
                tell(_addresses(ip, port))
            else:
                server.join(course, own, pages)
                course.addresses = _to_students(ip, port)
                tell(_invitation(ip, port, course))
            tell("Ctrl-C stops it.")
            server.serve_forever()
        except KeyboardInterrupt:
            tell("\nStopped.")
        finally:
            if course is not None:
                lost = course.journal.close()
                left = f"; {lost} could not be written" if lost else ""
                tell(f"Votes in {course.journal.path}: {course.count - lost}{left}.")
    return 0


def _made(what: str, tell: Callable[[str], None]) -> dict[str, File]:
    """Pages that are made anew."""
    tell(f"Making the pages of “{what}” …")
    with tempfile.TemporaryDirectory(prefix="bflo_serve_") as folder:
        _apart(_make, what, Path(folder))
        return read(Path(folder))


def _class(votes: Path, tell: Callable[[str], None]) -> tuple[dict[str, File], Class]:
    """The pages of a class, and a class that goes on with the votes in this file, if there are any."""
    bets, own = _apart(class_pages.own_pages)
    course = Class(bets, votes.absolute(), tell)
    if course.count:
        tell(f"The class goes on: {votes} has {course.count} of its votes. Another file (--votes) begins anew.")
    return {name: as_file(name, text) for name, text in own.items()}, course


def _apart(work: Callable[..., Any], *given: Any) -> Any:
    """What a function gives in a process of its own: making pages takes much more memory than serving them."""
    with multiprocessing.get_context("spawn").Pool(1, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as maker:
        return maker.apply(work, given)


def _make(what: str, folder: Path) -> None:
    if what in _EXPLORERS:
        explorers()[what]().save_html(folder / "index.html")
    else:
        build = import_module(f"bflo_viz.classroom.{what}").build
        build(folder, tell=lambda _: None)


def _listening(ip: str, port: int) -> Server:
    try:
        return Server(ip, port)
    except OSError as problem:
        raise ValueError(
            f"cannot listen at {ip}, port {port} ({problem.strerror}): choose another port, such as "
            f"--port {max(port, 1023) + 1}, and an address of this machine; --ip 0.0.0.0 is all that it has."
        ) from None


def _addresses(ip: str, port: int) -> str:
    """The addresses to give to students, in words."""
    if ip == "0.0.0.0" and _own_addresses():
        lines = (f"    {address}" for address in _to_students(ip, port))
        return "\n".join(["Give students an address that they can reach:", *lines])
    alone = "  on this machine; --ip 0.0.0.0 serves a class." if _is_alone(ip) else ""
    return f"Open  http://{ip}:{port}/{alone}"


def _invitation(ip: str, port: int, course: Class) -> str:
    """The same for a class: with its code, and what is for the instructor alone."""
    lines = [f"The code of the class is  {course.code}  Students bet at an address that they can reach:"]
    lines += [f"    {address}?class={course.code}" for address in _to_students(ip, port)]
    if _is_alone(ip):
        lines.append("Only this machine can: --ip 0.0.0.0 serves a class.")
    host = "127.0.0.1" if ip == "0.0.0.0" else ip  # the key then does not travel
    lines += ["Open the page of the instructor here, and show its address to nobody:"]
    lines += [f"    http://{host}:{port}/class#{course.key}", f"Votes are kept in {course.journal.path}"]
    return "\n".join(lines)


def _to_students(ip: str, port: int) -> list[str]:
    return [f"http://{address}:{port}/" for address in (ip == "0.0.0.0" and _own_addresses()) or [ip]]


def _is_alone(ip: str) -> bool:
    return ip.startswith("127.") or ip == "localhost"


def _own_addresses() -> list[str]:
    """The IPv4 addresses of this machine by which others can reach it, the likeliest first."""
    addresses = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # asks only which way a message would go; none is sent
        addresses.append(str(probe.getsockname()[0]))
    with contextlib.suppress(OSError):
        addresses += socket.gethostbyname_ex(socket.gethostname())[2]
    return [address for address in dict.fromkeys(addresses) if not address.startswith(("127.", "0."))]
