/** Where a rank leads: its own profile. */
import { formatNs } from '../../base/units'
import type { Changes } from '../../state/hash'
import { PlaceLink } from '../../widgets/links/place_link'
import { literal } from '../../widgets/table/rows/order'
import { Said } from '../../widgets/panel/said'
import type { CollectiveRow, CountedIn, InstanceRow, Lead, RankRow, RanksTable } from '../../wire/wire'
import type { Profile } from '../../wire/profile'
import { opening } from '../links'
import { timelineAt } from '../timeline_link'
import type { MeasureId } from './map/matrix'

/** The profile of the rank; `step`: with that step chosen. */
export function placeOfRank(run: string, { worker, span }: Pick<RankRow, 'worker' | 'span'>, step?: number): Changes {
  const place = opening({ run, worker, span })
  return step === undefined ? place : { ...place, steps: String(step) }
}

/** The rank beside the table that is shown: against its peers, by default in the step where it exceeds them most. */
export function placeOfPanel(rank: number, step?: number): Changes {
  return { 'ranks.rank': String(rank), 'ranks.at': step === undefined ? undefined : String(step) }
}

/** The whole step in its picture, and nothing chosen in it. */
export const EVERYTHING = { 'ranks.t0_ns': undefined, 'ranks.t1_ns': undefined }
export const UNPINNED = { 'ranks.worker': undefined, 'ranks.row': undefined }

/** A step of some ranks side by side; without them of all. `all`: what lies outside of steps, too. */
export function placeOfLanes(step: number | 'all' | undefined, ranks?: readonly number[]): Changes {
  const of = ranks && [...ranks].sort((a, b) => a - b).join(',')
  const chosen = step === undefined ? undefined : String(step)
  const clock = { 'ranks.clock': undefined }
  return { 'ranks.show': 'lanes', 'ranks.of': of, 'ranks.step': chosen, ...clock, ...EVERYTHING, ...UNPINNED }
}

/** One collective in its step, chosen, and most of the picture: its members stand beside it. */
export function placeOfInstance({ step, ranks, worker, row, begin_ns: begin, lasts_ns: lasts }: InstanceRow): Changes {
  const chosen = { 'ranks.worker': worker, 'ranks.row': String(row) }
  return {
    ...placeOfLanes(step ?? 'all', ranks),
    ...stretched(begin - lasts / 3, begin + (4 * lasts) / 3),
    ...chosen,
  }
}

type Longest = Pick<CollectiveRow, 'longest_took_ns' | 'longest'>

/** `3.20 ms in step 5`: the column of a row's longest, which leads there. */
export const LONGEST = longest(formatNs)

export function longest(format: (ns: number) => string) {
  return {
    width: 150,
    draw: ({ longest_took_ns: took, longest }: Longest) =>
      longest &&
      linked(
        took,
        placeOfInstance(longest),
        ` in ${longest.step === null ? 'no step' : `step ${longest.step}`}`,
        format,
      ),
  }
}

/** A cell of time that leads to what it is of; null draws the word for it. */
export function linked(ns: number | null, to: Changes, more = '', format = formatNs) {
  return ns === null ? null : <PlaceLink to={to}>{format(ns) + more}</PlaceLink>
}

/** A part of the picture. */
export function stretched(t0: number, t1: number): Changes {
  return { 'ranks.t0_ns': String(Math.round(t0)), 'ranks.t1_ns': String(Math.round(t1)) }
}

interface EventLinkProps {
  readonly of: Profile & { readonly row: number | undefined }
  readonly at: number
  readonly lasted: number
}

/** An event of a rank in its own timeline. */
export function EventLink({ of, at, lasted }: EventLinkProps) {
  return <PlaceLink to={{ ...timelineAt(of, at, lasted), 'timeline.row': String(of.row) }}>timeline</PlaceLink>
}

/** The map on the first screen. */
export function placeOfMap(measure: MeasureId): Changes {
  return { 'ranks.show': undefined, 'ranks.measure': measure, 'ranks.axes': undefined }
}

/** Links of its host in their table, where some of the host or of the rank are slow. */
export function placeOfSlowLinks(links: RanksTable['links'], rank: number, host: string): Changes | undefined {
  const isSlow = links.some(
    ({ is_slow: isIt, hosts, pair }) => isIt && hosts.split(', ').includes(host) && (pair === null || isIn(pair, rank)),
  )
  return isSlow ? { 'ranks.show': 'links', 'ranks.link.q': `\\b${literal(host)}\\b` } : undefined
}

