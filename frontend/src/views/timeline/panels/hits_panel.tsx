/** All that a search found, a thousand at a time, in order of time. A click goes there. */
import { useMemo } from 'preact/hooks'

import { exactCount, formatNs, plural } from '../../../base/units'
import { go } from '../../../state/place'
import type { Column } from '../../../widgets/table/column'
import { DataTable } from '../../../widgets/table/data_table'
import type { TimelineSearch, TrackEvent } from '../../../wire/wire'
import * as define from '../definitions'
import { PAGE } from '../store/search'
import type { TimelineStore } from '../store/store'

export function HitsPanel({ store }: { readonly store: TimelineStore }) {
  const { profile } = store
  const { reply, error } = store.search.state.value
  const columns = useMemo(() => columnsOf(store), [store])
  return (
    <section class="tl-area" aria-label="Search results">
      <header>
        <h2>{reply === undefined ? 'Search' : plural(reply.total, 'hit')}</h2>
        {reply !== undefined && <span class="soft">{formatNs(reply.total_ns)} in all</span>}
        {reply !== undefined && reply.total > PAGE && <Pages store={store} reply={reply} />}
        <span class="grow" />
        <button
          type="button"
          class="button is-plain is-small"
          aria-label="Close the list"
          title="Close"
          onClick={() => go({ 'timeline.list': undefined })}
        >
          ✕
        </button>
      </header>
      {error !== undefined && <p class="is-bad">{error}</p>}
      {reply === undefined && error === undefined && <p class="soft">Type a name above to list its events.</p>}
      {reply !== undefined && (
        <DataTable
          id="timeline_hits"
          label="Search results"
          rows={reply.hits}
          columns={columns}
          sort={{ column: 'start_ns', descending: false }}
          keyOf={(row) => String(row.row)}
          fileParts={[profile.run, profile.worker, profile.span, 'hits']}
        />
      )}
    </section>
  )
}

function Pages({ store, reply }: { readonly store: TimelineStore; readonly reply: TimelineSearch }) {
  const { offset, hits, total } = reply
  const turn = (to: number): void => void store.search.turn(to)
  return (
    <span class="tl-buttons">
      <button
        type="button"
        class="button is-small"
        aria-label="The hits before these"
        disabled={offset === 0}
        onClick={() => turn(offset - PAGE)}
      >
        ‹
      </button>
      <span class="soft">
        {exactCount(offset + 1)} to {exactCount(offset + hits.length)}
      </span>
      <button
        type="button"
        class="button is-small"
        aria-label="The hits after these"
        disabled={offset + hits.length >= total}
        onClick={() => turn(offset + PAGE)}
      >
        ›
      </button>
    </span>
  )
}

function columnsOf(store: TimelineStore): readonly Column<TrackEvent>[] {
  const trackName = new Map(store.tracks.tracks.map(({ id, name }) => [id, name]))
  return [
    {
      id: 'name',
      title: 'Name',
      kind: 'name',
      value: (row) => row.name,
      draw: (row, characters, names) => (
        <button type="button" class="link mono" title={row.name} onClick={() => store.visit(row)}>
          {names.cut(row.name, characters)}
        </button>
      ),
      definition: define.area_name,
    },
    {
      id: 'start_ns',
      title: 'Start',
      kind: 'ns',
      value: (row) => row.start_ns - store.tracks.start_ns,
      definition: define.hit_start,
    },
    {
      id: 'duration_ns',
      title: 'Duration',
      kind: 'ns',
      value: (row) => row.duration_ns,
      definition: define.hit_duration,
    },
    {
      id: 'kind',
      title: 'Kind',
      kind: 'text',
      width: 110,
      value: (row) => row.kind.replaceAll('_', ' '),
      definition: define.kind,
    },
    {
      id: 'track',
      title: 'Track',
      kind: 'text',
      width: 160,
      value: (row) => trackName.get(row.track) ?? '',
      definition: define.hit_track,
    },
  ]
}
