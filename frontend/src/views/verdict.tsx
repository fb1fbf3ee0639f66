/** The answer in a sentence, with the way to the findings that it names. */
import './verdict.css'

import { withMicroseconds } from '../base/units'
import { PlaceLink } from '../widgets/links/place_link'
import { Definition } from '../widgets/panel/popup'
import type { Verdict } from '../wire/wire'

interface VerdictProps {
  readonly verdict: Verdict
  readonly definition?: string
}

export function VerdictLine({ verdict: { sentence, changes, doubts }, definition }: VerdictProps) {
  return (
    <div class="verdict">
      <p>
        <strong>{withMicroseconds(sentence)}</strong>
        {changes.map((change) => (
          <span key={change.finding}>
            {' '}
            <PlaceLink to={{ view: 'advice', 'advice.open': change.finding }}>
              {withMicroseconds(change.sentence)}
            </PlaceLink>
          </span>
        ))}
        {definition !== undefined && <Definition of="this answer" text={definition} />}
        {doubts.length > 0 && <span class="soft"> {withMicroseconds(doubts.join(' '))}</span>}
      </p>
    </div>
  )
}
