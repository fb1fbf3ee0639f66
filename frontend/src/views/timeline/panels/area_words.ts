/** How busy devices and threads are in an area, in the words of its header. */
import { exactCount, formatNs, formatShare, plural, signedNs } from '../../../base/units'
import type { AreaDevice, TimelineArea } from '../../../wire/wire'
import type { Inside } from '../store/inside_words'

const MOST_THREADS = 3

/** A report says whether some of it is merged. */
type Summed = TimelineArea & Partial<Inside>

/** Of each device, else how idle the first threads are. */
export function oneWords(
  { t0_ns, t1_ns, count, rows, n_names: n, devices, tracks, is_about }: Summed,
  isTable: boolean,
): string {
  const share = (ns: number): string => `${said(ns, is_about)} (${formatShare(ns / (t1_ns - t0_ns))})`
  /** What is left of a time that is not known well: none of it is not known. Under filters others may have it. */
  const rest = (word: string, ns: number | null): readonly string[] =>
    ns === null || (is_about === true && ns === 0) ? [] : [`${word} ${share(ns)}`]
  const more = tracks.length - MOST_THREADS
  const words =
    devices.length > 0
      ? devices.flatMap((d) => [
          ...(isPart(d) ? [`${streamWords(d)} busy ${share(d.area_busy_ns)}`] : []),
          [`device ${d.device} busy ${share(d.busy_ns)}`, ...rest('gaps', d.gaps_ns)].join(', '),
        ])
      : [
          ...tracks
            .slice(0, MOST_THREADS)
            .flatMap((t) =>
              t.idle_ns === null ? [`${t.name} ${share(t.self_ns)}`] : rest(`${t.name} idle`, t.idle_ns),
            ),
          ...(more > 0 ? [`${plural(more, 'thread')} more`] : []),
        ]
  const listed =
    isTable && rows.length < n ? `, the first ${exactCount(rows.length)} of ${plural(n, 'row')} listed` : ''
  return [aboutIf(is_about, count) + plural(count, 'event') + listed, ...words].join(' · ')
}

function aboutIf(isAbout: boolean | undefined, amount: number): string {
  return isAbout === true && amount > 0 ? 'about ' : ''
}

/** Only what nothing was drawn of is none. */
function said(ns: number, isAbout: boolean | undefined): string {
  return ns > 0 && ns < 1 ? 'less than 1 ns' : aboutIf(isAbout, ns) + formatNs(ns)
}

/** The same of both, and what the second one has more or less; devices by their order, as each rank has its own. */
export function bothWords(a: Summed, b: Summed): string {
  const isAbout = a.is_about === true || b.is_about === true
  const change = (word: string, from?: number, to?: number): string => {
    const own = from === undefined ? 'no device' : said(from, isAbout)
    if (from === to) return `${word} ${own} in both`
    const other = to === undefined ? 'no device' : said(to, isAbout && from === 0)
    return `${word} ${own} → ${other}${from === undefined || to === undefined ? '' : ` (${signedNs(to - from)})`}`
  }
  const devices = a.devices.length < b.devices.length ? b.devices : a.devices
  const words = devices.flatMap((either, nth) => {
    const [from, to] = [a.devices[nth], b.devices[nth]]
    const part = [from, to].find((each) => each !== undefined && isPart(each))
    return [
      ...(part ? [change(`${streamWords(part)} busy`, from?.area_busy_ns, to?.area_busy_ns)] : []),
      change(
        `device ${[...new Set([from ?? either, to ?? either].map((d) => d.device))].join(' → ')} busy`,
        from?.busy_ns,
        to?.busy_ns,
      ),
      ...(either.gaps_ns === null || (isAbout && [from?.gaps_ns, to?.gaps_ns].includes(0))
        ? []
        : [change('gaps', from?.gaps_ns ?? undefined, to?.gaps_ns ?? undefined)]),
    ]
  })
  return [
    ...words,
    ...(a.host_self_ns + b.host_self_ns > 0 ? [change('threads', a.host_self_ns, b.host_self_ns)] : []),
    `${aboutIf(isAbout, a.count)}${exactCount(a.count)} → ${plural(b.count, 'event')}`,
  ].join(' · ')
}

/** Whether some of the device's streams are outside of the area: its gaps are not theirs. */
function isPart({ area_streams: streams, n_streams: n }: AreaDevice): boolean {
  return streams.length < n
}

function streamWords({ area_streams: streams, n_streams: n }: AreaDevice): string {
  return streams.length === 1 ? (streams[0] as string) : `${streams.length} of ${n} streams`
}
