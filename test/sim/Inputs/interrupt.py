"""Interrupts a command once it has files in the temporary folder; then nothing may be left of it.

usage: interrupt.py FOLDER SIGNAL COMMAND…
"""
import os
import signal
import subprocess
import sys
import time


def descendants(pid):
    """Processes of the command's session, which they cannot leave."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as stat:
                    fields = stat.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == pid and fields[0] != "Z":
                found.append(int(entry))
    return found


folder, name, command = sys.argv[1], sys.argv[2], sys.argv[3:]
# A shell lets its jobs in the background ignore some signals, and what is ignored is inherited.
signal.signal(getattr(signal, name), signal.SIG_DFL)
process = subprocess.Popen(command, start_new_session=True, env={**os.environ, "TMPDIR": folder})
while process.poll() is None and not any(files for _, _, files in os.walk(folder)):
    time.sleep(0.005)
if process.poll() is not None:
    sys.exit("ended by itself")
process.send_signal(getattr(signal, name))
process.wait()
deadline = time.monotonic() + 60
while descendants(process.pid) and time.monotonic() < deadline:
    time.sleep(0.005)
print("status", process.returncode, "left", os.listdir(folder), "running", descendants(process.pid))
