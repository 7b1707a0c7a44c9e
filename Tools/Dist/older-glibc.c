// Functions that the libraries inside the command take from glibc 2.35, so that it also runs with 2.34, as on
// Amazon Linux 2023 and RHEL 9. link.sh links them into the command.
#define _GNU_SOURCE
#include <link.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct search {
  uintptr_t address;
  struct dl_find_object *result;
};

static int find_object(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct search *search = data;
  const ElfW(Phdr) *frames = NULL;
  const ElfW(Phdr) *segment = NULL;
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[index];
    uintptr_t start = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) {
      frames = header;
    } else if (header->p_type == PT_LOAD && search->address - start < header->p_memsz) {
      segment = header;
    }
  }
  if (!frames || !segment) {
    return 0;
  }
  uintptr_t start = object->dlpi_addr + segment->p_vaddr;
  *search->result = (struct dl_find_object){
      .dlfo_map_start = (void *)start,
      .dlfo_map_end = (void *)(start + segment->p_memsz),
      .dlfo_eh_frame = (void *)(object->dlpi_addr + frames->p_vaddr),
  };
  return 1;
}

// libgcc's unwinder finds the frames of a function with it.
int _dl_find_object(void *address, struct dl_find_object *result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(find_object, &search) ? 0 : -1;
}

// Swift's Float uses it. Squares of a float are exact as a double, and their sum does not overflow.
float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) {
    return INFINITY;
  }
  return (float)__builtin_sqrt((double)x * x + (double)y * y);
}
