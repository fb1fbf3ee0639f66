/** The views of the page, with the server's words for them. */
import { runs } from '../data/runs'
import type { Face } from '../views/face'
import { FACES } from '../views/faces'

export type ViewEntry = Face & {
  readonly title: string
  readonly question: string
}

/** What the server calls the views whose ids are no words. */
const UNTIL_IT_ANSWERS: Readonly<Record<string, string>> = { whatif: 'What if', sql: 'SQL' }

/** In the order of the navigation. A report has not all. */
export function views(): readonly ViewEntry[] {
  const infos = runs.value.reply?.views
  return FACES.flatMap((face) => {
    const info = infos?.find(({ id }) => id === face.id)
    if (infos !== undefined && info === undefined) return []
    return [
      { ...face, title: info?.title ?? UNTIL_IT_ANSWERS[face.id] ?? capital(face.id), question: info?.question ?? '' },
    ]
  })
}

export function viewNamed(id: string | undefined): ViewEntry | undefined {
  return views().find((view) => view.id === id)
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
