/** What one rank's recording tells of a collective. How long it waited in it only several ranks tell: `AcrossRanks`. */
import { exactCount, formatBytes, formatRate, plural } from '../../../base/units'
import { words } from '../../../widgets/words'
import type { EventCollective } from '../../../wire/wire'
import { least_bus_bytes_per_s } from '../definitions'
import { Fact } from './fact'

export function Collective({ of }: { readonly of: EventCollective }) {
  const { group, dimension, ranks, peer, in_bytes: bytesIn, out_bytes: bytesOut, dtype, sequence } = of
  const rate = of.least_bus_bytes_per_s
  return (
    <dl class="tl-facts" aria-label="Collective">
      <Fact term="Collective">
        <span class="mono">{of.kind}</span>
        {sequence !== null && <span class="soft"> {exactCount(sequence)} of its group</span>}
      </Fact>
      <Fact term="Group">
        {group === null ? <Absent /> : <span class="mono">{group}</span>}
        {group !== null && <span class="soft"> ({dimension ?? 'dimension not recorded'})</span>}
      </Fact>
      <Fact term="Ranks">
        {of.n_ranks === null ? <Absent /> : plural(of.n_ranks, 'rank')}
        {ranks !== null && <span class="soft"> {ranks}</span>}
      </Fact>
      {peer !== null && <Fact term={of.kind === 'recv' ? 'From' : 'To'}>rank {peer}</Fact>}
      <Fact term="Bytes">
        {bytesIn === null && bytesOut === null ? (
          <Absent />
        ) : (
          <>
            <Bytes n={bytesIn} /> in, <Bytes n={bytesOut} /> out
          </>
        )}
        {dtype !== null && <span class="soft"> {dtype}</span>}
      </Fact>
      <Fact term="Bus rate">
        <span title={words(least_bus_bytes_per_s)}>
          {rate === null ? (
            <span class="is-absent">not known: {of.no_rate}</span>
          ) : (
            <>
              at least {formatRate(rate)} <span class="soft">from one rank alone, waiting included</span>
            </>
          )}
        </span>
      </Fact>
    </dl>
  )
}

function Bytes({ n }: { readonly n: number | null }) {
  return n === null ? <Absent /> : <span title={`${exactCount(n)} bytes`}>{formatBytes(n)}</span>
}

function Absent() {
  return <span class="is-absent">not recorded</span>
}
