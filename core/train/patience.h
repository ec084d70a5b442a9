// Waiting for other processes without taking the processor from them.
#pragma once

#include <chrono>
#include <thread>

namespace qkv {

class Patience {
 public:
  // Returns soon: at first immediately, so that a short wait stays short, then after a nap.
  void Rest() {
    if (++rests_ < 200) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 private:
  unsigned rests_ = 0;
};

}  // namespace qkv
