/** Keys of the keyboard that only one view has. Their words come with the list of keys, not with the page. */
import { COMPARE_KEYS } from './compare/own_keys'
import type { Key } from './face'
import { RANKS_KEYS } from './ranks/lanes/own_keys'
import { TIMELINE_KEYS } from './timeline/own_keys'
import { TRENDS_KEYS } from './trends/own_keys'

export const OWN_KEYS: Readonly<Record<string, readonly Key[]>> = {
  compare: COMPARE_KEYS,
  ranks: RANKS_KEYS,
  timeline: TIMELINE_KEYS,
  trends: TRENDS_KEYS,
}
