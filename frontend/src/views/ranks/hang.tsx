/** Why the job hangs: the verdict, the open collective of each group, and where the programs of the ranks stand. */
import { useEffect, useState } from 'preact/hooks'

import { formatNs, plural, signedNs } from '../../base/units'
import { askHang } from '../../data/request'
import { catalogueVersion } from '../../data/runs'
import { PlaceLink } from '../../widgets/links/place_link'
import { SmallTable } from '../../widgets/panel/small_table'
import { Said, saidPlainly } from '../../widgets/panel/said'
import type { HangLast, HangReport, HangRow, Hangs } from '../../wire/wire'

/** Null while nobody knows, and where the run has no dumps of flight recorders. */
export function useHang(run: string): Hangs | null {
  const [found, setFound] = useState<{ readonly of: string; readonly hangs: Hangs } | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    askHang(run, stop.signal)
      .then((hangs) => {
        setFound(hangs.hangs.length > 0 ? { of: run, hangs } : null)
      })
      // The tables beside it say what is wrong with the server.
      .catch(() => undefined)
    return () => {
      stop.abort()
    }
  }, [run, catalogueVersion.value])
  return found?.of === run ? found.hangs : null
}

/** On the first screen: a job that hangs has no more urgent news. */
export function HangNotice({ hangs: { hangs } }: { readonly hangs: Hangs }) {
  const [first, ...more] = hangs.filter(({ verdict }) => verdict !== null)
  if (first === undefined) return null
  if (first.other_job !== null)
    return (
      <p class="view-note">
        <Said text={first.other_job} /> <PlaceLink to={{ 'ranks.show': 'hang' }}>hang</PlaceLink>
      </p>
    )
  return (
    <p class="ranks-verdict" role="alert">
      <Said text={first.verdict ?? ''} /> {more.length > 0 && `${plural(more.length, 'other hang')} left dumps too. `}
      <PlaceLink to={{ 'ranks.show': 'hang' }}>hang</PlaceLink>
    </p>
  )
}

/** Each under its own heading where they are several. */
export function Hang({ hangs: { hangs } }: { readonly hangs: Hangs }) {
  return (
    <div class="ranks-summary">
      {hangs.map((hang) => (
        <section key={hang.place} aria-label={hang.place} class="ranks-hang">
          {hangs.length > 1 && <h2>{hang.place}</h2>}
          <OneHang hang={hang} />
        </section>
      ))}
    </div>
  )
}

function OneHang({ hang }: { readonly hang: HangReport }) {
  const { verdict, rows, stacks, last, broken } = hang
  return (
    <>
      {hang.other_job !== null && (
        <p class="ranks-verdict">
          <Said text={hang.other_job} />
        </p>
      )}
      <p class={verdict === null ? '' : 'ranks-verdict'} role="status">
        <Said text={verdict ?? hang.all_over} /> <span class="soft">({plural(hang.n_dumps, 'dump')} read)</span>
      </p>
      {broken.length > 0 && <Unread broken={broken} />}
      {rows.length > 0 && <Open rows={rows} broken={broken} />}
      {stacks.length > 0 && (
        <section aria-label="Where the programs stand">
          <h2>Where the programs stand</h2>
          {stacks.map((stack) => (
            <details key={stack.ranks.join()} open>
              <summary>
                {stack.ranks.length === 1 ? 'rank' : 'ranks'} <b>{shown(stack.ranks)}</b>
                {stack.is_at_fault && <span class="is-bad"> (at fault)</span>}, last {stack.last}
              </summary>
              {stack.frames.length === 0 ? (
                <p class="soft">Stacks: not recorded.</p>
              ) : (
                <ol class="ranks-frames">
                  {stack.frames.map((frame, place) => (
                    <li key={place}>{frame}</li>
                  ))}
                </ol>
              )}
            </details>
          ))}
        </section>
      )}
      {last.length > 0 && <LastCalls last={last} n={hang.n_dumps} />}
    </>
  )
}

interface LastCallsProps {
  readonly last: readonly HangLast[]
  /** Ranks that left a dump. */
  readonly n: number
}

