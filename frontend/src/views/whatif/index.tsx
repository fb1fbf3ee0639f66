import './whatif.css'

import { Names } from '../../base/names'
import { exactNs, formatNs, formatShare, plural, signedNs } from '../../base/units'
import { useReply } from '../../data/reply'
import { adviceAsked } from '../../state/filters'
import { at, go } from '../../state/place'
import { EditBar } from '../../widgets/choose/edit_bar'
import { parseEdits, withEdit } from '../../widgets/choose/edits'
import { PlaceLink } from '../../widgets/links/place_link'
import { Definition } from '../../widgets/panel/popup'
import type { WhatIf } from '../../wire/wire'
import { ViewFrame } from '../frame'
import type { ViewProps } from '../props'
import { StepBars } from './bars'
import * as define from './definitions'

const NAME_CHARACTERS = 60

export function WhatIfView({ profile }: ViewProps) {
  const edits = parseEdits(at('whatif.edit'))
  const reply = useReply('view/whatif', profile, { ...adviceAsked.value, edit: edits.join('\n') })
  const known = reply.value.value?.result
  return (
    <div class="whatif">
      {IS_REPORT ? (
        <p class="soft">{edits.join(', ') || 'Nothing changed'}. Other edits: tb-plugin serve</p>
      ) : (
        <EditBar
          id="whatif.edit"
          label="What takes less time"
          add="Add edit"
          examples={known?.forms.map((form) => form.example) ?? []}
        />
      )}
      <ViewFrame profile={profile} reply={reply.value}>
        {(result) => (
          <>
            {result.on_ranks !== null && (
              <p class="view-note">
                {result.on_ranks}{' '}
                <PlaceLink
                  class="link"
                  to={{
                    view: 'ranks',
                    ...(result.of_job.length > 0 && {
                      'ranks.show': undefined,
                      'ranks.what_if': result.of_job.join('\n'),
                    }),
                  }}
                >
                  open Ranks
                </PlaceLink>
              </p>
            )}
            <Answer result={result} />
            {result.alone.length > 1 && <Alone result={result} />}
            {result.effects.length > 0 && <Effects result={result} edits={edits} />}
            {result.caveats.map((caveat) => (
              <p key={caveat} class="soft">
                {caveat}
              </p>
            ))}
            {!IS_REPORT && result.refused === null && edits.length === 0 && <Forms result={result} edits={edits} />}
          </>
        )}
      </ViewFrame>
    </div>
  )
}

/** The step as recorded and as edited, with how far the replay can be trusted. */
function Answer({ result }: { readonly result: WhatIf }) {
  const { trust, recorded_ns: recorded, edited_ns: edited, change_ns: change, refused } = result
  if (recorded === null || trust === null) return <p class="notice">No estimate: {refused}.</p>
  return (
    <section aria-label="The step">
      {refused !== null && <p class="notice is-bad">No estimate: {refused}.</p>}
      <p class="whatif-step">
        {edited !== null && change !== null && (
          <>
            step{' '}
            <strong class="value" title={exactNs(edited)}>
              {formatNs(edited)}
            </strong>{' '}
            <span class={change < 0 ? 'is-good' : ''}>
              {signedNs(change)} ({formatShare(Math.abs(change) / Math.max(recorded, 1))})
            </span>
            {result.low_change_ns !== null && result.low_change_ns !== result.high_change_ns && (
              <>
                <span>
                  {result.at_best && 'at best '}between {signedNs(result.low_change_ns)} and{' '}
                  {signedNs(result.high_change_ns ?? result.low_change_ns)}
                </span>
                <Definition of="at best" text={define.at_best} />
              </>
            )}
          </>
        )}
        <span class="soft">
          as recorded {formatNs(recorded)}, mean of {plural(result.n_steps, 'step')} (replay {off(trust.error_share)}
          {trust.unexplained_share > 0 && `, ${formatShare(trust.unexplained_share)} unexplained`})
        </span>
        <Definition of="the replay's error" text={define.trust} />
      </p>
      <StepBars result={result} />
    </section>
  )
}

function Alone({ result }: { readonly result: WhatIf }) {
  const names = new Names(result.alone.map((each) => each.edit))
  return (
    <section>
      <h2>
        One by one <Definition of="one by one" text={define.alone} />
      </h2>
      <ul class="whatif-rows">
        {result.alone.map((each) => (
          <li key={each.edit}>
            <span class="mono" title={each.edit}>
              {names.cut(each.edit, NAME_CHARACTERS)}
            </span>
            <span title={exactNs(each.change_ns)}>{signedNs(each.change_ns)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Where it pays to look; a click adds the row to the edits. */
function Effects({ result, edits }: { readonly result: WhatIf; readonly edits: readonly string[] }) {
  const names = new Names(result.effects.map((each) => each.name))
  return (
    <section>
      <h2>
        Effect of 10 % <Definition of="the effect of 10 %" text={define.effects} />
      </h2>
      <ul class="whatif-rows">
        {result.effects.map((each) => (
          <li key={`${each.kind} ${each.name}`}>
            {IS_REPORT ? (
              <span class="mono" title={`${each.name}\n${formatNs(each.own_ns)} a step`}>
                {names.cut(each.name, NAME_CHARACTERS)}
              </span>
            ) : (
              <button
                type="button"
                class="link mono"
                title={`${each.name}\n${formatNs(each.own_ns)} a step; add ${each.edit}`}
                onClick={() => go({ 'whatif.edit': withEdit(edits, each.edit) })}
              >
                {names.cut(each.name, NAME_CHARACTERS)}
              </button>
            )}
            <span class="soft">{each.kind}</span>
            <span title={exactNs(each.gain_ns)}>{formatShare(each.effect_share)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Forms({ result, edits }: { readonly result: WhatIf; readonly edits: readonly string[] }) {
  return (
    <section>
      <h2>What can be asked</h2>
      <dl class="whatif-forms">
        {result.forms.map(({ example, says }) => (
          <div key={example}>
            <dt>
              {/[A-Z]{4}/.test(example) ? (
                <code>{example}</code>
              ) : (
                <button type="button" class="link mono" onClick={() => go({ 'whatif.edit': withEdit(edits, example) })}>
                  {example}
                </button>
              )}
            </dt>
            <dd class="soft">{says}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function off(share: number): string {
  return `${formatShare(Math.abs(share))} too ${share < 0 ? 'short' : 'long'}`
}
