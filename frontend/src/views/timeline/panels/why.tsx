/** Why one of two steps that lie above each other is longer, in a sentence. */
import { useJointReply } from '../../../data/joint'
import { at } from '../../../state/place'
import { PlaceLink } from '../../../widgets/links/place_link'
import { Definition } from '../../../widgets/panel/popup'
import { Said } from '../../../widgets/panel/said'
import type { Profile } from '../../../wire/profile'
import { compareItems } from '../../compare_items'
import * as define from '../definitions'
import { profileOf } from '../store/link'

export function Why({ profile }: { readonly profile: Profile }) {
  const both = [
    { ...profile, steps: at('beside.upper') },
    { ...(profileOf(at('beside.profile')) ?? profile), steps: at('beside.lower') },
  ]
  const items = compareItems(both)
  const [a, b] = items.split('\n')
  const areSteps = a !== b && both.every(({ steps = '' }) => /^\d+$/.test(steps))
  return IS_REPORT || !areSteps ? null : <Sentence key={items} items={items} />
}

function Sentence({ items }: { readonly items: string }) {
  const { value, error } = useJointReply('view/compare', { items, by: 'operator', fold: 1 }).value
  const { pairs = [], lacking = [] } = value?.result ?? {}
  if (error !== undefined) return null // one has no such step: what says which lies where tells it
  const words = pairs[0]?.headline ?? lacking.find(({ reason }) => reason !== null)?.reason
  return (
    <p class="tl-why">
      {words === undefined || words === null ? '…' : <Said text={words} />}
      {at('beside.profile') !== undefined && ' A lies above, B below.'} <Definition of="Longer" text={define.longer} />{' '}
      {pairs.length > 0 && <PlaceLink to={{ view: 'compare', 'compare.items': items }}>All that differs</PlaceLink>}
    </p>
  )
}
