import { afterEach, expect, test, vi } from 'vitest'

import { besidePointer } from './menu'

afterEach(() => vi.unstubAllGlobals())

test('a menu opens to the side that has room, and near an edge not over what was clicked', () => {
  vi.stubGlobal('innerWidth', 1000)
  vi.stubGlobal('innerHeight', 800)
  expect(besidePointer({ x: 100, y: 100 }, 200, 300)).toEqual([100, 100])
  expect(besidePointer({ x: 950, y: 100 }, 200, 300)).toEqual([750, 116])
  expect(besidePointer({ x: 100, y: 700 }, 200, 300)).toEqual([100, 384])
  expect(besidePointer({ x: 950, y: 700 }, 200, 300)).toEqual([750, 384])
  expect(besidePointer({ x: 90, y: 150 }, 980, 790)).toEqual([8, 8]) // larger than the window
})
