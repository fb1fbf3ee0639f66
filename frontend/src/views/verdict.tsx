/** The answer in a sentence, with the way to the findings that it names. */
import './verdict.css'

import { PlaceLink } from '../widgets/links/place_link'
import { Definition } from '../widgets/panel/popup'
import { Said } from '../widgets/panel/said'
import type { Change, Verdict } from '../wire/wire'

interface VerdictProps {
  readonly verdict: Verdict
  readonly definition?: string
}

export function VerdictLine({ verdict, definition }: VerdictProps) {
  const { sentence, of_ranks: ofRanks, changes, doubts } = verdict
  return (
    <div class="verdict">
      <p>
        <strong>
          <Said text={sentence} />
        </strong>
        {ofRanks !== null && (
          <>
            {' '}
            <Said text={ofRanks} />
          </>
        )}
        {changes.map((change) => (
          <span key={change.finding}>
            {' '}
            <PlaceLink to={{ view: 'advice', 'advice.open': change.finding }}>
              <Said text={sentenceOf(change)} />
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

function sentenceOf({ lead, title, told }: Change): string {
  return `${lead}: ${title.charAt(0).toLowerCase()}${title.slice(1)}${told === '' ? '' : ` ${told}`}.`
}
