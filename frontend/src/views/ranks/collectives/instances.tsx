/** The collectives of a row over time: dots of wait and of transfer. The table below has the longest of them. */
import { useState } from 'preact/hooks'

import { exactCount, exactNs, formatNs, plural } from '../../../base/units'
import { useJointReply } from '../../../data/joint'
import { go } from '../../../state/place'
import { PlaceLink } from '../../../widgets/links/place_link'
import { SmallTable } from '../../../widgets/panel/small_table'
import { useWidth } from '../../../widgets/use_width'
import type { CollectiveRow, InstanceRow } from '../../../wire/wire'
import { ofShownJob } from '../../of_job'
import { cameLast, LastRanks } from './came_last'
import { placeOfEach, placeOfInstance } from '../rank_links'
import { waited } from '../waited'

const HEIGHT = 120
const LEFT = 56
const FOOT = 18
const LISTED = 12

interface InstancesProps {
  readonly run: string
  readonly of: CollectiveRow
  /** Of the hosts' clocks. */
  readonly error: number | null
}

export function Instances({ run, of, error }: InstancesProps) {
  const { dimension, kind, n_ranks, bytes } = of
  const found = useJointReply('view/ranks/instances', {
    ...ofShownJob(run),
    dimension,
    kind,
    n_ranks: n_ranks ?? undefined,
    bytes: bytes ?? undefined,
  })
  const reply = found.value.value?.result
  if (reply === undefined) return <p class="soft">{found.value.error ?? 'Reading.'}</p>
  if (reply.reason !== null) return <p class="is-absent">{reply.reason}</p>
  const longest = [...reply.rows].sort((a, b) => b.lasts_ns - a.lasts_ns).slice(0, LISTED)
  return (
    <>
      <Dots rows={reply.rows} error={error} />
      <p class="ranks-legend">
        <span class="soft">
          {longest.length} longest of {plural(reply.n_instances, 'collective')}:
        </span>
        <PlaceLink to={placeOfEach({ dimension, kind, n_ranks, bytes })}>all {exactCount(reply.n_instances)}</PlaceLink>
      </p>
      <SmallTable first="Step" columns={['At', 'Longest wait', 'Transfer', 'Came last']}>
        {longest.map((row, nth) => (
          <tr key={nth}>
            <td class="is-text">
              <PlaceLink to={placeOfInstance(row)}>{row.step ?? 'in no step'}</PlaceLink>
            </td>
            <td>{formatNs(row.at_ns)}</td>
            <td title={exactNs(row.wait_ns)}>{waited(row.wait_ns, error)}</td>
            <td>{row.transfer_ns === null ? 'not recorded' : formatNs(row.transfer_ns)}</td>
            <td>
              <LastRanks ranks={row.last_ranks} n={row.n_last} step={row.step ?? undefined} />
            </td>
          </tr>
        ))}
      </SmallTable>
    </>
  )
}

const COLORS = ['--c-communication', '--c-kernel', '--c-reduction', '--c-copy', '--c-attention']

/** Who came last alone; -1: several together. */
function lastOf({ last_ranks: last, n_last: n }: InstanceRow): number {
  return n === 1 ? (last[0] ?? -1) : -1
}

/** How often each rank came last alone, and its colour: those that did so most often have one. */
function lastIn(rows: readonly InstanceRow[]): ReadonlyMap<number, { readonly n: number; readonly color: string }> {
  const counts = new Map<number, number>()
  for (const last of rows.map(lastOf)) if (last >= 0) counts.set(last, (counts.get(last) ?? 0) + 1)
  const most = [...counts].sort(([a, m], [b, n]) => n - m || a - b)
  return new Map(most.map(([rank, n], nth) => [rank, { n, color: `var(${COLORS[nth] ?? '--text-soft'})` }]))
}

