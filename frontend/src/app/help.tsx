/** Opens the list of keys. Its code comes when it is first asked for. */
import { signal } from '@preact/signals'

import type { HelpDialog } from './help_dialog'

/** Not in the link: help is not a place. */
const opened = signal<{ readonly Dialog: typeof HelpDialog } | undefined>(undefined)

export function openHelp(): void {
  import('./help_dialog')
    .then((code) => {
      opened.value = { Dialog: code.HelpDialog }
    })
    .catch(() => undefined) // the server is gone, which the page says by itself
}

/** The dialog, while it is open. */
export function Help() {
  if (opened.value === undefined) return null
  const { Dialog } = opened.value
  return (
    <Dialog
      onClose={() => {
        opened.value = undefined
      }}
    />
  )
}
