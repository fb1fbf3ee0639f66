// Generated from tb_plugin/views/timeline/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const area_name =
  "The name of the events, as recorded; events of one name and kind are one row."
export const kind =
  "What the events are: operator, annotation (a named range), Python frame, runtime or driver call, kernel, copy, set, and so on."
export const count =
  "Events of that name that overlap the area, or lie in it as a mark without length."
export const area_self_ns =
  "Time inside the area, without the time of events nested in them. On a thread self times are disjoint: their sum is the time in which anything was open."
export const time_ns =
  "Time inside the area, with nested events. Totals of nested events overlap, so they have no sum."
export const longest =
  "The whole length of the event with the longest part inside the area; \"Show the longest\" selects it."
