"""Counts machine instructions: sass_count.py FILE.cubin…

Prints one line a kernel, without the padding behind its end. Reads the ELF file itself, so that no
disassembler is needed: on sm_70 and later every instruction has 16 bytes, with its opcode in the low
12 bits.
"""
import struct
import sys

INSTRUCTION_BYTES = 16
NOP = 0x918
BRANCH = 0x947


def sections(data):
    """(name, bytes) of each section of an ELF64 file."""
    table, = struct.unpack_from("<Q", data, 0x28)
    entry_bytes, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry_bytes) for i in range(count)]
    names = headers[names_index][4]
    for header in headers:
        start = names + header[0]
        name = data[start:data.index(b"\0", start)].decode()
        yield name, data[header[4]:header[4] + header[5]]


def count_instructions(code):
    opcodes = [struct.unpack_from("<Q", code, at)[0] & 0xFFF
               for at in range(0, len(code), INSTRUCTION_BYTES)]
    while opcodes and opcodes[-1] == NOP:
        opcodes.pop()
    if opcodes and opcodes[-1] == BRANCH:  # the branch to itself that closes every kernel
        opcodes.pop()
    return len(opcodes)


def kernels(path):
    """{kernel: instructions}"""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        raise SystemExit(f"{path}: not a cubin (compile with nvcc -cubin)")
    return {name.removeprefix(".text."): count_instructions(code)
            for name, code in sections(data) if name.startswith(".text.")}


def main(paths):
    for path in paths:
        for name, instructions in sorted(kernels(path).items()):
            print(f"{instructions:6}  {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
