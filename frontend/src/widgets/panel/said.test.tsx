import { render } from 'preact'
import { expect, test } from 'vitest'

import { Said, saidPlainly } from './said'

test('names between backticks are code, whose characters stay; a backtick alone does too, and "us" is µs', () => {
  render(
    <Said text="It stands still in `gl.py(13): 4 us` (`<built-in function sleep>`) for -3 us, or `so." />,
    document.body,
  )
  expect(document.body.textContent).toBe(
    'It stands still in gl.py(13): 4 us (<built-in function sleep>) for −3 µs, or `so.',
  )
  expect(saidPlainly('`rank3 us` is cut off after 3 us, `so')).toBe('rank3 us is cut off after 3 µs, `so')
  expect([...document.body.querySelectorAll('code')].map(({ textContent: name }) => name)).toEqual([
    'gl.py(13): 4 us',
    '<built-in function sleep>',
  ])
})
