/** "Open this window in Perfetto": as a file, or handed to Perfetto's page on a click. */
import './perfetto.css'

import { useState } from 'preact/hooks'

import { formatNs } from '../../../base/units'
import { sentence } from '../../../data/reply'
import { poll } from '../../../data/request'
import { download, fileName } from '../../../widgets/links/download'
import { Popup } from '../../../widgets/panel/popup'
import type { PerfettoParams } from '../../../wire/wire'
import type { TimelineStore } from '../store/store'
import { openPerfetto, sendTo } from './perfetto'

export function PerfettoButton({ store }: { readonly store: TimelineStore }) {
  if (IS_REPORT) return null
  return (
    <Popup
      isKept
      label="Perfetto"
      name="Perfetto: open this window there"
      title="This window as a Perfetto trace"
      content={() => <Choice store={store} />}
    />
  )
}

function Choice({ store }: { readonly store: TimelineStore }) {
  const [said, setSaid] = useState<string>()
  store.window.followSettled()
  const { t0, t1 } = store.window.view
  const { run, worker, span } = store.profile
  const title = `${run} ${worker} ${span}`
  const ask = async (): Promise<ArrayBuffer> => {
    setSaid('Writing…')
    const seen = store.window.view // as it is now, also where it moves
    const params: PerfettoParams = { t0_ns: Math.floor(seen.t0), t1_ns: Math.ceil(seen.t1) }
    return poll('perfetto', { ...store.profile, ...params }, (response) => response.arrayBuffer())
  }
  const act = (action: () => Promise<void>): void => {
    action()
      .then(() => setSaid('Done.'))
      .catch((error: unknown) => setSaid(sentence(error)))
  }
  return (
    <div class="tl-perfetto" role="group" aria-label="This window in Perfetto">
      <p>What reaches into these {formatNs(t1 - t0)}.</p>
      <p class="actions">
        <button
          type="button"
          class="button"
          onClick={() =>
            act(async () => download(fileName([run, worker, span], 'pftrace'), 'application/octet-stream', await ask()))
          }
        >
          Save as .pftrace
        </button>
        <button
          type="button"
          class="button"
          onClick={() =>
            act(async () => {
              const page = openPerfetto()
              if (page === null) throw new Error('The browser opened no window: save the file instead.')
              const buffer = await ask()
              setSaid('Waiting for ui.perfetto.dev… Or save the file and open it there.')
              await sendTo(page, title, buffer)
            })
          }
        >
          Open in ui.perfetto.dev
        </button>
      </p>
      <p class="soft">The second needs the internet: the file goes to that window, to no server.</p>
      {said !== undefined && <p role="status">{said}</p>}
    </div>
  )
}
