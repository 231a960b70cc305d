"""Four copies of the driver in one process, each with its symbols hidden from the others: header-only, compiled, the C
library and the Python module. They share one gate, one pacing of compiles and the counts; a child after a fork has its own.

Without the Python module (ANEMONE_BUILD_PYTHON) the other three are judged."""

import ctypes
import functools
import os
import pathlib
import sys
import threading

from _harness import ROOT, expect, skip

BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", ROOT / "build" / "gcc"))
CLASSIFIER = ROOT / "examples" / "reading" / "classifier.mil"
EXECUTE = b"e5rt_execution_stream_execute_sync"
COMPILE = b"e5rt_e5_compiler_compile"


def loaded_library(name):
    found = sorted((BUILD / "lib").glob(f"{name}.so")) + sorted((BUILD / "lib").glob(f"{name}.dylib"))
    if not found:
        skip(f"{name} was not built")
    return ctypes.CDLL(str(found[0]))  # RTLD_LOCAL


if not all(os.environ.get(name) for name in ("ANEMONE_E5RT", "ANEMONE_OBJC")):
    skip("no stand-in")
os.environ["ANEMONE_STANDIN_QUIET"] = "1"  # failures are wanted here
STANDIN = ctypes.CDLL(os.environ["ANEMONE_E5RT"])
for counter in ("hung", "overlaps", "calls"):
    getattr(STANDIN, f"anemone_standin_{counter}").restype = ctypes.c_uint64


class Cpp:
    """A copy of tests/ways/copy.cpp."""

    def __init__(self, way):
        self.name = way
        self.copy = loaded_library(f"libanemone_copy_{way}")
        self.copy.copy_state.restype = ctypes.c_void_p
        for each in ("open", "run", "compile_in_memory"):
            getattr(self.copy, f"copy_{each}").restype = ctypes.c_char_p

    def open(self):
        return self.copy.copy_open().decode()

    def run(self, milliseconds=0):
        return self.copy.copy_run(milliseconds).decode()

    def close(self):
        self.copy.copy_close()


