/** What is missing, and what is to be doubted, apart. */
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { Said, saidPlainly } from '../../widgets/panel/said'
import type { RanksTable } from '../../wire/wire'
import { opening } from '../links'
import * as define from './definitions'

interface NotesProps {
  readonly table: RanksTable
  readonly run: string
}

/** What is missing, refused, or not in the figures; the notes say why, and below them each such profile can be opened. */
export function Notes({ table, run }: NotesProps) {
  const apart = table.others.filter(({ reason }) => reason !== null)
  const isShown = new Set(table.ranks.map(({ worker }) => worker))
  if (table.notes.length + table.others.length === 0) return null
  return (
    <section aria-label="Missing and refused">
      <h2>
        Missing and refused <Definition of="what is missing" text={define.notes} />
      </h2>
      <ul class="ranks-notes">
        <Items of={table.notes} />
        {apart.length > 0 && (
          <li class="ranks-panel-links">
            Open what is not in these figures:
            {apart.map(({ worker, span, state, reason }) => (
              <PlaceLink
                key={`${worker} ${span}`}
                title={saidPlainly(reason ?? '')}
                to={{
                  ...opening({ run, worker, span }),
                  ...(state === 'ready' && { view: 'ranks' }),
                }}
              >
                {/* Its rank's number is one of this job, too. */}
                {worker + (isShown.has(worker) ? `, ${span}` : '')}
              </PlaceLink>
            ))}
          </li>
        )}
      </ul>
    </section>
  )
}

export function Doubts({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null
  return (
    <section aria-label="Doubts">
      <h2>
        Doubts <Definition of="a doubt" text={define.doubts} />
      </h2>
      <ul class="ranks-notes">
        <Items of={of} />
      </ul>
    </section>
  )
}

function Items({ of }: { readonly of: readonly string[] }) {
  return of.map((sentence) => (
    <li key={sentence}>
      <Said text={sentence} />
    </li>
  ))
}
