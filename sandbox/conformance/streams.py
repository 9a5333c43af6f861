"""Programs that open their standard streams by name, in every language: what they read they write, and ``err``."""

from __future__ import annotations

_PYTHON = """
import os, shutil, sys
read = {read}
with open('{out}', 'wb') as out: out.write(read)
with open('{err}', 'w') as err: err.write('err')
"""
_BASH = "cat {stdin} > {out}\nprintf err > {err}\n"
_NODE = """
const fs = require('fs');
fs.writeFileSync('{out}', fs.readFileSync({stdin}));
fs.writeFileSync('{err}', 'err');
"""
_DEV = {"stdin": "/dev/stdin", "out": "/dev/stdout", "err": "/dev/stderr"}
_FD = {"stdin": "/dev/fd/0", "out": "/dev/fd/1", "err": "/dev/fd/2"}
_PROC = {"stdin": "/proc/self/fd/0", "out": "/proc/self/fd/1", "err": "/proc/self/fd/2"}


def _named(source: str, names: dict[str, str], **more: str) -> str:
    for key, value in {**names, **more}.items():
        source = source.replace(f"{{{key}}}", value)
    return source


_C = """
#include <stdio.h>
int main(void) {
    int c;
    FILE *err = fopen("/dev/stderr", "w");
    if (!freopen("/dev/stdin", "r", stdin) || !freopen("/dev/stdout", "w", stdout) || !err) return 3;
    while ((c = getchar()) != EOF) putchar(c);
    fputs("err", err);
    return 0;
}
"""

PROGRAMS: dict[str, tuple[str, ...]] = {
    "python": (
        *(_named(_PYTHON, names, read=f"open('{names['stdin']}', 'rb').read()") for names in (_DEV, _FD, _PROC)),
        _named(_PYTHON, _DEV, read="open(0, 'rb').read()"),
        _named(_PYTHON, _DEV, read="os.read(os.open('/dev/stdin', os.O_RDONLY), 2**16)"),
        "import sys\nsys.stdin = open('/dev/stdin')\nsys.stdout.write(sys.stdin.read())\nsys.stderr.write('err')",
        "import subprocess\nsubprocess.run('cat /dev/stdin > /dev/stdout; printf err > /dev/stderr', shell=True)",
    ),
    "bash": (
        *(_named(_BASH, names) for names in (_DEV, _FD, _PROC)),
        'while read -r line; do echo "$line"; done < /dev/stdin > /dev/stdout\necho -n err >&2',
        "tee < /dev/stdin\nprintf err | tee /dev/stderr > /dev/null",
        "cat <(cat /dev/fd/0)\nprintf err >> /dev/stderr",
    ),
    "javascript": (
        *(_named(_NODE, names, stdin=f"'{names['stdin']}'") for names in (_DEV, _FD, _PROC)),
        _named(_NODE, _DEV, stdin="0"),
        "const fs = require('fs'); process.stdout.write(fs.readFileSync('/dev/stdin', 'utf8'));"
        "process.stderr.write('err')",
    ),
    "c": (_C,),
    "cpp": (
        """
#include <fstream>
int main() {
    std::ifstream in("/dev/stdin");
    std::ofstream out("/dev/stdout"), err("/dev/stderr");
    out << in.rdbuf();
    err << "err";
}
""",
    ),
    "java": (
        """
import java.nio.file.*;
public class Main {
    public static void main(String[] arguments) throws Exception {
        var in = new java.io.BufferedReader(new java.io.FileReader("/dev/stdin"));
        var read = new StringBuilder();
        for (String line; (line = in.readLine()) != null; ) read.append(line).append((char) 10);
        Files.writeString(Path.of("/dev/stdout"), read);
        Files.writeString(Path.of("/dev/stderr"), "err");
    }
}
""",
    ),
    "go": (
        """
package main
import ("io"; "os")
func main() {
    in, _ := os.Open("/dev/stdin")
    read, _ := io.ReadAll(in)
    os.WriteFile("/dev/stdout", read, 0644)
    os.WriteFile("/dev/stderr", []byte("err"), 0644)
}
""",
    ),
    "rust": (
        """
fn main() {
    let read = std::fs::read("/dev/stdin").unwrap();
    std::fs::write("/dev/stdout", read).unwrap();
    std::fs::write("/dev/stderr", "err").unwrap();
}
""",
    ),
    "perl": (
        "open(I, '<', '/dev/stdin') or die; open(O, '>', '/dev/stdout') or die; open(E, '>', '/dev/stderr') or die;"
        "print O <I>; print E 'err';",
    ),
    "ruby": ("File.write('/dev/stdout', File.read('/dev/stdin')); File.write('/dev/stderr', 'err')",),
    # PHP resolves a path by itself, and finds no pipe: these are its own names
    "php": ("<?php copy('php://stdin', 'php://stdout'); file_put_contents('php://stderr', 'err');",),
    "lua": (
        "io.open('/dev/stdout', 'w'):write(io.open('/dev/stdin'):read('a'))\nio.open('/dev/stderr', 'w'):write('err')",
    ),
    "ocaml": (
        """
let () =
  let read = open_in "/dev/stdin" and out = open_out "/dev/stdout" and err = open_out "/dev/stderr" in
  (try while true do output_string out (input_line read ^ "\\n") done with End_of_file -> ());
  output_string err "err"
""",
    ),
    "r": (
        "named <- function(name, mode) file(paste0('/dev/', name), mode, raw = TRUE)\n"
        "writeLines(readLines(named('stdin', 'r')), named('stdout', 'w'))\n"
        "cat('err', file = named('stderr', 'w'))",
    ),
    "fortran": (
        """
program copies
    character(len=99) :: line
    integer :: failed
    open(unit=11, file='/dev/stdin', action='read')
    open(unit=12, file='/dev/stdout', action='write')
    open(unit=13, file='/dev/stderr', action='write')
    do
        read(11, '(A)', iostat=failed) line
        if (failed /= 0) exit
        write(12, '(A)') trim(line)
    end do
    write(13, '(A)') 'err'
end program
""",
    ),
}
"""Ways by language."""
