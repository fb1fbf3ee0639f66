/** What a step of the job would be, by replay: any edits that the server knows, each alone and all at once. */
import { useRef } from 'preact/hooks'
import { exactNs, formatNs, formatRange, formatShare, signedNs } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { sentence } from '../../data/reply'
import { poll } from '../../data/request'
import { at } from '../../state/place'
import { EditBar } from '../../widgets/choose/edit_bar'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { columnsOf } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import type { RanksTable, RanksWhatIf, ReplayedRow } from '../../wire/wire'
import { ofShownJob } from '../of_job'
import * as define from './definitions'
import { placeOfEdit } from './rank_links'
import { REPLAYED_ROW } from './row_figures'
import { shortWait } from './waited'
import { Waiting } from './waiting'

const KEY = 'ranks.what_if'
const WORTH_A_WORD = 1.005 // of S: what is less is said to be 1.00

interface WhatIfProps {
  readonly table: RanksTable
  readonly run: string
}

export function WhatIf({ table, run }: WhatIfProps) {
  const { value, error } = useJointReply('view/ranks/what_if', { ...ofShownJob(run), what_if: at(KEY) }).value
  const answered = useRef<{ readonly run: string; readonly result: RanksWhatIf; readonly to: string | undefined }>(null)
  // What is there while other edits are asked about is of those before.
  if (value !== undefined && value.result !== answered.current?.result)
    answered.current = { run, result: value.result, to: at(KEY) }
  // An edit that is refused takes nothing away of what was told before: rows name their edits.
  const told = answered.current?.run === run ? answered.current.result : undefined
  const { reason = null, notes = [], rows = [], forms = [] } = told ?? {}
  const isAsked = at(KEY) !== undefined
  const isReading = told === undefined || (isAsked && answered.current?.to !== at(KEY))
  const isRange = rows.some((row) => row.would_be_least_ns !== row.would_be_ns)
  return (
    <section aria-label="What if">
      <header class="ranks-header ranks-what-if">
        <h2>
          What if <Definition of="what if" text={`${define.what_if}\n${define.would_be_ns}`} />
        </h2>
        {reason === null && (
          <EditBar
            id={KEY}
            label="What is otherwise"
            add="Add edit"
            examples={forms}
            check={(typed) =>
              poll('view/ranks/what_if', { ...ofShownJob(run), what_if: typed }, () =>
                Promise.resolve(undefined),
              ).catch(sentence)
            }
          />
        )}
      </header>
      {reason !== null ? (
        <p class="soft">{pointed(reason, table.notes)}</p>
      ) : (
        (told !== undefined || table.slowdown !== null) && <Slowdown of={table} />
      )}
      {(isReading || error !== undefined) && (
        <Waiting error={error} what={isAsked ? 'Replaying these edits.' : 'Reading what can be asked.'} />
      )}
      {rows.length > 0 && isAsked && (
        <div class="ranks-dimensions">
          <FigureTable
            rows={rows}
            explained={REPLAYED_ROW}
            columns={columnsOf<ReplayedRow, typeof REPLAYED_ROW>(REPLAYED_ROW, {
              edit: {
                draw: ({ edit }) => {
                  const place = placeOfEdit(edit, table.dimensions)
                  return place && <PlaceLink to={place}>{edit}</PlaceLink>
                },
              },
              was_ns: {},
              would_be_least_ns: isRange && {},
              would_be_ns: {},
              change_ns: {
                draw: ({ change_ns: change }) =>
                  change === null ? null : (shortWait(Math.abs(change), table.clock_error_ns) ?? signedNs(change)),
              },
            })}
          />
          {notes.map((note) => (
            <p key={note} class="soft">
              {note}
            </p>
          ))}
        </div>
      )}
    </section>
  )
}

/** One sentence stands once on a screen: why is among what is missing, where that says the same. */
function pointed(reason: string, notes: readonly string[]): string {
  const [said = '', ...why] = reason.split(': ')
  const isSaid = why.length > 0 && notes.some((note) => note.includes(why.join(': ').replace(/\.$/, '')))
  return isSaid ? `${said}: see what is missing, below.` : reason
}

/** S: what all that makes ranks wait for each other costs, at once. Sentences say what each of them does. */
function Slowdown({ of }: { readonly of: RanksTable }) {
  const { slowdown, ideal_was_ns: was, ideal_ns: most, ideal_least_ns: least, is_slowdown_least: isLeast } = of
  if (slowdown === null || was === null || most === null)
    return <p class="soft">S: cannot be told; what is not known decides.</p>
  const hasGain = slowdown >= WORTH_A_WORD || isLeast // at least 1: that nothing is to be gained is not known
  const from = Math.min(least ?? most, most)
  const would = formatRange(from, most)
  const less = [...(would === formatNs(most) ? [] : [from]), most].map((ns) => `−${formatShare(1 - ns / was)}`)
  return (
    <p>
      <b>
        S {isLeast ? 'is at least' : '='} {slowdown.toFixed(2)}
      </b>
      :{of.ideal_steps !== null && ` in ${of.ideal_steps}`}{' '}
      {hasGain ? (
        <>
          with no rank or link slower than its peers
          {'pipeline' in of.layout && ', and the stages’ kernels levelled to their mean,'} a step of the job would take{' '}
          <b title={exactNs(most)}>{would}</b> instead of
        </>
      ) : (
        'ranks and links slower than most make no step longer; a step of the job takes'
      )}{' '}
      <span title={exactNs(was)}>{formatNs(was)}</span>
      {hasGain && ` (${less.join(' to ')})`} <Definition of="the slowdown S" text={define.slowdown} />
    </p>
  )
}
