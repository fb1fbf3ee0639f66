/** The view as a picture, with what it is of: PNG to paste, SVG to print. Its code comes when it is wanted. */
import { useState } from 'preact/hooks'

import { sentence } from '../../data/reply'
import type { Profile } from '../../wire/profile'

interface SavePictureProps {
  readonly title: string
  readonly profile: Profile | undefined
  readonly onSaved: () => void
}

export function SavePicture({ title, profile, onSaved }: SavePictureProps) {
  const [problem, setProblem] = useState<string>()
  const save = (ending: 'png' | 'svg'): void => {
    setProblem(undefined)
    import('../../widgets/picture/save')
      .then(async ({ saveView }) => saveView(title, profile, ending))
      .then(onSaved)
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
