import type { TimelineStore } from '../store/store'
import { Close } from './close'

/** Why what the link asks for is not all here. */
export function Problem({ store: { problem, selection, linkProblem } }: { readonly store: TimelineStore }) {
  const reason = problem.value ?? selection.problem.value
  const { value: ofLink } = linkProblem
  if (reason === undefined && ofLink === undefined) return null
  return (
    <p class="tl-problem is-bad" role="alert">
      {reason} {ofLink}{' '}
      {ofLink !== undefined && <Close what="the notice" onClick={() => (linkProblem.value = undefined)} />}
    </p>
  )
}
