import { expect, test } from 'vitest'

import { EYES, distance, themes } from '../../../test/contrast'
import { VARIABLES } from '../../draw/paint/palette'
import { TIME_PARTS, deviceUses } from './parts'

test('no two parts of a chart look alike, and no word stands for another time in the chart beside it', () => {
  const charts = [TIME_PARTS, deviceUses(new Set())]
  for (const parts of charts) expect(new Set(parts.map(({ color }) => color)).size).toBe(parts.length)
  const titles = charts.flat().map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
})

test('a synchronisation has its colour of the timeline, and no part of what a device does is near another', () => {
  const colors = new Map(deviceUses(new Set()).map(({ id, color }) => [id, /^var\((--[\w-]+)\)$/.exec(color)?.[1]]))
  expect(colors.get('synchronisation')).toBe(VARIABLES['sync'])
  const names = [...colors.values()].filter((name) => name !== undefined)
  expect(names).toEqual(['--c-kernel', '--c-sync', '--warn']) // idle times have stripes, and the colour of no other category
  const { light, dark } = themes()
  const near = [light, dark].flatMap((theme) =>
    names.flatMap((a, at) =>
      names
        .slice(at + 1)
        .filter((b) => !(distance(theme[a] ?? '', theme[b] ?? '', EYES.usual) >= 0.1))
        .map((b) => [a, b]),
    ),
  )
  expect(near).toEqual([])
})
