// Generated from tb_plugin/views/sql/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.

export const columns = "?sql.columns"
export const rows = "?sql.rows"
export const is_cut = "?sql.is_cut"
export const events = "?sql.events"
export const tables = "?sql.tables"
export const name = "?sql.tables"
export const says = "?sql.tables"
