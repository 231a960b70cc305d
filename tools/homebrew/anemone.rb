# The formula of the command, the headers and the C interface: `brew install --HEAD anemone` from a tap that holds this file.
# Put in the address of the repository. It was never run on a Mac; only Ruby has read it.
class Anemone < Formula
  desc "Models for the Apple Neural Engine, checked and run without it"
  homepage "https://example.invalid/anemone"
  license "MIT"
  head "https://example.invalid/anemone.git", branch: "main"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "boost"
  depends_on "fmt"
  depends_on "libpng"
  depends_on "libzip"
  depends_on macos: :ventura # Xcode 15, whose library has the vectors of constant expressions
  depends_on "onnx"
  depends_on "protobuf"
  depends_on "rapidjson"

  def install
    args = %w[
      -DANEMONE_BUILD_TESTS=OFF
      -DANEMONE_BUILD_EXAMPLES=OFF
      -DANEMONE_BUILD_C=ON
      -DANEMONE_INSTALL_COMPILED=ON
    ]
    system "cmake", "-S", ".", "-B", "build", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"double.mil").write <<~MIL
      program(1.3)
      [buildInfo = dict<string, string>({{"written by", "the formula"}})]
      {
          func main<ios18>(tensor<fp16, [1, 8]> x) {
              tensor<fp16, [1, 8]> y = mul(x = x, y = fp16(2));
          } -> (y);
      }
    MIL
    assert_match "accepted", shell_output("#{bin}/anemone check double.mil --targets h13 --quiet")
    assert_match "no such file", shell_output("#{bin}/anemone check none.mil 2>&1", 2)
    (testpath/"use.c").write <<~C
      #include <anemone/c/anemone.h>
      #include <stdint.h>

      int main(void) {
        float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, y[8] = {0};
        anemone_array from = {"x", ANEMONE_FLOAT32, x, sizeof x};
        anemone_array to = {"y", ANEMONE_FLOAT32, y, sizeof y};
        anemone_model* model;
        anemone_program* program;
        return anemone_open("double.mil", 0, &model) || anemone_compile(model, "oracle:h13", &program) ||
               anemone_run(program, &from, 1, &to, 1) || y[7] != 14;
      }
    C
    system ENV.cc, "-std=c99", "use.c", "-I#{include}", "-L#{lib}", "-lanemone_c", "-o", "use"
    system "./use"
  end
end
