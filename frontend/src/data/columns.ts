/** Raw columns of the wire as typed arrays, without a copy.

    uint32 length of the header | header, JSON padded to a multiple of 8 | column | column | ...
*/

const ARRAYS = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
} as const

export type Dtype = keyof typeof ARRAYS
export type TypedArray = InstanceType<(typeof ARRAYS)[Dtype]>

export interface ColumnsHeader {
  readonly columns: Readonly<
    Record<string, { readonly dtype: Dtype; readonly offset: number; readonly length: number }>
  >
}

export interface Columns<H extends ColumnsHeader> {
  readonly header: H
  readonly columns: Readonly<Record<string, TypedArray>>
}

export function decodeColumns<H extends ColumnsHeader>(buffer: ArrayBuffer): Columns<H> {
  const size = new DataView(buffer).getUint32(0, true)
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size))) as H
  const first = 4 + size
  const columns: Record<string, TypedArray> = {}
  for (const [name, { dtype, offset, length }] of Object.entries(header.columns)) {
    columns[name] = new ARRAYS[dtype](buffer, first + offset, length)
  }
  return { header, columns }
}
