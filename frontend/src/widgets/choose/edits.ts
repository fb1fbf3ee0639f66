/** Edits, or words, as they stand in the link: one a line, or with other blanks between. */

export function parseEdits(text: string | undefined, by = '\n'): readonly string[] {
  return (text ?? '')
    .split(by)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** With this edit, or several; what is there already stays where it is. */
export function withEdit(edits: readonly string[], more: string, by = '\n'): string | undefined {
  return written([...new Set([...edits, ...parseEdits(more, by)])], by)
}

export function withoutEdit(edits: readonly string[], less: string, by = '\n'): string | undefined {
  return written(
    edits.filter((edit) => edit !== less),
    by,
  )
}

function written(edits: readonly string[], by: string): string | undefined {
  return edits.length === 0 ? undefined : edits.join(by)
}
