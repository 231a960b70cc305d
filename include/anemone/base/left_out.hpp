#pragma once

/// The headers whose bodies anemone.hpp leaves out (way.hpp), header-only. A body completes the type of its header:
/// until then a call of its functions finds none, since the size of that type is not known. (No concept: compilers remember
/// that it did not hold.)
namespace ane::include {

struct anemone_backend_bucketed_hpp;
struct anemone_backend_calibration_hpp;
struct anemone_backend_cpu_plan_report_hpp;
struct anemone_backend_engine_clock_hpp;
struct anemone_backend_engine_dispatch_hpp;
struct anemone_backend_engine_engine_hpp;
struct anemone_backend_engine_library_hpp;
struct anemone_backend_engine_objc_program_hpp;
struct anemone_backend_engine_objc_runtime_hpp;
struct anemone_backend_engine_objc_session_hpp;
struct anemone_backend_engine_pacing_hpp;
struct anemone_backend_engine_release_report_hpp;
struct anemone_backend_engine_session_hpp;
struct anemone_backend_samples_hpp;
struct anemone_backend_segmented_segmented_hpp;
struct anemone_backend_wide_wide_hpp;
struct anemone_benchmark_benchmark_hpp;
struct anemone_benchmark_machine_limits_hpp;
struct anemone_compress_compress_hpp;
struct anemone_compress_compression_report_hpp;
struct anemone_diff_diff_hpp;
struct anemone_diff_model_pair_hpp;
struct anemone_diff_overflow_search_hpp;
struct anemone_diff_remedies_hpp;
struct anemone_diff_trace_hpp;
struct anemone_diff_wide_diff_hpp;
struct anemone_drawing_drawing_hpp;
struct anemone_dynamic_volume_hpp;
struct anemone_formats_blob_hpp;
struct anemone_formats_cpp_hpp;
struct anemone_formats_mil_hpp;
struct anemone_formats_netplist_hpp;
struct anemone_formats_plist_hpp;
struct anemone_mlpackage_mlpackage_hpp;
struct anemone_proof_proof_hpp;
struct anemone_readers_file_verdict_hpp;
struct anemone_readers_mil_hpp;
struct anemone_readers_netplist_hpp;
struct anemone_report_calibration_report_hpp;
struct anemone_report_device_placement_report_hpp;
struct anemone_report_diff_drawing_hpp;
struct anemone_report_diff_report_hpp;
struct anemone_report_divergence_report_hpp;
struct anemone_report_error_report_hpp;
struct anemone_report_model_pair_report_hpp;
struct anemone_report_optimize_drawing_hpp;
struct anemone_report_optimize_report_hpp;
struct anemone_report_plot_hpp;
struct anemone_report_residency_report_hpp;
struct anemone_report_sarif_hpp;
struct anemone_report_timeline_drawing_hpp;
struct anemone_report_timeline_report_hpp;
struct anemone_report_verdicts_hpp;
struct anemone_report_wide_diff_report_hpp;
struct anemone_segments_print_hpp;
struct anemone_weights_promises_hpp;
struct anemone_weights_random_hpp;

} // namespace ane::include