/** Who is at fault, and the first of those who wait, stand open. */
function LastCalls({ last, n }: LastCallsProps) {
  const shownFirst = last.findIndex((one) => !one.is_at_fault)
  return (
    <section aria-label="Last calls of each rank">
      <h2>Last calls of each rank</h2>
      <p class="soft">
        Issued: since the first rank issued what the job hangs in, by each host’s own clock. No dump says when it was
        written: who waits has waited this long at the least.
        {n > last.length && ` The first ${last.length} of ${plural(n, 'rank')}.`}
      </p>
      {last.map((one, place) => (
        <details key={one.rank} open={one.is_at_fault || place === shownFirst}>
          <summary>
            rank <b>{one.rank}</b>
            {one.is_at_fault && <span class="is-bad"> (at fault)</span>}
            {one.waited_ns !== null && ` has waited ${formatNs(one.waited_ns)} at least`}
            {one.timeout_ns !== null && `, torch ends its call after ${formatNs(one.timeout_ns)}`}
          </summary>
          <div class="ranks-dimensions">
            <SmallTable first="Group" columns={['Collective', 'Size', 'State', 'Issued']}>
              {one.calls.map((call) => (
                <tr key={`${call.group} ${call.collective}`}>
                  <td class="is-text">{call.group}</td>
                  <td>{call.collective}</td>
                  <td>{call.size}</td>
                  <td>{call.state}</td>
                  <td>{signedNs(call.issued_ns)}</td>
                </tr>
              ))}
            </SmallTable>
          </div>
        </details>
      ))}
    </section>
  )
}

/** Above the tables, which lack what is in them. */
function Unread({ broken }: Pick<HangReport, 'broken'>) {
  const [some, more] = [broken.slice(0, MOST_UNREAD), broken.slice(MOST_UNREAD)]
  return (
    <section aria-label="Dumps that are not used">
      <h2>Dumps that are not used</h2>
      <UnreadList broken={some} />
      {more.length > 0 && (
        <details>
          <summary>{plural(more.length, 'other dump')}</summary>
          <UnreadList broken={more} />
        </details>
      )}
    </section>
  )
}

function UnreadList({ broken }: Pick<HangReport, 'broken'>) {
  return (
    <ul class="ranks-notes">
      {broken.map(({ file, reason }) => (
        <li key={file}>
          {file}: {reason}
        </li>
      ))}
    </ul>
  )
}

const MOST_UNREAD = 4

const STATES = [
  ['never issued', 'missing'],
  ['issued otherwise', 'differs'],
  ['scheduled', 'scheduled'],
  ['started', 'started'],
  ['over', 'done'],
] as const

function Open({ rows, broken }: Pick<HangReport, 'rows' | 'broken'>) {
  const reasons = new Map(broken.map(({ rank, reason }) => [rank, reason]))
  const withoutDump = (row: HangRow): readonly number[] => row.no_dump.filter((rank) => !reasons.has(rank))
  const unread = (row: HangRow): readonly number[] => row.no_dump.filter((rank) => reasons.has(rank))
  // A state that no rank is in says nothing.
  const states = STATES.filter(([, name]) => rows.some((row) => row[name].length > 0))
  const [hasUnread, hasNone] = [unread, withoutDump].map((of) => rows.some((row) => of(row).length > 0))
  const isFollowing = rows.some(({ follows }) => follows)
  return (
    <section aria-label="Open collectives">
      <h2>The first open collective of each group</h2>
      <div class="ranks-dimensions">
        <SmallTable
          first="Group"
          columns={[
            'Collective',
            ...states.map(([title]) => title),
            ...(hasNone === true ? ['no dump'] : []),
            ...(hasUnread === true ? ['dump not used'] : []),
            ...(isFollowing ? ['why'] : []),
          ]}
        >
          {rows.map((row) => (
            <tr key={`${row.group} ${row.sequence}`}>
              <td class="is-text">{row.group}</td>
              <td>
                {row.collective} {row.sequence}
              </td>
              {states.map(([title, name]) => (
                <td key={title} class={name === 'missing' || name === 'differs' ? 'is-bad' : undefined}>
                  {shown(row[name])}
                </td>
              ))}
              {hasNone === true && <td>{shown(withoutDump(row))}</td>}
              {hasUnread === true && (
                <td
                  class="is-bad"
                  title={saidPlainly(row.no_dump.flatMap((rank) => reasons.get(rank) ?? []).join('\n'))}
                >
                  {shown(unread(row))}
                </td>
              )}
              {isFollowing && <td>{row.follows ? 'follows from the first' : 'open first'}</td>}
            </tr>
          ))}
        </SmallTable>
      </div>
    </section>
  )
}

/** `0-3, 5`. */
export function shown(ranks: readonly number[]): string {
  const parts: { low: number; high: number }[] = []
  for (const rank of ranks) {
    const last = parts.at(-1)
    if (last?.high === rank - 1) last.high = rank
    else parts.push({ low: rank, high: rank })
  }
  return parts.map(({ low, high }) => (low === high ? String(low) : `${low}-${high}`)).join(', ')
}
