/** Copying, also on plain http hosts, where browsers withhold `navigator.clipboard`. */
import { useState } from 'preact/hooks'

export async function copyText(text: string): Promise<boolean> {
  // Withheld on plain http, whatever the types say.
  const clipboard = (navigator as { clipboard?: Clipboard }).clipboard
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text)
      return true
    } catch {
      // Refused (no focus, a policy): try the old way.
    }
  }
  return copyOldWay(text)
}

function copyOldWay(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  document.body.append(area)
  area.select()
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure context
  const isCopied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}

interface CopyButtonProps {
  readonly text: () => string
  readonly label: string
  readonly title?: string
  readonly isSmall?: boolean
}

/** Says "Copied" for a moment, or that it could not. */
export function CopyButton({ text, label, title, isSmall = false }: CopyButtonProps) {
  const [said, setSaid] = useState<string>()
  const copy = async (): Promise<void> => {
    setSaid((await copyText(text())) ? 'Copied' : 'Could not copy')
    setTimeout(() => setSaid(undefined), 1500)
  }
  return (
    <button type="button" class={`button${isSmall ? ' is-small' : ''}`} title={title} onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  )
}
