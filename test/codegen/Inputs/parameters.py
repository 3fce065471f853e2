"""A kernel whose body reads so many tensors: `parameters.py NUMBER`."""
import sys
n=int(sys.argv[1])
print("kernel k(" + ", ".join(["inout d0: tensor<f32>[n]"]+[f"in d{i}: tensor<f32>[n]" for i in range(1,n)]) + ") {\n  grid (1);")
print("  resource o: gmem of d0 {\n    update w() by leader { d0(0) = " + " + ".join(f"d{i}(0)" for i in range(1,n)) + "; }\n  }")
print("  schedule s { o.w(); }\n  task T on 1 warps runs s;\n}")
