// What a launcher returns: that all is well, or in words what was wrong.
#pragma once

#include <string>
#include <utility>

namespace tsk {

enum class status_code {
  ok,
  invalid_argument,   // a check of the launcher failed; nothing was launched
  unsupported_device, // the device lacks what the kernel needs; nothing was launched
  runtime_error       // the CUDA runtime or driver refused; its words are in the message
};

class status {
public:
  status() = default;
  status(status_code code, std::string message) : code_(code), message_(std::move(message)) {}

  static status invalid_argument(std::string message) {
    return {status_code::invalid_argument, std::move(message)};
  }
  static status unsupported_device(std::string message) {
    return {status_code::unsupported_device, std::move(message)};
  }
  static status runtime_error(std::string message) {
    return {status_code::runtime_error, std::move(message)};
  }

  bool ok() const { return code_ == status_code::ok; }
  explicit operator bool() const { return ok(); }
  status_code code() const { return code_; }
  const std::string &message() const { return message_; }

private:
  status_code code_ = status_code::ok;
  std::string message_;
};

} // namespace tsk
