/** What each stage computes for each micro-batch, and how long it waits for it: shaded by how long that is beside others of its kind. */
import { exactNs, formatNs } from '../../../base/units'
import { Definition } from '../../../widgets/panel/popup'
import { SmallTable } from '../../../widgets/panel/small_table'
import type { MicroBatches } from '../../../wire/wire'
import * as define from '../definitions'

const MOST_COLUMNS = 64
const KINDS = ['forward', 'backward', 'wait'] as const
const COLOR = { forward: '--c-kernel', backward: '--c-copy', wait: '--c-communication' } as const

type Kind = keyof typeof COLOR

interface Cell {
  readonly kind: Kind | 'both'
  readonly ns: number | null
  /** Of a block of both: its name. */
  readonly of: string
  /** Its time stands where its forward is. */
  readonly isElsewhere: boolean
}

export function MicroTimes({ of }: { readonly of: MicroBatches }) {
  const n = Math.max(...of.blocks.forward, ...of.blocks.backward) + 1
  const shown = Array.from({ length: Math.min(n, MOST_COLUMNS) }, (_, micro) => micro)
  const cells = cellsOf(of)
  const longest = new Map<string, number>()
  for (const { kind, ns } of cells.values()) longest.set(kind, Math.max(longest.get(kind) ?? 1, ns ?? 0))
  return (
    <>
      <h3>
        Each stage and micro-batch <Definition of="these times" text={define.blocks_computing_ns} />
      </h3>
      {shown.length < n && (
        <p class="soft">
          The first {MOST_COLUMNS} of {n}.
        </p>
      )}
      <SmallTable first="Stage" columns={['Computes', 'Of', ...shown.map(String)]}>
        {of.rows.flatMap((row, place) =>
          Array.from({ length: of.n_chunks }, (_, chunk) =>
            KINDS.map((kind) => (
              <tr key={`${row.stage} ${chunk} ${kind}`}>
                <td class="is-text">{of.n_chunks > 1 ? `${row.stage}·${chunk}` : row.stage}</td>
                <td>
                  {chunk === 0 &&
                    kind === 'forward' &&
                    (row.computation_ns === null ? 'not known' : formatNs(row.computation_ns))}
                </td>
                <td class="is-text">{kind}</td>
                {shown.map((micro) => {
                  const cell = cells.get(`${place} ${kind} ${micro} ${chunk}`)
                  return <Time key={micro} cell={cell} row={kind} longest={longest.get(cell?.kind ?? '') ?? 1} />
                })}
              </tr>
            )),
          ),
        )}
      </SmallTable>
    </>
  )
}

interface TimeProps {
  readonly cell: Cell | undefined
  readonly row: Kind
  readonly longest: number
}

function Time({ cell, row, longest }: TimeProps) {
  if (cell === undefined) return <td class="is-absent">not told</td>
  if (cell.isElsewhere) return <td class="soft">in {cell.of}</td>
  if (cell.ns === null) return <td class="is-absent">not known</td>
  const share = `${Math.round((45 * cell.ns) / longest)}%`
  return (
    <td
      title={`${cell.of} ${exactNs(cell.ns)}`.trim()}
      style={{ background: `color-mix(in srgb, var(${COLOR[row]}) ${share}, transparent)` }}
    >
      {cell.of} {formatNs(cell.ns)}
    </td>
  )
}

/** By row, kind, micro-batch and chunk. */
function cellsOf({ blocks: of }: MicroBatches): ReadonlyMap<string, Cell> {
  const found = new Map<string, Cell>()
  of.row.forEach((place, nth) => {
    const passes = { forward: of.forward[nth] ?? -1, backward: of.backward[nth] ?? -1 }
    const waits = { forward: of.forward_wait_ns[nth] ?? null, backward: of.backward_wait_ns[nth] ?? null }
    const chunks = { forward: of.forward_chunk[nth] ?? 0, backward: of.backward_chunk[nth] ?? 0 }
    const isBoth = passes.forward >= 0 && passes.backward >= 0
    const [ns, name] = [of.computing_ns[nth] ?? null, isBoth ? (of.name[nth] ?? '') : '']
    for (const pass of ['forward', 'backward'] as const) {
      const micro = passes[pass]
      if (micro < 0) continue
      const part = `${micro} ${chunks[pass]}`
      const isElsewhere = isBoth && pass === 'backward'
      found.set(`${place} ${pass} ${part}`, {
        kind: isBoth ? 'both' : pass,
        ns: isElsewhere ? null : ns,
        of: name,
        isElsewhere,
      })
      const [key, wait] = [`${place} wait ${part}`, waits[pass]]
      const before = found.get(key)
      const sum = wait === null || before?.ns === null ? null : wait + (before?.ns ?? 0)
      found.set(key, { kind: 'wait', ns: sum, of: '', isElsewhere: false })
    }
  })
  return found
}
