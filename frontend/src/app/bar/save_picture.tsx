/** The view as a picture, with what it is of: PNG to paste, SVG to print. Its code comes when it is wanted. */
import { useState } from 'preact/hooks'

import { sentence } from '../../data/reply'
import { FILTERS, filterText, filters } from '../../state/filters'
import type { Profile } from '../../wire/profile'

interface SavePictureProps {
  readonly title: string
  readonly profile: Profile | undefined
}

export function SavePicture({ title, profile }: SavePictureProps) {
  const [problem, setProblem] = useState<string>()
  const save = (ending: 'png' | 'svg'): void => {
    setProblem(undefined)
    import('../../widgets/picture/save')
      .then(async ({ saveView }) =>
        saveView(document.querySelector('main'), { title, lines: linesOf(profile) }, ending),
      )
      .catch((error: unknown) => setProblem(sentence(error)))
  }
  return (
    <>
      {(['png', 'svg'] as const).map((ending) => (
        <button
          key={ending}
          type="button"
          class="button"
          title="What is in sight, with its title"
          onClick={() => save(ending)}
        >
          Save picture ({ending.toUpperCase()})
        </button>
      ))}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </>
  )
}

/** Of what it is a picture: the profile, and what of it counts. */
function linesOf(profile: Profile | undefined): string[] {
  const set = filters.value
  const chosen = FILTERS.flatMap((id) => (set[id] === undefined ? [] : [filterText(id, set[id])]))
  return [
    ...(profile === undefined ? [] : [`${profile.run} · ${profile.worker} · ${profile.span}`]),
    ...(chosen.length === 0 ? [] : [`Only ${chosen.join(', ')}`]),
  ]
}
