/** How much a search has found, and the way from hit to hit. It takes no notice of the filters, and says so, as curves do. */
import { exactCount, formatNs, plural } from '../../../base/units'
import { words } from '../../../widgets/words'
import { found_ns } from '../definitions'
import { insideShare, insideWords } from '../store/inside_words'
import type { TimelineStore } from '../store/store'

export function Found({ store: { search, kept } }: { readonly store: TimelineStore }) {
  const { reply, current, error } = search.state.value
  const total = reply?.total ?? 0
  const step = (text: string, label: string, keys: string, direction: 1 | -1) => (
    <button
      type="button"
      class="button"
      title={`${label} (${keys})`}
      aria-label={`${label} result`}
      disabled={total === 0}
      onClick={() => void search.next(direction)}
    >
      {text}
    </button>
  )
  return (
    <>
      <span
        class={error === undefined ? 'soft' : 'is-bad'}
        aria-live="polite"
        title={error ?? (IS_REPORT && reply ? `${insideWords(reply, 'searched')} ${words(found_ns)}` : words(found_ns))}
      >
        {error ?? said(total, current, reply?.total_ns ?? 0)}
        {IS_REPORT && reply && insideShare(reply)}
        {total > 0 && kept !== undefined && ', of everything'}
      </span>
      {step('‹', 'Previous', 'Shift+Enter', -1)}
      {step('›', 'Next', 'Enter', 1)}
    </>
  )
}

function said(total: number, current: number, totalNs: number): string {
  if (total === 0) return 'no event'
  const hits = current < 0 ? plural(total, 'hit') : `${exactCount(current + 1)} of ${exactCount(total)}`
  return `${hits}, ${formatNs(totalNs)}`
}
