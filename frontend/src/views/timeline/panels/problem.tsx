import type { TimelineStore } from '../store/store'

/** Why what the link asks for is not all here. */
export function Problem({ store: { problem, selection } }: { readonly store: TimelineStore }) {
  const reason = problem.value ?? selection.problem.value
  return reason === undefined ? null : (
    <p class="tl-problem is-bad" role="alert">
      {reason}
    </p>
  )
}
