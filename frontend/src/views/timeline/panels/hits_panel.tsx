/** All that a search found, a thousand at a time, in order of time. A click goes there. */
import { exactCount, formatNs, plural } from '../../../base/units'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import { Definition } from '../../../widgets/panel/popup'
import { DataTable } from '../../../widgets/table/data_table'
import type { TimelineSearch, TrackEvent } from '../../../wire/wire'
import { insideWords } from '../store/inside_words'
import { PAGE } from '../store/search'
import type { TimelineStore } from '../store/store'
import * as define from '../definitions'
import { KIND } from './area_panel'
import { Close } from './close'
import { eventColumns } from './event_columns'
import { useSeen } from './seen'

/** Of which of two timelines the hits are listed, as the link says it. */
const OF = [
  { id: '1', label: 'this timeline' },
  { id: '2', label: 'the one beside' },
] as const

export function HitsPanel({ store: first }: { readonly store: TimelineStore }) {
  const second = first.beside.value
  const store = (at('timeline.list') === '2' && second) || first
  const { reply, error, current } = store.search.state.value
  const hit = reply?.hits[current - reply.offset]?.row
  return (
    <section ref={useSeen()} class="tl-area" aria-label="Search results">
      <header>
        <h2>{reply === undefined ? 'Search' : plural(reply.total, 'hit')}</h2>
        {reply !== undefined && (
          <span class="soft">
            {formatNs(reply.total_ns)} in all <Definition of="in all" text={define.found_ns} />
          </span>
        )}
        {reply !== undefined && reply.total > PAGE && <Pages store={store} reply={reply} />}
        <span class="grow" />
        {second !== undefined && (
          <Select
            label="Of"
            value={store === first ? '1' : '2'}
            options={OF}
            onChoose={(id) => go({ 'timeline.list': id })}
          />
        )}
        <Close what="the list" onClick={() => go({ 'timeline.list': undefined })} />
      </header>
      {IS_REPORT && reply && <p class="tl-none soft">{insideWords(reply, 'searched')}</p>}
      {error !== undefined && <p class="is-bad">{error}</p>}
      {reply !== undefined && (
        <DataTable
          key={String(store === first)}
          id="timeline_hits"
          label="Search results"
          rows={reply.hits}
          columns={eventColumns<TrackEvent>(store, (row) => store.visit(row), KIND, !IS_REPORT)}
          sort={{ column: 'start_ns', descending: false }}
          keyOf={(row) => String(row.row)}
          isMarked={({ row }) => row === hit}
          fileParts={[...Object.values(store.profile), 'hits']}
        />
      )}
    </section>
  )
}

function Pages({ store, reply }: { readonly store: TimelineStore; readonly reply: TimelineSearch }) {
  const { offset, hits, total } = reply
  const button = (text: string, label: string, to: number) => (
    <button
      type="button"
      class="button is-small"
      aria-label={label}
      disabled={to < 0 || to >= total}
      onClick={() => void store.search.turn(to)}
    >
      {text}
    </button>
  )
  return (
    <span class="tl-buttons">
      {button('‹', 'The hits before these', offset - PAGE)}
      <span class="soft">
        {exactCount(offset + 1)} to {exactCount(offset + hits.length)}
      </span>
      {button('›', 'The hits after these', offset + PAGE)}
    </span>
  )
}
