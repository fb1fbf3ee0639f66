import './advice.css'

import { formatNs, plural } from '../../base/units'
import { adviceAsked } from '../../state/filters'
import { at, go } from '../../state/place'
import { Definition } from '../../widgets/panel/popup'
import type { Advice } from '../../wire/wire'
import { VerdictLine } from '../verdict'
import { ViewFrame } from '../frame'
import { InJobLine, useAdvice } from '../in_job'
import type { ViewProps } from '../props'
import * as define from './definitions'
import { FindingItem } from './finding'

export function AdviceView({ profile }: ViewProps) {
  const isAll = at('advice.all') === '1'
  const reply = useAdvice(profile, isAll ? { ...adviceAsked.value, all: true } : adviceAsked.value)
  return (
    <ViewFrame profile={profile} reply={reply}>
      {(advice) => (
        <div class="advice">
          <InJobLine profile={profile} told={advice.verdict.of_job} />
          <VerdictLine verdict={advice.verdict} />
          <Head advice={advice} />
          {advice.findings.length > 0 && (
            <ol class="findings">
              {advice.findings.map((finding) => (
                <FindingItem key={finding.id} finding={finding} nSteps={advice.n_steps} windowNs={advice.window_ns} />
              ))}
            </ol>
          )}
          {(advice.n_small > 0 || isAll) && (
            <p class="advice-more">
              <button type="button" onClick={() => go({ 'advice.all': advice.n_small > 0 ? '1' : undefined })}>
                {advice.n_small > 0 ? `Show ${plural(advice.n_small, 'smaller finding')}` : 'Hide small findings'}
              </button>
            </p>
          )}
          <Checked advice={advice} />
        </div>
      )}
    </ViewFrame>
  )
}

function Head({ advice: { findings, window, window_ns: ns, n_steps: steps } }: { readonly advice: Advice }) {
  const of = window === 'steps' ? plural(steps, 'step') : 'the recording'
  return (
    <p class="advice-head">
      <strong>{findings.length === 0 ? 'Nothing to change was found' : plural(findings.length, 'finding')}</strong> in{' '}
      {formatNs(ns)} of {of}
      <Definition of="a gain" text={define.gain_ns} />
    </p>
  )
}

function Checked({ advice: { nothing_found: nothing, not_checked: absent } }: { readonly advice: Advice }) {
  return (
    <div class="advice-checked">
      {absent.length > 0 && (
        <section>
          <h2>Not checked, because not in the file</h2>
          <dl>
            {absent.map(({ what, how, instead, checks }) => (
              <div key={what}>
                <dt>
                  {what}: {instead ?? <code>{how}</code>}
                </dt>
                <dd class="soft">{checks.join(' · ')}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {nothing.length > 0 && (
        <section>
          <h2>Checked, nothing found</h2>
          <ul>
            {nothing.map((what) => (
              <li key={what}>
                <span class="is-good" aria-hidden="true">
                  ✓
                </span>{' '}
                {what}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
