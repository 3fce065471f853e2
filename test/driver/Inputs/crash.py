"""Ends a running tskc with a signal: `crash.py TSKC SIGNAL`. Prints its exit status and last words."""
import signal
import subprocess
import sys

# A shell lets its jobs in the background ignore some signals, and what is ignored is inherited.
signal.signal(getattr(signal, sys.argv[2]), signal.SIG_DFL)
process = subprocess.Popen([sys.argv[1], "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
# It has begun to read its input once a pipe's worth and more of it is gone.
process.stdin.write("//" + " " * (1 << 20) + "\n")
process.stdin.flush()
process.send_signal(getattr(signal, sys.argv[2]))
_, words = process.communicate()
print("exit status", process.returncode)
print(words)
