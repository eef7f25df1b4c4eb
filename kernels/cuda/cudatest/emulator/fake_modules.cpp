#include "fake_modules.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cuda_words.h"
#include "fake_memory.h"
#include "fake_streams.h"

namespace fake {
namespace {

struct Module {
  std::string ptx;
};
struct Function {
  const emu::Kernel* kernel;
  unsigned most_threads;
  int most_shared = 48 << 10;
};

Handles<Module> modules;
Handles<Function> functions;

// entry is where a kernel begins in PTX.
size_t entry(const std::string& ptx, const std::string& kernel) { return ptx.find(".entry " + kernel + "("); }

// parameter_bytes is the size of a kernel's parameter in PTX, 0 if there is
// no such parameter.
size_t parameter_bytes(const std::string& ptx, const std::string& kernel, size_t i) {
  const size_t begin = entry(ptx, kernel), end = ptx.find(')', begin);
  if (begin == std::string::npos) return 0;
  const std::string name = kernel + "_param_" + std::to_string(i);
  size_t at = ptx.find(name, begin);
  while (at != std::string::npos && at < end && isdigit(ptx[at + name.size()])) at = ptx.find(name, at + 1);
  if (at == std::string::npos || at > end) return 0;
  const std::string type = ptx.substr(ptx.rfind(".param", at), 12);
  if (type.find("64") != std::string::npos) return 8;
  return type.find("32") != std::string::npos ? 4 : 0;
}

// threads_of is the most threads of a block that a kernel was compiled for.
unsigned threads_of(const std::string& ptx, const std::string& kernel) {
  constexpr unsigned most = 1024;
  const std::string word = ".maxntid";
  const size_t begin = entry(ptx, kernel), body = ptx.find('{', begin), at = ptx.find(word, begin);
  return begin == std::string::npos || at > body ? most : std::strtoul(ptx.c_str() + at + word.size(), nullptr, 10);
}

// check compares the kernels of a module with those compiled in.
Result check(const std::string& ptx) {
  for (const emu::Kernel& k : emu::kernels()) {
    if (entry(ptx, k.name) == std::string::npos) continue;  // of another module
    for (size_t i = 0; i <= k.sizes.size(); i++) {
      const size_t want = i < k.sizes.size() ? k.sizes[i] : 0;
      if (parameter_bytes(ptx, k.name, i) != want)
        return refuse(invalid_ptx, "the PTX is not that of the source: parameter " + std::to_string(i) + " of " + k.name);
    }
  }
  return success;
}

// note writes a launch to the file that FAKECUDA_LAUNCHES names, if any.
void note(const char* kernel, const emu::Launch& l) {
  static const char* const path = getenv("FAKECUDA_LAUNCHES");
  static FILE* const file = path ? fopen(path, "a") : nullptr;
  if (!file) return;
  fprintf(file, "%s %u %u %u %zu\n", kernel, l.blocks_x, l.blocks_y, l.threads, l.shared);
  fflush(file);
}

// pointers refuses parameters that point to where no number of their type may
// be, or to memory that no card reaches.
Result pointers(const emu::Kernel& k, void** parameters) {
  for (size_t i = 0; i < k.sizes.size(); i++) {
    if (k.alignments[i] == 1) continue;
    uintptr_t at;
    memcpy(&at, parameters[i], sizeof at);
    const std::string name = std::string(k.name) + ": parameter " + std::to_string(i);
    if (at % k.alignments[i] != 0) return refuse(misaligned_address, name + " is misaligned");
    if (at && !reaches(at)) return refuse(illegal_address, name + " points to no memory of the card, nor to pinned memory");
  }
  return success;
}

Result result_of(emu::Fault fault) {
  switch (fault) {
    case emu::none: return success;
    case emu::no_memory: return illegal_address;
    case emu::misaligned: return misaligned_address;
    default: return launch_failed;
  }
}

Result check(const Function& f, Size blocks, Size threads, unsigned shared) {
  const auto wrong = [&](const std::string& why) { return refuse(invalid_value, std::string(f.kernel->name) + ": " + why); };
  constexpr unsigned most_x = 0x7fffffff, most_y = 65535;
  if (blocks.z != 1 || threads.y != 1 || threads.z != 1) return wrong("only x and y of blocks and x of threads are emulated");
  if (!blocks.x || !blocks.y || !threads.x) return wrong("a launch of nothing");
  if (blocks.x > most_x || blocks.y > most_y) return wrong("more blocks than a launch may have");
  if (threads.x > f.most_threads) return wrong("more threads than it was compiled for, " + std::to_string(f.most_threads));
  if (shared > static_cast<unsigned>(f.most_shared)) return wrong("more shared memory than it was given");
  return success;
}

}  // namespace

Result load(void** module, const char* ptx) {
  if (Result r = ready()) return r;
  const std::string text = ptx;
  if (!text.empty() && text.find("\n.target ") == std::string::npos) return refuse(invalid_ptx, "the PTX says no target");
  if (Result r = check(text)) return r;
  *module = modules.add({text});
  return success;
}

Result find(void** function, void* module, const char* name) {
  if (Result r = ready()) return r;
  const auto m = modules.find(module);
  if (!m) return refuse(invalid_handle, "there is no such module");
  for (const emu::Kernel& k : emu::kernels())
    if (!strcmp(k.name, name) && (m->ptx.empty() || entry(m->ptx, name) != std::string::npos)) {
      *function = functions.add({&k, threads_of(m->ptx, name)});
      return success;
    }
  return refuse(not_found, std::string("there is no kernel ") + name);
}

Result allow_shared(void* function, int bytes) {
  if (Result r = ready()) return r;
  const auto f = functions.find(function);
  if (!f) return refuse(invalid_handle, "there is no such function");
  if (bytes < 0 || bytes > most_shared) return refuse(invalid_value, "more shared memory than the card has");
  f->most_shared = bytes;
  return success;
}

Result launch(void* function, Size blocks, Size threads, unsigned shared, void* stream, void** parameters) {
  if (Result r = ready()) return r;
  const auto f = functions.find(function);
  const auto s = streams.find(stream);
  if (!f || !s) return refuse(invalid_handle, "there is no such function or stream");
  if (Result r = check(*f, blocks, threads, shared)) return r;
  const emu::Kernel& kernel = *f->kernel;
  std::vector<std::vector<char>> copies;
  for (size_t i = 0; i < kernel.sizes.size(); i++) {
    const char* p = static_cast<const char*>(parameters[i]);
    if (!p) return refuse(invalid_value, std::string(kernel.name) + " lacks a parameter");
    copies.emplace_back(p, p + kernel.sizes[i]);
  }
  const emu::Launch size = {blocks.x, blocks.y, threads.x, shared, s->order};
  return put(stream, [=, &kernel]() mutable -> Result {
    std::vector<void*> given;
    for (auto& c : copies) given.push_back(c.data());
    note(kernel.name, size);
    if (Result r = pointers(kernel, given.data())) return r;
    const emu::Outcome o = emu::run(kernel.call, given.data(), size);
    return o.fault ? refuse(result_of(o.fault), std::string(kernel.name) + ": " + o.message) : success;
  });
}

}  // namespace fake

namespace emu {
std::vector<Kernel>& kernels() {
  static std::vector<Kernel> all;
  return all;
}
}  // namespace emu
