/** Opens the list of keys, and that of places to go to. Their code comes when it is first asked for. */
import { signal } from '@preact/signals'

import type { HelpDialog } from './help_dialog'

type Dialog = typeof HelpDialog

/** Not in the link: neither is a place. */
const opened = signal<{ readonly Dialog: Dialog; readonly nth: number } | undefined>(undefined)

function open(code: Promise<Dialog>): void {
  code
    .then((Dialog) => {
      opened.value = { Dialog, nth: nOpened++ }
    })
    .catch(() => undefined) // the server is gone, which the page says by itself
}

export function openHelp(): void {
  open(import('./help_dialog').then((code) => code.HelpDialog))
}

export function openPalette(): void {
  open(import('./palette/dialog').then((code) => code.PaletteDialog))
}

let nOpened = 0

/** The dialog, while one is open. The browser tells later that one was closed: then the next may be open already. */
export function Help() {
  const { value } = opened
  if (value === undefined) return null
  const { Dialog, nth } = value
  return (
    <Dialog
      key={nth}
      onClose={() => {
        if (opened.peek() === value) opened.value = undefined
      }}
    />
  )
}
