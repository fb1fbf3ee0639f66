import { describe, expect, it } from 'vitest'

import { markWords, originWords, timeAxis } from './time_axis'

function words(from: number, to: number, width = 1000): string[] {
  const axis = timeAxis(from, (to - from) / width, width, 90)
  const marks = []
  for (let t = axis.first; t <= to; t += axis.step) marks.push(markWords(axis, t))
  return marks
}

describe('the time axis', () => {
  it('uses round steps and the unit that reads best', () => {
    expect(words(0, 1e9).slice(0, 3)).toEqual(['0.0 s', '0.1 s', '0.2 s'])
    expect(timeAxis(0, 1e6, 1000, 90).step).toBe(1e8)
    expect(timeAxis(0, 3.1, 1000, 90).step).toBe(500)
  })

  it('tells neighbouring marks apart at every zoom', () => {
    for (let span = 100; span < 1e11; span *= 3.7) {
      for (const from of [0, 1.3e9, 98.7654321e9]) {
        const marks = words(from, from + span)
        expect(new Set(marks).size).toBe(marks.length)
        expect(Math.max(...marks.map((mark) => mark.length))).toBeLessThan(16)
      }
    }
  })

  it('counts from a round origin deep in a long trace', () => {
    const axis = timeAxis(1_211_633_485, 0.1, 1000, 90)
    expect(axis.origin).toBeGreaterThan(0)
    expect(markWords(axis, axis.origin + 20)).toBe('+0.02 µs')
    expect(originWords(1_211_600_000)).toBe('1.2116 s')
    expect(originWords(40_950_000)).toBe('40.95 ms')
  })
})
