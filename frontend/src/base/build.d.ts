/** Whether this is built as a report: one file that holds its answers and has no server to ask. What needs one is not built into it. */
declare const IS_REPORT: boolean
