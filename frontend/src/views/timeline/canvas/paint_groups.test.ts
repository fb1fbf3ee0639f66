import { expect, test } from 'vitest'

import { layOut } from '../../../draw/blocks/lane_layout'
import { makePalette } from '../../../draw/paint/palette'
import type { Pen } from '../../../draw/paint/pen'
import { Viewport } from '../../../draw/time/viewport'
import { themes } from '../../../../test/contrast'
import { paintGroups } from './paint_groups'

const PALETTE = makePalette([], (name) => themes().light[name] ?? '')
const DENSITY = [
  { name: 'host operators', device: null, busy: [0, 0.5], points: [] },
  { name: 'device 0', device: 0, busy: [1, 0], points: [] },
]
const DEVICE = { name: 'device 0', device: 0 }
const PROCESS = { name: 'process 5 (python)', device: null }

/** What is drawn in the colours of load: which, and where. */
function loads(groups: readonly (typeof DEVICE | typeof PROCESS)[], folded: readonly string[], zoom = 1): unknown {
  const tracks = groups.map((_, group) => ({ id: group, group, lanes: 1, parts: [{ kind: 'work', lanes: 1 }], marks: false })) // prettier-ignore
  const none = new Set<never>()
  const layout = layOut(tracks, {
    ...{ folded: new Set(folded), off: none, python: none, stacks: none, hidden: none },
    ...{ pinned: [], order: [], heights: new Map() },
  })
  const view = new Viewport(0, 1000)
  view.width = 100
  if (zoom > 1) view.place(500, 500 + 1000 / zoom)
  const drawn: unknown[] = []
  const context = {
    fillStyle: '',
    beginPath: () => undefined,
    fill: () => undefined,
    fillRect: () => undefined,
    rect(x: number, y: number, width: number, height: number) {
      const color = this.fillStyle === PALETTE.host ? 'host' : this.fillStyle === PALETTE.device ? 'device' : ''
      if (color !== '') drawn.push([color, ...[x, y, width, height].map(Math.round)])
    },
  }
  paintGroups(
    context as unknown as Pen,
    { layout, palette: PALETTE, scrollTop: 0, height: 500, view },
    { groups, density: DENSITY },
    undefined,
  )
  return drawn
}

test('a folded group shows how busy it is where the window is, an open one its tracks', () => {
  expect(loads([DEVICE, PROCESS], [])).toEqual([])
  expect(loads([DEVICE, PROCESS], ['g0', 'g1'])).toEqual([
    ['device', 0, 3, 50, 17],
    ['host', 50, 36, 50, 9],
  ])
  expect(loads([DEVICE, PROCESS], ['g0', 'g1'], 2)).toEqual([['host', 0, 36, 100, 9]])
})

test('of several processes it is not known whose the load is', () => {
  expect(loads([PROCESS, { ...PROCESS, name: 'process 6' }], ['g0', 'g1'])).toEqual([])
})
