"""A kernel whose `cpp` block includes every header that PureNames.def takes for harmless, and whose
schedule branches on a function: all threads alike, since none of them changes what it names."""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    headers = re.findall(r'TSK_PURE_HEADER\("([^"]+)"\)', file.read())
includes = "\n".join(f"  #include <{name}>" for name in headers if name != "name")
print(f"""cpp {{
{includes}
}}
kernel k(in src: tensor<f32>[n], out dst: tensor<f32>[n]) {{
  requires n >= 1;
  grid (1);
  function half_of(i: i32) -> i32 {{ return max(abs(i), 2) / 2; }}
  resource output : gmem of dst {{ produce put(i: i32) {{ dst(tsk::task_thread()) = i; }} }}
  schedule s {{
    if (half_of(n) > 3) {{ output.put(1); }}
    task.sync();
    output.put(half_of(n));
  }}
  task T on 2 warps runs s;
}}""")
