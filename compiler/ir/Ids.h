// Typed indices into tables. An Id<Tag> of one table cannot be used in another.
#pragma once

#include "compiler/support/Check.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tsk {

template <typename Tag> struct Id {
  static constexpr uint32_t None = ~0u;
  uint32_t index = None;

  explicit operator bool() const { return index != None; }
  friend bool operator==(Id, Id) = default;
  friend auto operator<=>(Id, Id) = default;
};

// A vector that is indexed by an Id.
template <typename IdT, typename T> class Table {
public:
  IdT add(T item) {
    items.push_back(std::move(item));
    return IdT{static_cast<uint32_t>(items.size() - 1)};
  }
  T &operator[](IdT id) {
    TSK_CHECK(id.index < items.size(), "id outside its table");
    return items[id.index];
  }
  const T &operator[](IdT id) const {
    TSK_CHECK(id.index < items.size(), "id outside its table");
    return items[id.index];
  }
  size_t size() const { return items.size(); }
  bool empty() const { return items.empty(); }
  IdT idAt(size_t index) const { return IdT{static_cast<uint32_t>(index)}; }
  auto begin() { return items.begin(); }
  auto end() { return items.end(); }
  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }

private:
  std::vector<T> items;
};

} // namespace tsk
