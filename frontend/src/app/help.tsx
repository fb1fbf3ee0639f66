/** Opens the list of keys, and that of places to go to. Their code comes when it is first asked for. */
import { signal } from '@preact/signals'

import type { HelpDialog } from './help_dialog'

type Dialog = typeof HelpDialog

/** Not in the link: neither is a place. */
const opened = signal<{ readonly Dialog: Dialog } | undefined>(undefined)

function open(code: Promise<Dialog>): void {
  code
    .then((Dialog) => {
      opened.value = { Dialog }
    })
    .catch(() => undefined) // the server is gone, which the page says by itself
}

export function openHelp(): void {
  open(import('./help_dialog').then((code) => code.HelpDialog))
}

export function openPalette(): void {
  open(import('./palette/dialog').then((code) => code.PaletteDialog))
}

/** The dialog, while one is open. */
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
