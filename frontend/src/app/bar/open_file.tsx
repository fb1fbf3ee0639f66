/** A file from this computer: dropped anywhere on the page, or chosen. The server shows it as a run until it ends. */
import './open_file.css'

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { formatBytes } from '../../base/units'
import { sentence } from '../../data/reply'
import { askOnce } from '../../data/runs'
import { go } from '../../state/place'
import { opening } from '../../views/links'
import type { Profile } from '../../wire/profile'
import { shownView } from '../slot/shown_view'

interface Said {
  readonly text: string
  readonly isBad: boolean
}

/** The button for a menu, and what lies over the page while a file is dragged or sent. */
export function useOpenFile(isTaken: boolean): { readonly button: JSX.Element; readonly overlay: JSX.Element } {
  const [isOver, setOver] = useState(false)
  const [said, setSaid] = useState<Said>()
  const input = useRef<HTMLInputElement>(null)
  const open = async (files: readonly File[]): Promise<void> => {
    const bad: string[] = []
    let shown: Profile | undefined
    for (const file of files) {
      const name = `${file.name}, ${formatBytes(file.size)}`
      try {
        setSaid({ text: `Sending ${name}`, isBad: false })
        const { sendFile } = await import('../../data/send')
        shown = await sendFile(
          file,
          (part) => setSaid({ text: `Sending ${name}: ${Math.round(100 * part)} %`, isBad: false }),
          files.length > 1 ? (shown?.run ?? '') : undefined,
        )
      } catch (error) {
        bad.push(sentence(error))
      }
    }
    if (shown !== undefined) {
      await askOnce() // the link is to name what the page knows
      go({ ...opening(shown), ...(shownView()?.isOfMany !== true && { view: shownView()?.id }) })
    }
    setSaid(bad.length > 0 ? { text: bad.join(' '), isBad: true } : undefined)
  }
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      const { type, dataTransfer } = event
      if (dataTransfer?.types.includes('Files') !== true) return // text that is dragged within the page
      event.preventDefault() // or the browser would leave the page for the file
      if (!isTaken) {
        dataTransfer.dropEffect = 'none'
        return
      }
      setOver(type === 'dragover' || (type === 'dragleave' && event.relatedTarget !== null))
      if (type === 'drop') void open([...dataTransfer.files])
    }
    const kinds = ['dragover', 'dragleave', 'drop'] as const
    for (const kind of kinds) document.addEventListener(kind, drag)
    return () => {
      for (const kind of kinds) document.removeEventListener(kind, drag)
    }
  }, [isTaken])
  const button = (
    <button
      type="button"
      class="button"
      title="A profile from this computer, shown until the server ends. Or drop it on the page"
      onClick={() => input.current?.click()}
    >
      Open a profile…
    </button>
  )
  const overlay = (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Profile from this computer"
        onChange={({ currentTarget }) => {
          void open([...(currentTarget.files ?? [])])
          currentTarget.value = '' // the same file again is a choice too
        }}
      />
      {isOver && <div class="drop-zone">Drop to open</div>}
      {said !== undefined && (
        <div class="drop-said" role={said.isBad ? 'alert' : 'status'}>
          {said.text}{' '}
          {said.isBad && (
            <button type="button" class="button is-small" onClick={() => setSaid(undefined)}>
              Close
            </button>
          )}
        </div>
      )}
    </>
  )
  return { button, overlay }
}
