import { expect, test } from 'vitest'

import { decodeColumns } from './columns'

function encode(header: object, columns: readonly ArrayBuffer[]): ArrayBuffer {
  let text = JSON.stringify(header)
  while ((4 + text.length) % 8 !== 0) text += ' '
  const size = columns.reduce((sum, column) => sum + Math.ceil(column.byteLength / 8) * 8, 0)
  const bytes = new Uint8Array(4 + text.length + size)
  new DataView(bytes.buffer).setUint32(0, text.length, true)
  bytes.set(new TextEncoder().encode(text), 4)
  let at = 4 + text.length
  for (const column of columns) {
    bytes.set(new Uint8Array(column), at)
    at += Math.ceil(column.byteLength / 8) * 8
  }
  return bytes.buffer
}

test('columns are views of the reply, each with its type', () => {
  const start = Float64Array.of(0, 1.5, 3)
  const lane = Uint8Array.of(0, 1, 2)
  const buffer = encode(
    {
      merged: 2,
      columns: { lane: { dtype: 'uint8', offset: 0, length: 3 }, start_ns: { dtype: 'float64', offset: 8, length: 3 } },
    },
    [lane.buffer, start.buffer],
  )
  const { header, columns } = decodeColumns(buffer)
  expect(header).toMatchObject({ merged: 2 })
  expect(columns['start_ns']).toEqual(start)
  expect(columns['lane']).toEqual(lane)
  expect(columns['start_ns']?.buffer).toBe(buffer)
})
