/** What the file holds, what it does not and how to record that, where it comes from, and what is odd in it. */
import { exactCount, plural } from '../../base/units'
import type { IssueRow, Overview, Source } from '../../wire/wire'

export function RecordedLine({ overview: { recorded, source, issues } }: { readonly overview: Overview }) {
  const [present, absent] = [recorded.filter((each) => each.recorded), recorded.filter((each) => !each.recorded)]
  return (
    <section class="recorded-line" aria-label="Recorded">
      <div>
        <h2>Recorded</h2>
        <ul>
          {present.map(({ id, what }) => (
            <li key={id}>
              <span class="is-good" aria-hidden="true">
                ✓
              </span>{' '}
              {what}
            </li>
          ))}
        </ul>
      </div>
      {absent.length > 0 && (
        <div>
          <h2>Not recorded</h2>
          <ul class="is-absent-list">
            {absent.map(({ id, what, how, instead }) => (
              <li key={id}>
                {what}
                {instead === null ? (
                  <>
                    {' '}
                    <code>{how}</code>
                  </>
                ) : (
                  `: ${instead}`
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      <SourceLine source={source} />
      <Issues issues={issues} />
    </section>
  )
}

function Issues({ issues }: { readonly issues: readonly IssueRow[] }) {
  if (issues.length === 0) return null
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
function SourceLine({ source }: { readonly source: Source }) {
  const { rank, world_size: world } = source
  const facts: readonly (readonly [string, string | null])[] = [
    ['File', `${source.file} (${source.format})`],
    ['Events', exactCount(source.n_events)],
    ['Host', source.host],
    ['Rank', rank === null ? null : world === null ? String(rank) : `${rank} of ${world}${backend(source)}`],
    ['torch', source.torch_version],
    ['Begin', source.base_ns === null ? null : new Date(source.base_ns / 1e6).toLocaleString('sv')],
    ['Cycle', source.cycle === null ? null : String(source.cycle)],
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
