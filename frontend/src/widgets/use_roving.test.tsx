/** One stop of the Tab key for many buttons. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { useRoving } from './use_roving'

const page = document.body.appendChild(document.createElement('div'))
const outside = vi.fn()
page.addEventListener('keydown', outside)

afterEach(() => {
  void act(() => render(null, page))
  outside.mockClear()
})

function Tools({ names }: { readonly names: readonly string[] }) {
  const box = useRoving<HTMLDivElement>()
  return (
    <div ref={box}>
      <input aria-label="words" />
      {names.map((name) => (
        <button key={name} type="button" disabled={name === 'off'}>
          {name}
        </button>
      ))}
      <div popover="auto">
        <button type="button">inside</button>
      </div>
    </div>
  )
}

const stops = (): string[] =>
  [...page.querySelectorAll<HTMLElement>('button')]
    .filter(({ tabIndex }) => tabIndex === 0)
    .map((each) => each.textContent)

async function press(key: string): Promise<void> {
  await act(() => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
}

test('arrows go on from button to button, one of which is the stop', async () => {
  await act(() => render(<Tools names={['a', 'off', 'b', 'c']} />, page))
  expect(stops()).toEqual(['a', 'off', 'inside']) // what is off takes no focus, and what pops up has its own
  page.querySelector('button')?.focus()
  for (const [key, now] of [
    ['ArrowRight', 'b'],
    ['ArrowDown', 'c'],
    ['ArrowRight', 'c'],
    ['Home', 'a'],
    ['End', 'c'],
    ['ArrowLeft', 'b'],
  ] as const) {
    await press(key)
    expect(document.activeElement?.textContent).toBe(now)
  }
  expect(outside).not.toHaveBeenCalled()
  expect(stops()).toEqual(['off', 'b', 'inside'])
  await press('w')
  expect(outside).toHaveBeenCalledTimes(1)
})

test('buttons that come later are no stops, and where the last one goes another one is', async () => {
  await act(() => render(<Tools names={['a', 'b']} />, page))
  await act(async () => {
    render(<Tools names={['a', 'b', 'c']} />, page)
    await Promise.resolve()
  })
  expect(stops()).toEqual(['a', 'inside'])
  await act(async () => {
    render(<Tools names={['c', 'b']} />, page)
    await Promise.resolve()
  })
  expect(stops()).toEqual(['c', 'inside'])
})
