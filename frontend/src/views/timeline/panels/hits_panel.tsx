/** All that a search found, as the server sorts it. A click or Enter goes there. */
import { formatNs, plural } from '../../../base/units'
import { ask } from '../../../data/ask'
import { useReply } from '../../../data/reply'
import { versionOf } from '../../../data/runs'
import { at, go } from '../../../state/place'
import { Select } from '../../../widgets/choose/select'
import { Definition } from '../../../widgets/panel/popup'
import { DataTable } from '../../../widgets/table/data_table'
import { useTableLink } from '../../../widgets/table/frame/link'
import { WindowedTable } from '../../../widgets/table/windowed_table'
import type { WindowWish } from '../../../widgets/table/windowed_table'
import type { HitsParams, TrackEvent } from '../../../wire/wire'
import { MOST_NOTE, saveList } from '../../save_list'
import { insideWords } from '../store/inside_words'
import type { TimelineStore } from '../store/store'
import * as define from '../definitions'
import { KIND } from './area_panel'
import { Close } from './close'
import { eventColumns, eventLink } from './event_columns'
import { useSeen } from './seen'

/** Of which of two timelines the hits are listed, as the link says it. */
const OF = [
  { id: '1', label: 'this timeline' },
  { id: '2', label: 'the one beside' },
] as const

const QUESTION = 'view/timeline/hits'

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
            {store.kept !== undefined && 'of everything, '}
            {formatNs(reply.total_ns)} in all <Definition of="in all" text={define.found_ns} />
          </span>
        )}
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
      {reply !== undefined && <Hits key={String(store === first)} store={store} found={reply.hits} row={hit} />}
    </section>
  )
}

interface HitsProps {
  readonly store: TimelineStore
  /** In a report all of them, else those around the current one. */
  readonly found: readonly TrackEvent[]
  /** The current one. */
  readonly row: number | undefined
}

function Hits({ store, found, row: hit }: HitsProps) {
  const { profile } = store
  const columns = eventColumns<TrackEvent>(store, KIND)
  const table = {
    id: 'timeline_hits',
    label: 'Search results',
    columns,
    sort: { column: 'start_ns', descending: false },
    keyOf: ({ row }: TrackEvent) => String(row),
    isMarked: ({ row }: TrackEvent) => row === hit,
    goTo: ({ row }: TrackEvent) => eventLink(store, row),
    visit: (event: TrackEvent) => store.visit(event),
  }
  const { sort, search } = useTableLink(table.id, columns, table.sort)
  const params = ({ sort, descending, pattern }: WindowWish): HitsParams => ({
    q: at('timeline.q') ?? '',
    regex: at('timeline.regex') === '1',
    among: pattern,
    sort: sort as HitsParams['sort'], // whatever the link says
    descending,
  })
  const wish = params({ sort: sort.column, descending: sort.descending, pattern: search.pattern?.source })
  const isAsked = !IS_REPORT && hit !== undefined
  const { value, pending } = useReply(QUESTION, profile, isAsked ? { ...wish, row: hit, limit: 0 } : undefined).value
  const parts = [...Object.values(profile), 'hits']
  if (IS_REPORT) return <DataTable {...table} rows={found} fileParts={parts} />
  return (
    <WindowedTable
      {...table}
      source={JSON.stringify([profile, wish.q, wish.regex, versionOf(profile)])}
      load={(wish) => async (offset, limit, signal) => {
        const { rows, n_listed: count } = await ask(QUESTION, profile, { ...params(wish), offset, limit }, { signal })
        return { rows, count }
      }}
      markedAt={isAsked && !pending ? (value?.place ?? undefined) : undefined}
      exportNote={MOST_NOTE}
      onExport={(ending, wish) => void saveList(QUESTION, profile, params(wish), ending, [...parts, table.id])}
    />
  )
}
