/** What a step of the job would be, by replay: any edits that the server knows, each alone and all at once. */
import { signedNs } from '../../base/units'
import { useJointReply } from '../../data/joint'
import { at } from '../../state/place'
import { EditBar } from '../../widgets/choose/edit_bar'
import { Definition } from '../../widgets/panel/popup'
import { columnsOf } from '../../widgets/table/column'
import { FigureTable } from '../../widgets/table/figure_table'
import type { ReplayedRow } from '../../wire/wire'
import { ofShownJob } from '../of_job'
import * as define from './definitions'
import { REPLAYED_ROW } from './row_figures'

const KEY = 'ranks.what_if'

export function WhatIf({ run }: { readonly run: string }) {
  const { value, error } = useJointReply('view/ranks/what_if', { ...ofShownJob(run), what_if: at(KEY) }).value
  const { reason = null, notes = [], rows = [], forms = [] } = value?.result ?? {}
  const isRange = rows.some((row) => row.would_be_least_ns !== row.would_be_ns)
  return (
    <section aria-label="What if">
      <h2>
        What if <Definition of="what if" text={`${define.what_if} ${define.edit}`} />
      </h2>
      {value === undefined && error === undefined && <p class="soft">Reading.</p>}
      {reason === null ? (
        <EditBar id={KEY} label="What is otherwise" add="Add edit" examples={forms} />
      ) : (
        <p class="soft">{reason}</p>
      )}
      {error !== undefined && (
        <p class="is-bad" role="alert">
          {error}
        </p>
      )}
      {error === undefined && rows.length > 0 && at(KEY) !== undefined && (
        <div class="ranks-dimensions">
          <FigureTable
            rows={rows}
            columns={columnsOf<ReplayedRow, typeof REPLAYED_ROW>(REPLAYED_ROW, {
              edit: {},
              was_ns: {},
              would_be_least_ns: isRange && {},
              would_be_ns: {},
              change_ns: { draw: ({ change_ns: change }) => (change === null ? null : signedNs(change)) },
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
