// The command line of tskc. Generates the parser, `tskc VERB --help` and docs/cli.md.
//
// A verb sees the options whose Visibility names it. A help text says what the option is for, in
// lower case, without a final period.
include "llvm/Option/OptParser.td"

// In the order of Verbs.def.
def CompileVerb : OptionVisibility;
def TestVerb : OptionVisibility;
def SimVerb : OptionVisibility;
def CheckVerb : OptionVisibility;
def GraphVerb : OptionVisibility;
def ReportVerb : OptionVisibility;
def FmtVerb : OptionVisibility;
def ExplainVerb : OptionVisibility;
def TuneVerb : OptionVisibility;

defvar Everywhere = [CompileVerb, TestVerb, SimVerb, CheckVerb, GraphVerb, ReportVerb, FmtVerb,
                     ExplainVerb, TuneVerb];
// Verbs that compile a file. TuneVerb is not there yet and takes no option that would do nothing.
defvar Compiling = [CompileVerb, TestVerb, SimVerb, CheckVerb, GraphVerb, ReportVerb];
// Those that make plans: for a target, by passes.
defvar Planning = [CompileVerb, TestVerb, SimVerb, CheckVerb, ReportVerb];

class Help<string text, list<OptionVisibility> verbs> {
  string HelpText = text;
  list<OptionVisibility> Visibility = verbs;
}

// --name=VALUE and --name VALUE.
multiclass Eq<string name, string meta, string text, list<OptionVisibility> verbs> {
  def NAME : Joined<["--"], name # "=">, Help<text, verbs>, MetaVarName<meta>;
  def NAME # _separate : Separate<["--"], name>, Alias<!cast<Joined>(NAME)>, Visibility<verbs>;
}

// ---- Output
def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">,
  Help<"write to FILE, `-` for standard output",
       [CompileVerb, TestVerb, GraphVerb, ReportVerb, FmtVerb]>;
defm emit : Eq<"emit", "WHAT", "what to write: cuda (the default; two files, OUTPUT.cu and OUTPUT.h), or, printed unless -o names a file: header, ast, ir, plan", [CompileVerb]>;
defm namespace : Eq<"namespace", "NAME", "C++ namespace of the launchers, `kernels` by default", [CompileVerb, TestVerb]>;
def keep_unchanged : Flag<["--"], "keep-unchanged">,
  Help<"do not touch an output whose content would not change", [CompileVerb]>;

// ---- Dependencies
def MD : Flag<["-"], "MD">, Help<"write a make rule that lists the files read", [CompileVerb]>;
def MF : JoinedOrSeparate<["-"], "MF">, MetaVarName<"FILE">,
  Help<"with -MD: write the rule to FILE instead of OUTPUT.d", [CompileVerb]>;
def MT : JoinedOrSeparate<["-"], "MT">, MetaVarName<"TARGET">,
  Help<"with -MD: the rule's target instead of the outputs; may be repeated", [CompileVerb]>;
def MP : Flag<["-"], "MP">, Help<"with -MD: add an empty rule for each imported file", [CompileVerb]>;

// ---- Input
def I : JoinedOrSeparate<["-"], "I">, MetaVarName<"FOLDER">,
  Help<"look for imported files in FOLDER", Compiling>;
def D : JoinedOrSeparate<["-"], "D">, MetaVarName<"NAME=VALUE">,
  Help<"override the default of the compile-time parameter NAME", Compiling>;
defm arch : Eq<"arch", "TARGET", "the GPU to compile for: sm_90a unless the file says otherwise", Planning>;

// ---- Diagnostics
def W_Joined : Joined<["-"], "W">, MetaVarName<"NAME">,
  Help<"turn the warning NAME on, or off with -Wno-NAME", Compiling>;
def Werror : Flag<["-"], "Werror">, Help<"make all warnings errors", Compiling>;
def Werror_EQ : Joined<["-"], "Werror=">, MetaVarName<"NAME">,
  Help<"make the warning NAME an error", Compiling>;
def remarks : Flag<["--"], "remarks">, Help<"say what the compiler decided and why", Compiling>;
defm error_limit : Eq<"error-limit", "N", "stop showing errors after N, 0 for no limit", Compiling>;
defm diagnostics_format : Eq<"diagnostics-format", "FORMAT", "text (the default), json (one object a line) or sarif (one document)", Everywhere>;
defm color : Eq<"color", "WHEN", "auto (the default), always or never", Everywhere>;

// ---- Bodies
def no_body_analysis : Flag<["--"], "no-body-analysis">,
  Help<"do not let Clang check the bodies; judge them by their tokens", Planning>;
def no_body_cache : Flag<["--"], "no-body-cache">,
  Help<"let Clang read the bodies again, and keep nothing", Planning>;

// ---- Looking inside
defm print_after : Eq<"print-after", "PASS", "print the IR or plan after PASS (or `all`) to standard error", Planning>;
def verify_each : Flag<["--"], "verify-each">, Help<"check the IR and the plan after each pass", Planning>;
def time_passes : Flag<["--"], "time-passes">, Help<"print how long each phase took", Compiling>;

// ---- Verbs' own
defm on : Eq<"on", "WHERE", "sim (the default), or gpu", [TestVerb]>;
defm filter : Eq<"filter", "TEXT", "run only tests whose name contains TEXT", [TestVerb, SimVerb]>;
defm keep : Eq<"keep", "FOLDER", "keep the generated files and the program in FOLDER", [TestVerb, SimVerb]>;
defm cxx : Eq<"cxx", "COMMAND", "the C++ compiler for the simulator, with options if need be: $CXX by default, or c++, g++ or clang++", [TestVerb, SimVerb]>;
def model : Flag<["--"], "model">, Help<"estimate how long the kernels take on a GPU, for the arguments of --arg", [SimVerb]>;
defm gpu : Eq<"gpu", "NAME", "the GPU of the estimates: a6000, a100, h100, h200 or b200", [SimVerb]>;
defm arg : Eq<"arg", "NAME=VALUE", "with --model: a dimension or scalar of the kernel, instead of the test's; may be repeated", [SimVerb]>;
def profile : Flag<["--"], "profile">, Help<"show each line of the source that costs something, dearest first", [SimVerb]>;
def table : Flag<["--"], "table">, Help<"print each task's steps side by side", [CheckVerb]>;
defm format : Eq<"format", "FORMAT", "text (the default) or json", [TestVerb, SimVerb, ReportVerb]>;
defm seed : Eq<"seed", "N", "of the order in which the simulator runs warps and CTAs", [TestVerb]>;
defm seeds : Eq<"seeds", "N", "run each test with N orders", [TestVerb]>;
defm time_limit : Eq<"time-limit", "SECONDS", "stop a test on the simulator after SECONDS, 60 by default", [TestVerb, SimVerb]>;
def i : Flag<["-"], "i">, Help<"rewrite the files in place", [FmtVerb]>;
def check : Flag<["--"], "check">, Help<"write nothing; fail if a file is not formatted", [FmtVerb]>;

// ---- General
def help : Flag<["--"], "help">, Help<"print this help", Everywhere>;
def h : Flag<["-"], "h">, Alias<help>, Visibility<Everywhere>;
def print_docs : Joined<["--"], "print-docs=">, Flags<[HelpHidden]>, MetaVarName<"PAGE">,
  Help<"print docs/cli.md or docs/diagnostics.md", [CompileVerb]>;
defm explain : Eq<"explain", "CODE", "explain a diagnostic, as `tskc explain CODE` does", [CompileVerb]>;
def version : Flag<["--"], "version">, Help<"print the version", Everywhere>;
