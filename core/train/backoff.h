// Waiting for other processes without taking the processor from them.
#pragma once

#include <chrono>
#include <thread>

namespace qkv {

class Backoff {
 public:
  // Returns at once for the first calls, so that a short wait stays short. Later calls sleep for some microseconds.
  void Pause() {
    if (++pauses_ < 200) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 private:
  unsigned pauses_ = 0;
};

}  // namespace qkv
