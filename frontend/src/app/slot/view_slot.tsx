/** Loads a view's code when it is first shown; what was shown stays until then. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { busy } from '../../data/busy'
import { UnreachableError } from '../../data/request'
import type { Face } from '../../views/face'
import type { Profile } from '../../wire/profile'
import { Fence } from './fence'
import { noteDrawn } from './shown_view'
import { viewNamed } from '../views'
import type { ViewEntry } from '../views'

interface Loaded {
  readonly id: string
  readonly draw: Draw | undefined
}

type Draw = (profile: Profile | undefined) => ComponentChildren

async function drawing(face: Face): Promise<Draw> {
  if (face.isOfMany === true) {
    const View = await face.load()
    return () => <View />
  }
  const View = await face.load()
  return (profile) => profile !== undefined && <View profile={profile} />
}

export function ViewSlot({ entry, profile }: { readonly entry: ViewEntry; readonly profile: Profile | undefined }) {
  const [loaded, setLoaded] = useState<Loaded>()
  useEffect(() => {
    let isWanted = true
    const done = busy()
    drawing(entry)
      .then((draw) => {
        if (isWanted) setLoaded({ id: entry.id, draw })
      })
      .catch((error: unknown) => {
        // A chunk that is no more: the server was updated under an open page.
        if (isWanted && !(error instanceof UnreachableError)) setLoaded({ id: entry.id, draw: undefined })
      })
      .finally(done)
    return () => {
      isWanted = false
    }
  }, [entry.id])
  useEffect(() => noteDrawn(loaded?.id), [loaded])
  if (loaded === undefined) return null
  const { draw, id } = loaded
  if (draw !== undefined) {
    return (
      <Fence key={id} name={viewNamed(id)?.title ?? ''}>
        {draw(profile)}
      </Fence>
    )
  }
  return (
    <div class="notice is-bad" role="alert">
      <h2>This part of the page did not load</h2>
      <p>The server is gone or was updated since the page was opened. The link keeps what you see.</p>
      <button type="button" class="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  )
}
