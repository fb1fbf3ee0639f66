import { beforeEach, expect, test } from 'vitest'

import { go } from '../../../state/place'
import { keepScrolled, wasScrolled } from './scrolled'

function back(hash: string): void {
  history.replaceState(null, '', hash)
  window.dispatchEvent(new Event('popstate'))
}

beforeEach(() => back('#view=operators'))

test('who comes back finds a table as it was left, and each table its own', () => {
  keepScrolled('Operators', 330)
  go({ view: 'kernels' })
  expect(wasScrolled('Operators')).toBeUndefined()
  back('#view=operators')
  expect(wasScrolled('Operators')).toBe(330)
  expect(wasScrolled('Kernels')).toBeUndefined()
})

test('who follows a link there begins at the top', () => {
  keepScrolled('Operators', 330)
  go({ view: 'kernels' })
  go({ view: 'operators' })
  expect(wasScrolled('Operators')).toBeUndefined()
})
