# Comes before every target: options of a folder reach only what is added after them.

if(ANEMONE_SANITIZE)
  # One failure ends the program. The flags go to every target, since a mixture reports false container overflows.
  # Tests make graphs of any bytes, booleans among them.
  set(anemone_sanitizer_flags -fsanitize=address,undefined -fno-sanitize=bool -fno-sanitize-recover=all
                              -fno-omit-frame-pointer)
  add_compile_options(${anemone_sanitizer_flags})
  add_link_options(${anemone_sanitizer_flags})
endif()
