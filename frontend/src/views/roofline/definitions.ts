// Generated from tb_plugin/views/roofline/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const name =
  "The operator that launched the work, else the kernel."
export const shapes =
  "Of the call's inputs, as recorded: sizes, and C++ types."
export const types = shapes
export const category =
  "The kind of the kernel that took most of the row's time."
export const count =
  "Kernels, copies and sets of the row."
export const total_ns =
  "Summed time of all kernels of the row's calls."
export const share =
  "The part of the device time of all rows."
export const wall_ns =
  "The area of the row's point in the chart: its time, where of n pieces of these rows that run on one device at once each has 1/n. Over all rows it is the time in which any of them runs."
export const lost_ns =
  "Time beyond the least that the device needs for this work: total - the longer of FLOPs / peak and bytes / bandwidth, call by call, of the calls whose roof is known; 0 where the rate is over the roof. The table's order."
export const roof_share =
  "The least time over the time taken. Over 100 %: over the roof. Then the data lay in a cache, the peak is another, or work was counted that was not done (zero blocks, masks)."
export const bound =
  "What takes longer at the roof: computing (FLOPs / peak) or memory (bytes / bandwidth)."
export const flops =
  "From shapes: 2 for a product and a sum of matrices, convolutions (each gradient asked for as much again) and attention (forward 2, backward 5 products; causal, by the recorded flag, only the pairs looked at), as torch's FlopCounterMode, which counts causal attention whole; norms 8 an element (RMS 5), backward 11; softmax 5, backward 4; 1 an element elsewhere; copies 0; Adam 18. “≤”: a bound, where sequence lengths or a flag are not recorded, or torch.compile fused the operators."
export const bytes =
  "At least (of kernels that torch.compile made, what torch wrote itself, `kernel_num_gb` and `kernel_flop`, where it did): tensors read once, of expanded ones what is there, and results written once, in their types; of lookups the rows touched."
export const flops_per_s =
  "Over the time of the kernels of the row whose launch is in the file."
export const bytes_per_s = flops_per_s
export const flops_per_byte =
  "FLOPs over least bytes: the chart's horizontal axis."
export const rate_type =
  "The peak that a product is held against: the type of its first operand; floats are TF32 in NVIDIA's tensor cores, FP32 outside of them."
export const is_most =
  "whether FLOPs or bytes are only the most; time of kernels whose launch is in no file and that have the work of kernels alike: of the same name, grid and block, or the same name, neighbours and about the time"
export const twin_ns = is_most
export const coverage =
  "Device time of work with known FLOPs or bytes, over all of it without collectives. What is not known is a part of its own, never 0."
export const known_ns =
  "that time"
export const paged_ns =
  "Of what is not known, attention over a paged cache (vLLM, SGLang, FlashInfer): its work is that of the requests' context lengths, which are values of a tensor and in no file."
export const roofs =
  "Peaks of the types that products of the profile have: dense, from the maker's data sheet, or as `peak` gives them."
export const best_flops_per_s =
  "The achievable roof: the highest rate of a row of that type that took a thousandth of the device time or more, bounds left out."
export const peak =
  "The device and the source of its peaks; a guess where the file has no name, and units and memory fit one device alone."
export const is_guess = peak
export const covers =
  "What the rows are of: chosen steps, or all that was recorded, inside and outside of steps; other filters hold besides."
export const is_call =
  "Not shown as figures: whether the name is an operator's, an event of the row, the rows, and what was recorded."
export const example = is_call
export const rows = is_call
export const has_shapes = is_call
export const missing = is_call
