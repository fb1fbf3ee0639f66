/** A window of the timeline as the server sends it. */
import type { StripRow } from '../src/draw/blocks/blocks'

export interface Row {
  readonly start: number
  readonly end: number
  readonly row: number
  readonly count?: number
  readonly others?: readonly number[]
}

/** What else the header says than below. */
type About = Readonly<Partial<Record<'t0_ns' | 't1_ns' | 'bucket_ns', number>>> & {
  readonly density?: readonly StripRow[]
}

/** A reply as the server writes it: one array of rows per lane. Track 4 has two lanes, track 7 one. */
export function reply(lanes: readonly (readonly Row[])[], unit = 1, about: About = {}): ArrayBuffer {
  const rows = lanes.flat()
  const delta = (values: readonly number[]): Int32Array =>
    Int32Array.from(values, (v, i) => (v - (values[i - 1] ?? 0)) | 0)
  const columns = {
    start: delta(rows.map((r) => r.start)),
    width: Uint32Array.from(rows, (r) => r.end - r.start),
    longest_ns: Float32Array.from(rows, (r) => (r.end - r.start) * unit),
    row: delta(rows.map((r) => r.row)),
    name_id: Int32Array.from(rows, (r) => r.row % 3),
    count: Int32Array.from(rows, (r) => r.count ?? 1),
    paint: new Uint8Array(rows.length),
    fill: new Uint8Array(rows.length),
    others: Uint8Array.from(rows, (r) => r.others?.length ?? 0),
    other: Uint8Array.from(rows.flatMap((r) => r.others ?? [])),
    part: Uint8Array.from(rows.flatMap((r) => r.others?.map(() => 20) ?? [])),
  }
  const parts: Uint8Array[] = []
  const places: Record<string, unknown> = {}
  let offset = 0
  for (const [name, column] of Object.entries(columns)) {
    const dtype = column.constructor.name.replace('Array', '').toLowerCase()
    places[name] = { dtype, offset, length: column.length }
    const padded = new Uint8Array(Math.ceil(column.byteLength / 8) * 8)
    padded.set(new Uint8Array(column.buffer))
    parts.push(padded)
    offset += padded.length
  }
  const header = {
    t0_ns: 1000,
    t1_ns: 2000,
    unit_ns: unit,
    bucket_ns: 2,
    lane_track: [4, 4, 7],
    lane_blocks: lanes.map((lane) => lane.length),
    names: { 1: 'aten::mm' },
    columns: places,
    ...about,
  }
  let text = JSON.stringify(header)
  text += ' '.repeat((8 - ((text.length + 4) % 8)) % 8)
  const head = new TextEncoder().encode(text)
  const buffer = new ArrayBuffer(4 + head.length + offset)
  new DataView(buffer).setUint32(0, head.length, true)
  let at = 4
  for (const part of [head, ...parts]) {
    new Uint8Array(buffer, at, part.length).set(part)
    at += part.length
  }
  return buffer
}