/** `0-7, 16`, or `4 to 6` of one direction. */
function isIn(ranks: string, rank: number): boolean {
  return ranks.split(/,| to /).some((part) => {
    const [low = NaN, high = low] = part.split('-').map(Number)
    return low <= rank && rank <= high
  })
}

/** Its collectives, whose rows have them one by one. */
export function placeOfDimension(name: string): Changes {
  return { 'ranks.show': 'collectives', 'ranks.each': undefined, 'ranks.collective.q': `^${literal(name)}$` }
}

/** Some collectives one by one, instead of the table of their sorts. */
export function placeOfEach(which: Readonly<Record<string, string | number | null | undefined>>): Changes {
  const said = Object.entries(which).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]))
  return { 'ranks.show': 'collectives', 'ranks.each': new URLSearchParams(said).toString() }
}

/** A number stays beside its unit, and beside what it is the number of. */
function unbroken(text: string): string {
  return text
    .replace(/(\d) (?=(?:%|x|[num]?s|([kMGT]i?)?B(?:\/s)?)(?!\w))/g, '$1\u00a0')
    .replace(/\b(ranks?|steps?|stages?) (?=\d)/gi, '$1\u00a0')
}

/** What it counts leads to these collectives one by one. */
export function Sentence({ text, counted }: { readonly text: string; readonly counted: CountedIn | null | undefined }) {
  const at = counted == null ? -1 : text.indexOf(counted.text)
  if (counted == null || at < 0)
    return (
      <>
        <Said text={unbroken(text)} />
      </>
    )
  const { text: said, ...which } = counted
  return (
    <>
      <Said text={unbroken(text.slice(0, at))} />
      <PlaceLink to={placeOfEach(which)}>
        <Said text={unbroken(said)} />
      </PlaceLink>
      <Said text={unbroken(text.slice(at + said.length))} />
    </>
  )
}

export function DimensionLink({ name }: { readonly name: string }) {
  return <PlaceLink to={placeOfDimension(name)}>{name}</PlaceLink>
}

/** Whom or what an edit of What if changes; undefined of all at once. */
export function placeOfEdit(edit: string, dimensions: RanksTable['dimensions']): Changes | undefined {
  const [, what = '', part, of = ''] = /(?:^| )(\w+)(?::([^=]+))?=(\S+)$/.exec(edit) ?? []
  if (what === 'rank' && /^\d+$/.test(of)) return placeOfPanel(Number(of))
  if (what === 'transfer' && part !== undefined)
    return placeOfDimension(dimensions.find(({ name, short }) => part === name || part === short)?.name ?? part)
  if (/^(rank|stage|host|replica)$/.test(what))
    return { 'ranks.show': 'ranks', 'ranks.only': of === 'all' ? undefined : `${what}=${of}` }
  const show = { transfer: 'collectives', links: 'links', stages: 'pipeline' }[what]
  return show === undefined ? undefined : { 'ranks.show': show }
}

/** Opens its panel. */
export function RankLink({ rank }: { readonly rank: number }) {
  return (
    <PlaceLink to={placeOfPanel(rank)} tabIndex={-1}>
      {rank}
    </PlaceLink>
  )
}

/** The ranks that these words narrow to. */
export function OnlyLink({ words, text }: { readonly words: string; readonly text: string }) {
  return <PlaceLink to={{ 'ranks.show': 'ranks', 'ranks.only': words }}>{text}</PlaceLink>
}

interface RankLinksProps {
  readonly run: string
  readonly ranks: readonly Pick<RankRow, 'rank' | 'worker' | 'span'>[]
  readonly lead?: Lead
}

/** `rank 5: overview, timeline`, of each, in the step that is told of; the number opens it here. */
export function RankLinks({ run, ranks, lead }: RankLinksProps) {
  return (
    <>
      {ranks.map((rank) => {
        const place = lead?.places.find((one) => one.rank === rank.rank)
        const own = { run, worker: rank.worker, span: rank.span }
        return (
          <span key={rank.rank} class="ranks-links">
            <PlaceLink to={placeOfPanel(rank.rank, lead?.step ?? undefined)}>rank {rank.rank}</PlaceLink>:{' '}
            <PlaceLink to={placeOfRank(run, rank, place?.step)}>overview</PlaceLink>{' '}
            <PlaceLink
              to={
                place === undefined
                  ? { ...opening(own), view: 'timeline' }
                  : timelineAt(own, place.start_ns, place.lasts_ns, place.called)
              }
            >
              timeline
            </PlaceLink>
          </span>
        )
      })}
    </>
  )
}
