import { expect, test } from 'vitest'

import { TIME_PARTS, deviceUses } from './parts'

test('no two parts of a chart look alike, and no word stands for another time in the chart beside it', () => {
  const charts = [TIME_PARTS, deviceUses(new Set())]
  for (const parts of charts) expect(new Set(parts.map(({ color }) => color)).size).toBe(parts.length)
  const titles = charts.flat().map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
})
