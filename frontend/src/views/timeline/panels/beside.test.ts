import { expect, test } from 'vitest'

import { inAnother } from './beside'

test('another file is laid at the step that it is beside, and at its beginning where that is none', () => {
  expect(['5', 'begin', undefined, '@12345'].map((upper) => inAnother(upper))).toEqual(['5', 'begin', 'begin', 'begin'])
})
