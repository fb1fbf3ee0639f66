/**
 * What stands behind a "?": the page holds keys (`definitions.ts` of a view, `?ranks.wait_ns`), the server their words. They are
 * asked for, once a view, when the first of them is drawn.
 */
import { signal } from '@preact/signals'

type Texts = Readonly<Record<string, string>>

const AGAIN_MS = 5000 // what could not be had is asked for again when it is drawn again, but not at each drawing

/** By view; a sentence where there was no answer. */
const told = signal<Readonly<Record<string, Texts | string>>>({})
const asked = new Set<string>()
let ask: ((view: string) => Promise<Texts>) | undefined

/** Who is asked, with which a page begins. */
export function askWordsOf(source: (view: string) => Promise<Texts>): void {
  ask = source
  asked.clear()
  told.value = {}
}

/** A text with the words of each line that is a key; "…" until they are there. Drawn in a component, it is drawn again then. */
export function words(text: string): string {
  return text.replace(/^\?(\w+)\.(\w+)$/gm, (_, view: string, name: string) => {
    const texts = told.value[view]
    if (typeof texts !== 'object') void load(view)
    return typeof texts === 'string' ? texts : (texts?.[name] ?? '…')
  })
}

async function load(view: string): Promise<void> {
  if (ask === undefined || asked.has(view)) return
  asked.add(view)
  const found = await ask(view).catch((error: unknown) => {
    setTimeout(() => asked.delete(view), AGAIN_MS)
    return error instanceof Error ? error.message : String(error)
  })
  told.value = { ...told.value, [view]: found }
}
