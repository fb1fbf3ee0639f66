/** Loads a view's code when it is first shown; what was shown stays until then. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { busy } from '../data/busy'
import { UnreachableError } from '../data/request'
import type { Profile, ViewProps } from '../views/props'
import { Fence } from './fence'
import type { ViewEntry } from './views'

interface Loaded {
  readonly id: string
  readonly title: string
  readonly View: ComponentType<ViewProps> | undefined
}

export function ViewSlot({ entry, profile }: { readonly entry: ViewEntry; readonly profile: Profile }) {
  const [loaded, setLoaded] = useState<Loaded>()
  useEffect(() => {
    let isWanted = true
    const done = busy()
    entry
      .load()
      .then((View) => {
        if (isWanted) setLoaded({ id: entry.id, title: entry.title, View })
      })
      .catch((error: unknown) => {
        // A chunk that is no more: the server was updated under an open page.
        if (isWanted && !(error instanceof UnreachableError))
          setLoaded({ id: entry.id, title: entry.title, View: undefined })
      })
      .finally(done)
    return () => {
      isWanted = false
    }
  }, [entry])
  if (loaded === undefined) return null
  const { View, id, title } = loaded
  if (View !== undefined) {
    return (
      <Fence key={id} name={title}>
        <View profile={profile} />
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
