/** The first findings of the advice view, with what each could gain. The view is asked, as its own page does. */
import { exactNs, formatNs, formatShare } from '../../base/units'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import { saidPlainly } from '../../widgets/panel/said'
import type { Advice, Finding } from '../../wire/wire'
import * as define from './definitions'

const SHOWN = 3

interface FindingsProps {
  readonly advice: Advice | undefined
  readonly error: string | undefined
}

export function Findings({ advice, error }: FindingsProps) {
  return (
    <section class="findings-short" aria-label="What to change first">
      <h2>
        What to change first
        <Definition of="a finding's gain" text={define.finding_gain} />
        <span class="grow" />
        {advice !== undefined && advice.findings.length > SHOWN && (
          <PlaceLink to={{ view: 'advice' }} class="link">
            all {advice.findings.length}
          </PlaceLink>
        )}
      </h2>
      {advice === undefined ? (
        <p class="soft">{error ?? 'Looking…'}</p>
      ) : advice.findings.length === 0 ? (
        <p class="soft">
          Nothing was found.{' '}
          <PlaceLink to={{ view: 'advice' }} class="link">
            What was checked
          </PlaceLink>
        </p>
      ) : (
        <ol>
          {advice.findings.slice(0, SHOWN).map((finding) => (
            <Item key={finding.id} finding={finding} />
          ))}
        </ol>
      )}
    </section>
  )
}

function Item({ finding }: { readonly finding: Finding }) {
  const { id, title, what, gain_ns: own, gain_per_step_ns: perStep, gain_share: share, estimate_ns: expected } = finding
  const of = perStep === null ? 'of the time' : 'of a step'
  return (
    <li>
      {own === null || share === null ? (
        <span class="soft">gain unknown</span>
      ) : (
        <span
          class="value"
          title={`${formatShare(share)} ${of} is its own: ${exactNs(perStep ?? own)}; ${formatNs(own)} in all`}
        >
          <span class="soft">{expected === null ? 'up to' : 'about'}</span>{' '}
          {formatNs(expected === null ? (perStep ?? own) : (finding.estimate_per_step_ns ?? expected))}{' '}
          <span class="soft">{formatShare(expected === null || own === 0 ? share : (share * expected) / own)}</span>
        </span>
      )}
      <PlaceLink to={{ view: 'advice', 'advice.open': id }} title={saidPlainly(what)}>
        {title}
      </PlaceLink>
    </li>
  )
}
