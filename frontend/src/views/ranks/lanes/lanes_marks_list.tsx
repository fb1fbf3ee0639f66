/** What is marked in ranks side by side: how long it is and how far from the one before; each can be gone to and taken away. */
import { exactCount, exactNs, formatNs, plural } from '../../../base/units'
import { go } from '../../../state/place'
import { Popup } from '../../../widgets/panel/popup'
import { SmallTable } from '../../../widgets/panel/small_table'
import type { RankLanes } from '../../../wire/wire'
import { ELSEWHERE, toggled } from './lanes_marks'
import type { LaneMark, LaneMarks } from './lanes_marks'
import { fitAll } from './lanes_moves'
import { keeping, kindOf } from './lanes_table'

interface MarksProps {
  readonly reply: RankLanes
  readonly marks: LaneMarks
}

export function Marks({ reply, marks: { here, n_elsewhere: others } }: MarksProps) {
  if (here.length + others === 0) return null
  const elsewhere = `${others} ${here.length > 0 ? 'more ' : ''}not in this picture: ${ELSEWHERE}. `
  return (
    <Popup
      class="button is-small"
      label={
        here.length === 0
          ? `${plural(others, 'mark')} not shown`
          : `${plural(here.length, 'mark')}${others > 0 ? `, ${exactCount(others)} not shown` : ''}`
      }
      content={() => (
        <div class="ranks-lanes-marks">
          {here.length > 0 && (
            <SmallTable first="Mark" columns={['Start', 'Length', 'After the one before', '']}>
              {here.map((mark, nth) => (
                <Row key={mark.place} reply={reply} mark={mark} nth={nth} before={here[nth - 1]} />
              ))}
            </SmallTable>
          )}
          <p class="soft">
            {others > 0 && elsewhere}
            {here.length > 1 && (
              <button type="button" class="button is-small" onClick={() => fitAll(reply, here)}>
                Fit all
              </button>
            )}{' '}
            <button type="button" class="button is-small" onClick={() => go({ 'ranks.mark': undefined })}>
              Remove all
            </button>
          </p>
        </div>
      )}
    />
  )
}

interface RowProps {
  readonly reply: RankLanes
  readonly mark: LaneMark
  readonly nth: number
  readonly before: LaneMark | undefined
}

function Row({ reply, mark, nth, before }: RowProps) {
  const { place, t0, t1 } = mark
  const name = `rank ${reply.lanes[reply.members.lane[place] ?? 0]?.rank}, ${kindOf(reply, place)}`
  return (
    <tr>
      <td class="is-text">
        <b>{nth + 1}</b> {name}
      </td>
      <td title={exactNs(t0)}>{formatNs(t0)}</td>
      <td title={exactNs(t1 - t0)}>{formatNs(t1 - t0)}</td>
      <td title={before && `${exactNs(t0 - before.t0)} from start to start`}>
        {before === undefined ? '–' : formatNs(t0 - before.t0)}
      </td>
      <td>
        <button
          type="button"
          class="button is-small"
          onClick={() => {
            go(keeping(reply, place))
            fitAll(reply, [mark])
          }}
        >
          Fit
        </button>{' '}
        <button
          type="button"
          class="button is-plain is-small"
          aria-label={`Remove mark ${nth + 1}, ${name}`}
          title="Remove"
          onClick={() => go(toggled(reply, place))}
        >
          ✕
        </button>
      </td>
    </tr>
  )
}
