/** A file from this computer: dropped anywhere on the page, or chosen. The server shows it as a run until it ends. */
import './open_file.css'

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { formatBytes, plural } from '../../base/units'
import { sentence } from '../../data/reply'
import { askOnce } from '../../data/runs'
import { go } from '../../state/place'
import { opening } from '../../views/links'
import type { Profile } from '../../wire/profile'
import { shownView } from '../slot/shown_view'

const MOST_SAID = 3 // a folder may hold many that are no profile

interface Said {
  readonly text: string
  readonly isBad: boolean
}

/** The button for a menu, and what lies over the page while a file is dragged or sent. */
export function useOpenFile(isTaken: boolean): { readonly button: JSX.Element; readonly overlay: JSX.Element } {
  const [isOver, setOver] = useState(false)
  const [said, setSaid] = useState<Said>()
  const input = useRef<HTMLInputElement>(null)
  const open = async (chosen: readonly File[], dropped?: readonly FileSystemEntry[]): Promise<void> => {
    const bad: string[] = []
    let shown: Profile | undefined
    let files = chosen
    try {
      if (dropped) files = await (await import('../../data/send')).filesIn(dropped)
    } catch (error) {
      files = []
      bad.push(sentence(error))
    }
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
    const more = bad.splice(MOST_SAID).length
    if (more > 0) bad.push(`And ${plural(more, 'file')} more.`)
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
      // Now: nothing is in it later. Of a folder `files` has what looks like a file and cannot be read.
      const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry())
      const isFolder = entries.some((entry) => entry?.isDirectory === true)
      if (type === 'drop') void open([...dataTransfer.files], isFolder ? entries.filter((entry) => entry !== null) : undefined) // prettier-ignore
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
