#!/usr/bin/env python3
"""Words of the language that are keywords only in their places name everything else.

    words_as_names.py TSKC TOKEN_KINDS RESERVED_NAMES

Each word stands once in each place of a name: program i gives place k the word i + k. Reserved ones are
refused, as what they are. The first program is written out, for the C++ compiler to judge.
"""

import pathlib
import re
import subprocess
import sys

PROGRAM = """
const @const@ = 4;
function @function@(@function_param@: i32) -> i32 { return @function_param@; }
resource @type@<@type_param@ = 4>(@type_tensor@: tensor<f32>) : smem {
  @type_field@ : f32[128];
  pipeline async -> async stages @type_param@;
  produce @type_put@(v: f32) { @type_field@(tsk::task_thread()) = v; }
  consume @type_get@() -> (v: f32) { return @type_field@(tsk::task_thread()); }
}
kernel @kernel@<@kernel_param@ = 2>(in @tensor@: tensor<f32>[@dim@], out @result@: tensor<f32>[@dim@],
                                    @scalar@: i32) {
  const @kernel_const@ = @const@;
  requires @dim@ % 128 == 0, @scalar@ > 0;
  grid (1);
  resource @resource@ : smem {
    @field@ : f32[128];
    pipeline async -> async stages @kernel_param@;
    produce @put@(@work_param@: i32) { @field@(tsk::task_thread()) = @tensor@(@work_param@ + tsk::task_thread()); }
    consume @get@() -> (@work_result@: f32) { return @field@(tsk::task_thread()); }
  }
  resource @instance@ = @type@<2>(@tensor@);
  resource @output@ : gmem of @result@ {
    produce store(i: i32, v: f32) { @result@(i + tsk::task_thread()) = v; }
  }
  schedule @schedule@ {
    for @loop@ in 0 .. @dim@ step 128 {
      @resource@.acquire(); @resource@.@put@(@loop@); @resource@.commit();
      @instance@.acquire(); @instance@.@type_put@(1.0f); @instance@.commit();
    }
  }
  schedule @other_schedule@(@schedule_param@: i32) {
    var @var@ : i32 = 0;
    for i in 0 .. @dim@ step 128 {
      @resource@.wait(); let @let@ = @resource@.@get@(); @resource@.release();
      @instance@.wait(); let w = @instance@.@type_get@(); @instance@.release();
      @output@.store(i, @let@ * w);
      @var@ = @function@(@var@) + @schedule_param@ + @kernel_const@;
    }
  }
  task @task@ on 4 warps runs @schedule@;
  task @other_task@ on 4 warps runs @other_schedule@(@scalar@);
  test @test@(@dim@ = 256, @scalar@ = 4) {
    let @test_let@ = 3;
    @test_tensor@ : tensor<f32>[@dim@];
    @tensor@.fill_random(seed = @test_let@);
    cpp { for (int i = 0; i < @dim@; ++i) @test_tensor@(i) = @tensor@(i); }
    run;
    expect @result@ == @test_tensor@;
  }
}
instantiate @kernel@<@kernel_param@ = 3> as @variant@ when (@scalar@ > 3);
"""
PLACES = list(dict.fromkeys(re.findall(r"@(\w+)@", PROGRAM)))


def program(names):
    return re.sub(r"@(\w+)@", lambda place: names[place[1]], PROGRAM)


def check(tskc, text):
    pathlib.Path("words.tsk").write_text(text)
    return subprocess.run([tskc, "check", "words.tsk"], capture_output=True, text=True)


def main(tskc, token_kinds, reserved_names):
    kinds = pathlib.Path(token_kinds).read_text()
    words = re.findall(r'^TSK_CONTEXTUAL\("(\w+)"\)', kinds, re.M)
    reserved_text = pathlib.Path(reserved_names).read_text()
    reserved = set(re.findall(r'^TSK_RESERVED\("(\w+)"', reserved_text, re.M))
    works = set(re.findall(r'^TSK_RESERVED_WORK\("(\w+)"', reserved_text, re.M))
    keywords = set(re.findall(r'^TSK_KEYWORD\(\w+, "(\w+)"\)', kinds, re.M))
    free = sorted({*words, *works} - reserved - keywords)
    assert len(free) > len(PLACES)
    failures = 0
    for first in range(len(free)):
        names = {place: free[(first + k) % len(free)] for k, place in enumerate(PLACES)}
        for place in PLACES:
            if re.search("put|get", place) and names[place] in works:
                names[place] += "_"
        result = check(tskc, program(names))
        if result.returncode:
            failures += 1
            print(result.stderr)
        elif first == 0:
            pathlib.Path("first.tsk").write_text(program(names))
    plain = {place: f"a_{place}" for place in PLACES}
    for word in sorted(reserved - keywords):
        for place in ("const", "dim", "let", "task"):
            result = check(tskc, program({**plain, place: word}))
            if f"error: `{word}` is a word of the language: " not in result.stderr:
                failures += 1
                print(f"{word} as the name of a {place}: {result.stderr[:400]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
