import { expect, test } from 'vitest'

import { parseEdits, withEdit, withoutEdit } from './edits'

test('edits are lines of the link, each once', () => {
  expect(parseEdits(undefined)).toEqual([])
  expect(parseEdits(' loader=0\n\nhost=0.5')).toEqual(['loader=0', 'host=0.5'])
  expect(withEdit(['loader=0'], 'host=0.5\nloader=0')).toBe('loader=0\nhost=0.5')
  expect(withEdit([], '  ')).toBeUndefined()
  expect(withoutEdit(['loader=0'], 'loader=0')).toBeUndefined()
})
