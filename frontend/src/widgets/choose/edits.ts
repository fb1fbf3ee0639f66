/** Edits as they stand in the link: one a line. */

export function parseEdits(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** With this edit, or several, one a line; what is there already stays where it is. */
export function withEdit(edits: readonly string[], more: string): string | undefined {
  return written([...new Set([...edits, ...parseEdits(more)])])
}

export function withoutEdit(edits: readonly string[], less: string): string | undefined {
  return written(edits.filter((edit) => edit !== less))
}

function written(edits: readonly string[]): string | undefined {
  return edits.length === 0 ? undefined : edits.join('\n')
}
