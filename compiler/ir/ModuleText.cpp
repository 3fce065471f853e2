// The text form of what stands around the kernels: C++ blocks and tests.
#include "compiler/ir/KernelReader.h"

namespace tsk::ir {

// ---- Printing ---------------------------------------------------------------------------------

static void printStep(const TestStep &step, llvm::raw_ostream &os) {
  auto quoted = [&](llvm::StringRef text) { printString(os, text); };
  auto number = [&](double value) { printConstant(os, ConstantScalar::ofReal(value)); };
  switch (step.kind) {
  case TestStep::Kind::FillRandom:
  case TestStep::Kind::Fill:
    os << (step.kind == TestStep::Kind::Fill ? "fill " : "fill_random ") << step.tensor << ' ';
    printConstant(os, step.value);
    break;
  case TestStep::Kind::FillIndex:
    os << "fill_index " << step.tensor;
    break;
  case TestStep::Kind::Run:
    os << "run";
    break;
  case TestStep::Kind::ExpectEqual:
    os << "expect_equal ";
    quoted(step.left);
    os << ' ';
    quoted(step.right);
    break;
  case TestStep::Kind::ExpectClose:
    os << "expect_close ";
    quoted(step.left);
    os << ' ';
    quoted(step.right);
    os << " rtol ";
    number(step.rtol);
    os << " atol ";
    number(step.atol);
    break;
  case TestStep::Kind::ExpectFault:
    os << "expect_fault " << step.text;
    break;
  case TestStep::Kind::Cpp:
    os << "cpp {" << step.text << '}';
    return;
  }
  os << ';';
}

static void printTest(const TestCase &test, const SourceManager *sources, llvm::raw_ostream &os) {
  os << "test " << test.name << " of " << test.kernel << " {";
  printPlace(os, sources, test.loc);
  os << '\n';
  for (const auto &[name, value] : test.scalars)
    os << "  scalar " << name << " = " << value << ";\n";
  for (const auto &[name, value] : test.reals) {
    os << "  real " << name << " = ";
    printConstant(os, ConstantScalar::ofReal(value));
    os << ";\n";
  }
  for (const TestTensor &tensor : test.tensors) {
    os << "  " << (tensor.param ? "param " : "tensor ") << tensor.name << " : "
       << spelling(tensor.element);
    for (int64_t extent : tensor.dims)
      os << '[' << extent << ']';
    if (!tensor.strides.empty())
      os << " strides ";
    for (int64_t stride : tensor.strides)
      os << '[' << stride << ']';
    os << ';';
    printPlace(os, sources, tensor.loc);
    os << '\n';
  }
  for (const TestStep &step : test.steps) {
    os << "  ";
    printStep(step, os);
    printPlace(os, sources, step.loc);
    os << '\n';
  }
  os << "}\n";
}

void print(const Module &module, const SourceManager *sources, llvm::raw_ostream &os) {
  for (const CppBlock &block : module.cpp) {
    os << "cpp {" << block.text << '}';
    printPlace(os, sources, block.loc);
    os << '\n';
  }
  for (const auto &kernel : module.kernels)
    print(*kernel, sources, os);
  for (const TestCase &test : module.tests)
    printTest(test, sources, os);
}

// ---- Reading ----------------------------------------------------------------------------------

namespace {

class ModuleReader {
public:
  explicit ModuleReader(TextReader &textReader) : reader(textReader) {}
  std::unique_ptr<Module> read();

private:
  void readTest();
  void readTestItem(TestCase &test, const Kernel &kernel);
  void readTensor(TestCase &test, const Kernel &kernel, bool isParam);
  void readStep(TestCase &test, const TextToken &word);
  std::string tensorName(const TestCase &test);
  double real() {
    ConstantScalar value = readConstant(reader);
    return value.isReal() ? value.real : static_cast<double>(value.value);
  }