class CArray(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class C:
    """The C library."""

    name = "C"

    def __init__(self):
        self.library = loaded_library("libanemone_c")
        self.library.anemone_error.restype = ctypes.c_char_p
        self.model = ctypes.c_void_p()
        self.program = ctypes.c_void_p()
        expect(self.said(self.library.anemone_open(str(CLASSIFIER).encode(), None, ctypes.byref(self.model))) == "", "C: open")
        self.image = (ctypes.c_float * 16)()
        self.input = CArray(b"image", 3, ctypes.addressof(self.image), ctypes.sizeof(self.image))

    def said(self, status):
        return "" if status == 0 else self.library.anemone_error().decode()

    def open(self):
        return self.said(self.library.anemone_compile(self.model, b"engine:h13", ctypes.byref(self.program)))

    def run(self):
        return self.said(self.library.anemone_run(self.program, ctypes.byref(self.input), ctypes.c_size_t(1), None,
                                                  ctypes.c_size_t(0)))

    def close(self):
        self.library.anemone_program_free(self.program)


class Python:
    """The Python module."""

    name = "Python"

    def __init__(self):
        sys.path.insert(0, str(BUILD / "python"))
        import anemone
        import numpy
        self.refusal = anemone.Error
        self.model = anemone.Model(CLASSIFIER)
        self.image = {"image": numpy.zeros((1, 1, 4, 4))}
        self.program = None

    def said(self, call):
        try:
            call()
        except self.refusal as error:
            return str(error)
        return ""

    def open(self):
        def compiled():
            self.program = self.model.compile("engine:h13")
        return self.said(compiled)

    def run(self):
        return self.said(lambda: self.program.run(self.image))

    def close(self):
        self.program = None


def begun(work):
    """A thread that does it, with what it gave."""
    gave = []
    thread = threading.Thread(target=lambda: gave.append(work()))
    thread.start()
    return thread, gave


def while_held(run, judge):
    """Judges while a run does not return; what the run said in the end."""
    STANDIN.anemone_standin_hang(EXECUTE, 1)
    thread, gave = begun(run)
    while STANDIN.anemone_standin_hung() == 0 and thread.is_alive():
        pass
    expect(STANDIN.anemone_standin_hung() == 1, "a run that is held")
    judge()
    STANDIN.anemone_standin_let_go()
    thread.join()
    return gave[0]


def counts_add_up(cpp, copies):
    for programs, each in enumerate(copies, 1):
        expect(each.open() == "", f"{each.name} compiles")
        for other in cpp:
            expect(other.copy.copy_loaded() == programs, f"{other.name} counts the program of {each.name}")
    for compiles, each in enumerate(cpp, 1):
        expect(each.copy.copy_compile_in_memory() == b"", f"{each.name} compiles in memory")
        for other in cpp:
            expect(other.copy.copy_compiles() == compiles, f"{other.name} counts the compile of {each.name}")


def a_held_run_keeps_all_others_out(cpp, copies):
    overlaps = STANDIN.anemone_standin_overlaps()
    for holder in copies:
        waiting = []

        def judge():
            for other in cpp:
                expect(other.copy.copy_lock_for(5) == 0, f"{other.name} has the gate while {holder.name} runs")
                if other is not holder:
                    said = other.run(5)
                    expect("was not begun" in said, f"{other.name} while {holder.name} runs: {said!r}")
            runs = STANDIN.anemone_standin_calls(EXECUTE)
            waiting.extend((other, begun(other.run)) for other in copies if other is not holder)
            expect(STANDIN.anemone_standin_calls(EXECUTE) == runs, f"somebody runs beside {holder.name}")

        expect(while_held(holder.run, judge) == "", f"the run of {holder.name} that was held")
        for other, (thread, gave) in waiting:
            thread.join()
            expect(gave == [""], f"{other.name} after the run of {holder.name}: {gave}")
    expect(STANDIN.anemone_standin_overlaps() == overlaps, "streams overlap")


def a_lost_run_is_refused_by_all(cpp, copies):
    """One that nobody waits for any more: its time was up."""
    for holder in cpp:
        lost = threading.Event()

        def run():
            milliseconds = 5
            said = holder.run(milliseconds)
            while "was not begun" in said:  # the machine was too slow for that
                milliseconds *= 4
                said = holder.run(milliseconds)
            lost.set()
            return said

        def judge():
            lost.wait()
            for other in copies:
                said = other.run()
                expect("busy" in said, f"{other.name} while the run of {holder.name} is lost: {said!r}")
        expect("cannot be cancelled" in while_held(run, judge), f"the run of {holder.name} is late")
        for other in copies:
            while "busy" in (said := other.run()):
                pass  # the late run ends in its own time
            expect(said == "", f"{other.name} after the lost run of {holder.name}: {said!r}")


def a_failed_compile_is_known_to_all(cpp, copies):
    for failing in copies:
        failing.close()
        STANDIN.anemone_standin_fail(COMPILE, 1, ctypes.c_int64(7))
        expect("status 7" in failing.open(), f"the compile of {failing.name} fails")
        for other in cpp:
            expect(other.copy.copy_compile_failed() == 1, f"{other.name} knows that a compile of {failing.name} failed")
        cpp[0].close()
        expect(cpp[0].open() == "", "does not wait, and compiles")
        for other in cpp:
            expect(other.copy.copy_compile_failed() == 0, f"{other.name} knows that a compile succeeded")
        expect(failing.open() == "", f"{failing.name} compiles again")


def in_child(judge):
    """What a child after a fork judges."""
    child = os.fork()
    if child == 0:
        import _harness
        _harness.failures = 0
        judge()
        sys.stdout.flush()
        os._exit(min(_harness.failures, 1))
    _, status = os.waitpid(child, 0)
    expect(status == 0, f"the child ended with {status}")


def a_child_has_its_own(cpp, copies):
    states = {each.copy.copy_state() for each in cpp}
    expect(len(states) == 1, "one state")

    def as_new(generations):
        for each in cpp:
            expect(each.copy.copy_loaded() == 0 and each.copy.copy_compiles() == 0, f"{each.name}: a child begins anew")
        if generations:
            in_child(lambda: as_new(generations - 1))
        own = {each.copy.copy_state() for each in cpp}
        expect(len(own) == 1 and own != states, "a child has a state of its own, one for all copies")
        for each in cpp:
            expect("does not survive fork" in each.run(), f"{each.name}: the parent's program is refused")
            each.close()
            expect(each.copy.copy_lock_for(5) == 1, f"{each.name}: the gate is free")
            expect(all(other.copy.copy_lock_for(1) == 0 for other in cpp), f"{each.name}: for one")
            each.copy.copy_unlock()

    for holder in copies:
        expect(while_held(holder.run, lambda: in_child(lambda: as_new(1))) == "", f"{holder.name}: the run goes on")
    expect({each.copy.copy_state() for each in cpp} == states, "the parent keeps its own")


def all_begin_at_once(cpp, _):
    """The first use, in a child, which knows of no state, in many threads of all copies."""
    stdio = ctypes.CDLL(None)
    stderr = ctypes.c_void_p.in_dll(stdio, "__stderrp" if sys.platform == "darwin" else "stderr")

    def judge(somebody_writes):
        together = threading.Barrier(8)
        found = []

        def look(copy):
            together.wait()
            found.append(copy.copy_state())
        threads = [threading.Thread(target=look, args=(cpp[i % 2].copy,)) for i in range(8)]
        if somebody_writes:
            stdio.flockfile(stderr)  # in this thread, which does not let go
            together = threading.Barrier(1)
            threads = threads[:1]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        expect(len(set(found)) == 1 and len(found) == len(threads), f"one state: {found}")
        if somebody_writes:
            stdio.funlockfile(stderr)
    for _ in range(20):
        in_child(functools.partial(judge, False))
    in_child(functools.partial(judge, True))


def main():
    import _harness
    cpp = [Cpp("header_only"), Cpp("compiled")]
    copies = [*cpp, C()]
    try:
        copies.append(Python())
    except ImportError as reason:
        print(f"without the Python module: {reason}")
    for test in (counts_add_up, a_held_run_keeps_all_others_out, a_lost_run_is_refused_by_all,
                 a_failed_compile_is_known_to_all, a_child_has_its_own, all_begin_at_once):
        test(cpp, copies)
    for programs, each in enumerate(copies, 1):
        each.close()
        expect(cpp[0].copy.copy_loaded() == len(copies) - programs, f"{each.name} lets go of its program")
    print(f"{len(copies)} copies, {_harness.failures} failures")
    return 1 if _harness.failures else 0


if __name__ == "__main__":
    sys.exit(main())
