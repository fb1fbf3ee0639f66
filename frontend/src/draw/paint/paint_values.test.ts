import { expect, test } from 'vitest'

import { valueWords } from './paint_values'

const ROW = { unit: 'bytes', device: 0, highest: 4096, least: [1024, 2048, null], most: [1024, 4096, null] } as const

test('a part has one value, or from the least to the most of it', () => {
  expect(valueWords(ROW, 0)).toBe('1.00 KiB')
  expect(valueWords(ROW, 1)).toBe('2.00 KiB to 4.00 KiB')
  expect([valueWords(ROW, 2), valueWords(ROW, 9)]).toEqual(['not recorded', 'not recorded'])
  expect(valueWords({ ...ROW, unit: 'number', least: [0.123456789], most: [0.123456789] }, 0)).toBe('0.123457')
})