  TextReader &reader;
  std::unique_ptr<Module> module;
};

std::unique_ptr<Module> ModuleReader::read() {
  module = std::make_unique<Module>();
  while (!reader.atEnd()) {
    if (reader.at("kernel")) {
      if (std::unique_ptr<Kernel> kernel = KernelReader(reader).read())
        module->kernels.push_back(std::move(kernel));
    } else if (reader.accept("test")) {
      readTest();
    } else if (reader.accept("cpp")) {
      CppBlock block;
      block.text = reader.braced(block.loc);
      module->cpp.push_back(std::move(block));
    } else {
      reader.unexpected("`kernel`, `cpp` or `test`");
    }
  }
  return reader.failed() ? nullptr : std::move(module);
}

void ModuleReader::readTest() {
  TestCase test;
  TextToken name = reader.word("a test's name");
  test.name = name.text.str();
  test.loc = name.range;
  reader.expect("of");
  TextToken kernelName = reader.word("a kernel's name");
  test.kernel = kernelName.text.str();
  const Kernel *kernel = nullptr;
  for (const auto &candidate : module->kernels)
    if (candidate->name == test.kernel)
      kernel = candidate.get();
  if (!kernel && !reader.failed())
    reader.fail(kernelName.range, TextUnknownName, "kernel", kernelName.text);
  reader.expect("{");
  while (!reader.atEnd() && !reader.at("}"))
    readTestItem(test, *kernel);
  reader.expect("}");
  module->tests.push_back(std::move(test));
}

void ModuleReader::readTestItem(TestCase &test, const Kernel &kernel) {
  TextToken word = reader.word("a statement of a test");
  if (word.text == "scalar" || word.text == "real") {
    std::string name = reader.name("a name");
    reader.expect("=");
    if (word.text == "scalar")
      test.scalars[name] = reader.integer("a value", INT64_MIN);
    else
      test.reals[name] = real();
    reader.expect(";");
  } else if (word.text == "param" || word.text == "tensor") {
    readTensor(test, kernel, word.text == "param");
  } else {
    readStep(test, word);
  }
}

void ModuleReader::readTensor(TestCase &test, const Kernel &kernel, bool isParam) {
  TestTensor tensor;
  TextToken name = reader.word("a tensor's name");
  tensor.name = name.text.str();
  tensor.loc = name.range;
  for (size_t i = 0; isParam && i < kernel.params.size(); ++i)
    if (kernel.params[kernel.params.idAt(i)].name == tensor.name)
      tensor.param = kernel.params.idAt(i);
  if (isParam && !tensor.param && !reader.failed())
    reader.fail(name.range, TextUnknownName, "parameter", name.text);
  reader.expect(":");
  TextToken type = reader.word("a scalar type");
  if (std::optional<ScalarType> element = scalarTypeByName(type.text))
    tensor.element = *element;
  else if (!reader.failed())
    reader.fail(type.range, TextUnknownName, "scalar type", type.text);
  const auto readList = [&](std::vector<int64_t> &list, const char *what, int64_t least) {
    while (reader.accept("[")) {
      list.push_back(reader.integer(what, least));
      reader.expect("]");
    }
  };
  readList(tensor.dims, "an extent", 0);
  if (reader.accept("strides"))
    readList(tensor.strides, "a stride", INT64_MIN);
  reader.expect(";");
  test.tensors.push_back(std::move(tensor));
}

std::string ModuleReader::tensorName(const TestCase &test) {
  TextToken name = reader.word("a tensor's name");
  for (const TestTensor &tensor : test.tensors)
    if (tensor.name == name.text)
      return tensor.name;
  if (!reader.failed())
    reader.fail(name.range, TextUnknownName, "tensor", name.text);
  return {};
}

void ModuleReader::readStep(TestCase &test, const TextToken &word) {
  TestStep step;
  step.loc = word.range;
  if (word.text == "cpp") {
    SourceRange range;
    step.kind = TestStep::Kind::Cpp;
    step.text = reader.braced(range);
    return test.steps.push_back(std::move(step));
  }
  if (word.text == "fill_random" || word.text == "fill") {
    step.kind = word.text == "fill" ? TestStep::Kind::Fill : TestStep::Kind::FillRandom;
    step.tensor = tensorName(test);
    step.value = readConstant(reader);
  } else if (word.text == "fill_index") {
    step.kind = TestStep::Kind::FillIndex;
    step.tensor = tensorName(test);
  } else if (word.text == "run") {
    step.kind = TestStep::Kind::Run;
  } else if (word.text == "expect_equal" || word.text == "expect_close") {
    step.kind =
        word.text == "expect_equal" ? TestStep::Kind::ExpectEqual : TestStep::Kind::ExpectClose;
    step.left = reader.string("a tensor");
    step.right = reader.string("a tensor");
    if (step.kind == TestStep::Kind::ExpectClose) {
      reader.expect("rtol");
      step.rtol = real();
      reader.expect("atol");
      step.atol = real();
    }
  } else if (word.text == "expect_fault") {
    step.kind = TestStep::Kind::ExpectFault;
    step.text = reader.name("a property");
  } else if (!reader.failed()) {
    reader.fail(word.range, TextUnknownName, "statement", word.text);
  }
  reader.expect(";");
  test.steps.push_back(std::move(step));
}

} // namespace

std::unique_ptr<Kernel> parseKernel(SourceManager &sources, SourceLoc begin,
                                    DiagnosticEngine &diagnostics) {
  TextReader reader(sources, begin, diagnostics);
  std::unique_ptr<Kernel> kernel = KernelReader(reader).read();
  if (kernel && !reader.atEnd())
    reader.unexpected("the end of the text");
  return reader.failed() ? nullptr : std::move(kernel);
}

std::unique_ptr<Module> parseModule(SourceManager &sources, SourceLoc begin,
                                    DiagnosticEngine &diagnostics) {
  TextReader reader(sources, begin, diagnostics);
  return ModuleReader(reader).read();
}

} // namespace tsk::ir
