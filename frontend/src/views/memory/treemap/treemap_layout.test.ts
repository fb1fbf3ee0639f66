import { expect, test } from 'vitest'

import { squarify } from './treemap_layout'

test('areas are in proportion, fill the box, and do not overlap', () => {
  const values = [600, 600, 400, 300, 200, 200, 100, 1]
  const rects = squarify(values, 600, 400)
  const total = values.reduce((sum, value) => sum + value, 0)
  rects.forEach((rect, index) => {
    expect(rect.width * rect.height).toBeCloseTo(((values[index] ?? 0) / total) * 240_000, 3)
    expect(rect.x).toBeGreaterThanOrEqual(0)
    expect(rect.x + rect.width).toBeLessThanOrEqual(600.001)
    expect(rect.y + rect.height).toBeLessThanOrEqual(400.001)
    for (const other of rects.slice(index + 1)) {
      const across = Math.min(rect.x + rect.width, other.x + other.width) - Math.max(rect.x, other.x)
      const down = Math.min(rect.y + rect.height, other.y + other.height) - Math.max(rect.y, other.y)
      expect(Math.min(across, down)).toBeLessThan(0.001)
    }
  })
})

test('equal values in a wide box are close to squares', () => {
  for (const { width, height } of squarify(Array<number>(12).fill(1), 1200, 200)) {
    expect(Math.max(width / height, height / width)).toBeLessThan(3)
  }
})

test('no value, one value and no room', () => {
  expect(squarify([], 10, 10)).toEqual([])
  expect(squarify([5], 10, 20)).toEqual([{ x: 0, y: 0, width: 10, height: 20 }])
  expect(squarify([1], 0, 20)).toEqual([{ x: 0, y: 0, width: 0, height: 0 }])
})
