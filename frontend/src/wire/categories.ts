// Generated from tb_plugin/trace/work/taxonomy.py by `python -m tb_plugin.doors.wire`. Do not edit.

export const CATEGORIES = [
  { id: "matmul", title: "Matrix multiply", definition: "Products of matrices and vectors, with what is fused into them." },
  { id: "convolution", title: "Convolution", definition: "Convolutions forward and backward, by any algorithm." },
  { id: "attention", title: "Attention", definition: "Fused attention: flash, memory efficient, paged." },
  { id: "normalisation", title: "Normalisation", definition: "Batch, layer, group and RMS norm; softmax." },
  { id: "elementwise", title: "Elementwise", definition: "One output per input: arithmetic, activations, casts, dropout, fused optimizers." },
  { id: "reduction", title: "Reduction", definition: "Sums, means, maxima, scans, pooling, losses." },
  { id: "indexing", title: "Indexing and layout", definition: "Gather, scatter, embedding, sort, concatenation, transposition." },
  { id: "fused", title: "Compiled kernels", definition: "Made by a compiler, of some operators (Triton) or of a model (programs of MTIA), with names that do not tell." },
  { id: "other", title: "Other", definition: "Neither the name nor an operator around the launch tells." },
  { id: "communication", title: "Communication", definition: "Collectives and sends. Much of their time may be waiting for others." },
  { id: "copy", title: "Copy", definition: "Copies between and on devices." },
  { id: "set", title: "Set", definition: "Memory filled with a value." },
] as const
