import { exactCount, plural } from '../../base/units'
import type { IssueRow, Recorded, Source } from '../../data/wire'

export function RecordedList({ recorded }: { readonly recorded: readonly Recorded[] }) {
  const [present, absent] = [recorded.filter((each) => each.recorded), recorded.filter((each) => !each.recorded)]
  return (
    <div>
      <h2>Recorded</h2>
      <ul class="recorded">
        {present.map(({ what }) => (
          <li key={what}>
            <span class="is-good" aria-hidden="true">
              ✓
            </span>{' '}
            {what}
          </li>
        ))}
      </ul>
      {absent.length > 0 && (
        <>
          <h2>Not recorded</h2>
          <ul class="recorded is-absent-list">
            {absent.map(({ what, how }) => (
              <li key={what}>
                <span>{what}</span> <code>{how}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

export function Issues({ issues }: { readonly issues: readonly IssueRow[] }) {
  if (issues.length === 0) return <p class="soft">Nothing odd was found in the file.</p>
  return (
    <details class="issues">
      <summary>{plural(issues.length, 'oddity', 'oddities')} in the file</summary>
      <ul>
        {issues.map((issue) => (
          <li key={issue.kind}>
            <strong>{exactCount(issue.count)}×</strong> {issue.text}
            {issue.first !== '' && <span class="soft mono"> first: {issue.first}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Where the file comes from, as far as it says so. */
export function SourceLine({ source }: { readonly source: Source }) {
  const { rank, world_size: world } = source
  const facts: readonly (readonly [string, string | null])[] = [
    ['Host', source.host],
    ['Rank', rank === null ? null : world === null ? String(rank) : `${rank} of ${world}${backend(source)}`],
    ['torch', source.torch_version],
    ['Begin', source.base_ns === null ? null : new Date(source.base_ns / 1e6).toLocaleString('sv')],
    ['Cycle', source.cycle === null ? null : String(source.cycle)],
    ['File', `${source.file} (${source.format})`],
  ]
  return (
    <dl class="source">
      {facts.map(([term, value]) =>
        value === null ? null : (
          <div key={term}>
            <dt>{term}</dt>
            <dd title={value}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

function backend(source: Source): string {
  return source.backend === null ? '' : ` (${source.backend})`
}
