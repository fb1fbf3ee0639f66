/** The answer in a sentence, with the way to the findings that it names. */
import './verdict.css'

import { PlaceLink } from '../widgets/links/place_link'
import { Definition } from '../widgets/panel/popup'
import { Said } from '../widgets/panel/said'
import type { Change, InJob, Verdict } from '../wire/wire'
import { titleOf } from './in_job'

interface VerdictProps {
  readonly verdict: Verdict
  /** What its job tells stands where the profile cannot tell. */
  readonly inJob?: InJob | undefined
  readonly definition?: string
}

export function VerdictLine({ verdict, inJob, definition }: VerdictProps) {
  const { sentence, of_ranks: untold, changes, doubts } = verdict
  const told = inJob?.communication == null ? untold : `From all ranks: ${inJob.communication}`
  return (
    <div class="verdict">
      <p>
        <strong>
          <Said text={sentence} />
        </strong>
        {untold !== null && told !== null && (
          <>
            {' '}
            <Said text={told} />
          </>
        )}
        {changes.map((change) => (
          <span key={change.finding}>
            {' '}
            <PlaceLink to={{ view: 'advice', 'advice.open': change.finding }}>
              <Said text={sentenceOf(change, titleOf(change.finding, change.title, inJob))} />
            </PlaceLink>
          </span>
        ))}
        {definition !== undefined && <Definition of="this answer" text={definition} />}
        {doubts.length > 0 && (
          <span class="soft">
            {' '}
            <Said text={doubts.join(' ')} />
          </span>
        )}
      </p>
    </div>
  )
}

function sentenceOf({ lead, told }: Change, title: string): string {
  return `${lead}: ${title.charAt(0).toLowerCase()}${title.slice(1)}${told === '' ? '' : ` ${told}`}.`
}
