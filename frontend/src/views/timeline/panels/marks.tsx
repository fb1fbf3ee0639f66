/** The marked stretches: their names, starts, lengths and distances; each can be called something, gone to, and taken away. */
import { exactNs, formatNs, plural } from '../../../base/units'
import { Definition, Popup } from '../../../widgets/panel/popup'
import * as define from '../definitions'
import type { Mark } from '../store/place'
import type { TimelineStore } from '../store/store'

export function Marks({ store }: { readonly store: TimelineStore }) {
  const marks = store.marks.value
  if (marks.length === 0) return null
  return (
    <Popup
      label={plural(marks.length, 'mark')}
      content={() => (
        <table class="tl-marks">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">
                Start <Definition of="Start" text={define.hit_start} />
              </th>
              <th scope="col">Length</th>
              <th scope="col">
                After the one before <Definition of="After the one before" text={define.mark_after} />
              </th>
              <th scope="col">
                <button type="button" class="button is-small" onClick={() => store.fitMarks(marks)}>
                  Fit all
                </button>
              </th>
            </tr>
          </thead>
          <tbody>
            {marks.map((mark, index) => (
              <Row key={`${mark.t0},${mark.t1}`} store={store} mark={mark} before={marks[index - 1]} />
            ))}
          </tbody>
        </table>
      )}
    />
  )
}

interface RowProps {
  readonly store: TimelineStore
  readonly mark: Mark
  readonly before: Mark | undefined
}

function Row({ store, mark, before }: RowProps) {
  const gap = before === undefined ? undefined : mark.t0 - before.t0
  return (
    <tr>
      <td>
        <textarea
          aria-label="Name of the mark, and a note"
          title={`${mark.name}\nIts name; more lines (Shift+Enter) are a note`.trim()}
          rows={mark.name.split('\n').length}
          value={mark.name}
          onChange={(event) => store.changeMark(mark, event.currentTarget.value.trim())}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.value = mark.name // closed without a change
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            event.currentTarget.blur()
          }}
        />
      </td>
      <td class="number">{exactNs(mark.t0 - store.tracks.start_ns)}</td>
      <td class="number" title={exactNs(mark.t1 - mark.t0)}>
        {formatNs(mark.t1 - mark.t0)}
      </td>
      <td class="number" title={gap === undefined ? undefined : exactNs(gap)}>
        {gap === undefined ? '–' : formatNs(gap)}
      </td>
      <td>
        <button type="button" class="button is-small" onClick={() => store.fitMarks([mark])}>
          Fit
        </button>
        <button
          type="button"
          class="button is-plain is-small"
          aria-label={`Remove the mark ${mark.name}`}
          title="Remove"
          onClick={() => store.changeMark(mark, undefined)}
        >
          ✕
        </button>
      </td>
    </tr>
  )
}