/** One stop for Tab: from dot to dot by arrows, Enter opens as a click does. What is chosen stands below, and is said. */
export function Dots({ rows, error }: { readonly rows: readonly InstanceRow[]; readonly error: number | null }) {
  const [box, width] = useWidth<HTMLDivElement>(340)
  const [chosen, choose] = useState(-1)
  const most = Math.max(...rows.map((row) => Math.max(row.wait_ns, row.transfer_ns ?? 0)), 1)
  const [begin, end] = [rows[0]?.at_ns ?? 0, rows.at(-1)?.at_ns ?? 0]
  const x = (ns: number): number => LEFT + 6 + ((ns - begin) / Math.max(end - begin, 1)) * (width - LEFT - 12)
  const y = (ns: number): number => 8 + (1 - ns / most) * (HEIGHT - FOOT - 14)
  const lasts = lastIn(rows)
  const colored = [...lasts].slice(0, COLORS.length)
  const nOthers = lasts.size - colored.length
  const nTogether = rows.filter(({ n_last: n }) => n > 1).length
  const of = rows[chosen]
  const said = of && told(of, error)
  return (
    <>
      <div ref={box}>
        <svg
          class="ranks-own is-instances"
          viewBox={`0 0 ${width} ${HEIGHT}`}
          role="img"
          tabindex={0} // as SVG spells it
          aria-label={
            said ??
            'Wait and transfer of the collectives over time; arrows choose one, Enter opens it. The table has the longest.'
          }
          onKeyDown={(event) => {
            const by = MOVES[event.code] ?? 0
            if (event.code === 'Enter' && of) go(placeOfInstance(of))
            else if (by === 0) return
            choose(Math.min(Math.max(chosen + by, 0), rows.length - 1))
            event.preventDefault()
            event.stopPropagation()
          }}
        >
          {[0, most].map((ns) => (
            <text key={ns} class="is-left" x={LEFT - 8} y={y(ns) + 4}>
              {formatNs(ns)}
            </text>
          ))}
          {rows.map((row, nth) => (
            <g key={nth} style={{ color: lasts.get(lastOf(row))?.color }} onClick={() => go(placeOfInstance(row))}>
              <title>{told(row, error)}</title>
              {[row.wait_ns, row.transfer_ns].map(
                (ns, is) =>
                  ns !== null && (
                    <circle
                      key={is}
                      class={is ? '' : 'is-wait'}
                      cx={x(row.at_ns)}
                      cy={y(ns)}
                      r={nth === chosen ? 6 : 3}
                    />
                  ),
              )}
            </g>
          ))}
          <text x={LEFT + 24} y={HEIGHT - 2}>
            {formatNs(begin)}
          </text>
          <text class="is-left" x={width - 4} y={HEIGHT - 2}>
            {formatNs(end)}
          </text>
        </svg>
      </div>
      <p class="ranks-legend">
        <span>● transfer</span>
        <span>○ longest wait</span>
        {colored.length > 0 && <span class="soft">came last:</span>}
        {colored.map(([rank, { n, color }]) => (
          <span key={rank}>
            <span class="swatch" style={{ background: color }} /> rank {rank}{' '}
            <span class="soft">{plural(n, 'time')}</span>
          </span>
        ))}
        {nOthers > 0 && <span class="soft">{plural(nOthers, 'other rank')}</span>}
        {nTogether > 0 && <span class="soft">several together {plural(nTogether, 'time')}</span>}
      </p>
      <p class="ranks-legend" role="status">
        {said}
      </p>
    </>
  )
}

const MOVES: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }

function told(row: InstanceRow, error: number | null): string {
  const { step, wait_ns: wait, transfer_ns: moved } = row
  const when = step === null ? 'in no step' : `step ${step}`
  const transfer = moved === null ? 'not recorded' : formatNs(moved)
  const last = cameLast(row.last_ranks, row.n_last)
  return `${when}: longest wait ${waited(wait, error)}, transfer ${transfer}${last === '' ? '' : `, ${last}`}`
}
