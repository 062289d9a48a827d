"""What runs behind one student's page: a kernel with one explorer in it.

From nothing, a kernel takes almost two seconds of a core and 80 MB, nearly all of it for imports. So one process
imports `NEEDED` and the explorer once, and every kernel is a fork of that process: a quarter of a second, and half of
the memory. Where a system cannot fork (Windows), each kernel imports by itself, and all else is the same.

This module loads nothing by itself: the server knows it, too, and needs none of what a kernel needs.
"""

import gc
import multiprocessing
import os
import threading
from importlib import import_module

# The explorers that can be served: module and class of each.
EXPLORERS = {
    "regime": ("bflo_viz.explorers.regime", "RegimeExplorer"),
    "flow": ("bflo_viz.explorers.flow", "FlowExplorer"),
    "pseudo": ("bflo_viz.explorers.pseudo", "PseudoDatasetExplorer"),
    "online": ("bflo_viz.explorers.online", "OnlineExplorer"),
    "dynamics": ("bflo_viz.explorers.dynamics", "DynamicsExplorer"),
}
NEEDED = ["ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "IPython.core.completer"]


def show(name: str) -> None:
    """Display an explorer without the picture that a notebook would keep: nobody keeps this page."""
    from IPython.display import display

    from bflo_viz.explorers.base import Explorer

    module, made_by = EXPLORERS[name]
    explorer = getattr(import_module(module), made_by)()
    bundle, metadata = super(Explorer, explorer)._repr_mimebundle_()
    display(bundle, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]


def run(arguments: list[str]) -> None:
    """Be a kernel until the server says that the student has left, or is gone itself."""
    from ipykernel.kernelapp import IPKernelApp

    gc.freeze()  # the garbage collector would write into memory that is shared until somebody writes
    if os.name == "posix":
        os.setsid()  # Ctrl-C is for the server, which ends its kernels
        os.nice(5)  # what one student computes must not keep another from the page
    for output in (1, 2):  # the terminal is for who serves
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    IPKernelApp.launch_instance(arguments, parent_handle=os.getppid())


def _end_with_the_server() -> None:
    server = multiprocessing.parent_process()
    assert server is not None
    server.join()
    os._exit(1)
