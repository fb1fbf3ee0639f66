// Generated from tb_plugin/views/sql/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const columns =
  "Of the statement, in its order."
export const rows =
  "As SQLite answers: integers beyond 2^53 and bytes as text, null is \"not recorded\"."
export const is_cut =
  "Whether there are more rows than are shown."
export const events =
  "Start and duration of the event that the row's `id` names, where it names one."
export const tables =
  "What a statement may read, with every column and what it is."
export const name = tables
export const says = tables
